package tiers

import "math"

// A tier holds the latest numbers given to it, up to a fixed count, in order of
// age and in order of size. Adding costs two searches and one move of 4 bytes a
// number at the most, which for the sizes here is faster than a tree, and a number
// takes 8 bytes.
type tier struct {
	ring   []key // by age; oldest at next once full
	sorted []key // by size
	next   int

	// What end interpolates with depends on the count alone.
	endRank  int
	endShare float64
}

// A key is a positive float32 as its bits, which have the same order: integers
// are compared without a branch, and this branch no processor could predict.
type key uint32

func keyOf(x float64) key { return key(math.Float32bits(float32(x))) }

// below returns the largest key that is no number above x: a number is at most x
// just where its key is at most below(x), which keyOf, that rounds, may overshoot.
func below(x float64) key {
	k := keyOf(x)
	if k > 0 && k.float64() > x {
		k--
	}
	return k
}

func (k key) float64() float64 { return float64(math.Float32frombits(uint32(k))) }

func newTier(capacity int) tier {
	return tier{ring: make([]key, 0, capacity), sorted: make([]key, 0, capacity)}
}

func (t *tier) len() int { return len(t.sorted) }

func (t *tier) reset() { *t = tier{ring: t.ring[:0], sorted: t.sorted[:0]} }

// rank returns how many numbers are at most x.
func (t *tier) rank(x key) int {
	s := t.sorted
	if len(s) == 0 {
		return 0
	}
	base, n := 0, len(s)
	for n > 1 {
		half := n / 2
		// half where the number is at most x, else 0.
		base += half & int((int64(s[base+half-1])-int64(x)-1)>>63)
		n -= half
	}
	if s[base] <= x {
		base++
	}
	return base
}

// add adds x, of which hint may be the rank; a full tier gives up its oldest number
// for it.
func (t *tier) add(x key, hint int) {
	to := hint
	if !t.isRank(to, x) {
		to = t.rank(x)
	}
	if len(t.ring) < cap(t.ring) {
		t.ring = append(t.ring, x)
		t.sorted = append(t.sorted, x)
		copy(t.sorted[to+1:], t.sorted[to:])
		t.sorted[to] = x
		t.endRank, t.endShare = t.place(handedOn)
		return
	}
	oldest := &t.ring[t.next]
	if t.next++; t.next == len(t.ring) {
		t.next = 0
	}
	from := t.rank(*oldest) - 1
	*oldest = x
	if from < to {
		to--
		copy(t.sorted[from:to], t.sorted[from+1:])
	} else {
		copy(t.sorted[to+1:from+1], t.sorted[to:])
	}
	t.sorted[to] = x
}

// isRank reports whether i is the rank of x.
func (t *tier) isRank(i int, x key) bool {
	s := t.sorted
	return 0 <= i && i <= len(s) && (i == 0 || s[i-1] <= x) && (i == len(s) || s[i] > x)
}

// divide divides all numbers by unit.
func (t *tier) divide(unit float64) {
	for _, keys := range [2][]key{t.ring, t.sorted} {
		for i, k := range keys {
			keys[i] = keyOf(k.float64() / unit)
		}
	}
}

// at returns −log10 of the share of numbers expected above the i-th smallest,
// counted from 1: of n numbers and one to come each is as likely to be the
// largest, so that is (n + 1 − i)/(n + 1). at(0) is 0.
func (t *tier) at(i int) float64 {
	n := len(t.sorted)
	return log10(n+1) - log10(n+1-i)
}

// phi returns −log10 of the share of numbers expected above x, given that all
// are above low, and how many are at most x. Between two numbers it is linear. x
// must be below the largest.
func (t *tier) phi(x, low float64) (phi float64, rank int) {
	i := t.rank(below(x))
	before := t.at(i)
	if i > 0 {
		low = t.sorted[i-1].float64()
	}
	if !(x > low) {
		return before, i
	}
	after := t.at(i + 1)
	high := t.sorted[i].float64()
	return min(before+(after-before)*((x-low)/(high-low)), after), i
}

// quantile is the inverse of phi, for a phi below that of the largest.
func (t *tier) quantile(phi, low float64) float64 {
	rank, share := t.place(phi)
	return t.between(rank, share, low)
}

// end is the quantile of the φ at which the next tier takes over.
func (t *tier) end(low float64) float64 { return t.between(t.endRank, t.endShare, low) }

// place returns how many numbers are at most the quantile of phi, and how far it
// is on the way from the last of these to the next.
func (t *tier) place(phi float64) (rank int, share float64) {
	n := len(t.sorted)
	rank = max(n+1-int(math.Ceil(float64(n+1)*math.Pow(10, -phi))), 0)
	before, after := t.at(rank), t.at(rank+1)
	return rank, min(max((phi-before)/(after-before), 0), 1)
}

func (t *tier) between(rank int, share, low float64) float64 {
	if rank > 0 {
		low = t.sorted[rank-1].float64()
	}
	return low + (t.sorted[rank].float64()-low)*share
}

// log10 of a whole number.
func log10(n int) float64 {
	if n < len(logs) {
		return logs[n]
	}
	return math.Log10(float64(n))
}

var logs = func() (l [1002]float64) {
	for i := range l {
		l[i] = math.Log10(float64(i))
	}
	return l
}()
