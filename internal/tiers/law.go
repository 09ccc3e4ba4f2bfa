// Package tiers is a law of the gaps between heartbeats that is learnt from
// the gaps alone.
//
//   - A gap is measured in units of a level that follows the gaps.
//   - The law of gap ÷ level is that of the latest ones, n of them. The tenth
//     beyond the 90 % quantile is handed on to a second tier that keeps the
//     latest n/2 of those, relative to that quantile, and a tenth of these to a
//     third, which so reaches back 25 n gaps.
//   - Beyond the tenth largest of the last tier, the tail is that of Pareto, and
//     further out exponential.
//   - The levels are corrected by the mistakes that they made.
package tiers

import "math"

const (
	count = 3
	// handedOn is the φ from which a tier leaves the answer to the next.
	handedOn = 1
	// enough numbers make a quantile to hand on by, and a tier to answer.
	enough = 20
)

// Ready is the number of gaps from which the law answers, and half of them that
// from which it learns from its mistakes.
const Ready = 200

// MaxSize is the largest size of a Law.
const MaxSize = 10_000

// A Law is learnt gap by gap. It is not safe for concurrent use, and must be
// made by New. It answers once it has learnt Ready gaps.
type Law struct {
	level   level
	promise promise
	tiers   [count]tier
	learnt  int // gaps, no more than Ready

	// What follows is computed by fit.
	fitted bool
	last   int                // the tier with the tail
	ends   [count - 1]float64 // the gap, in units of the level, at which the next tier takes over
	tail   tail
}

// New returns a law that remembers size gaps, from Ready to MaxSize. It takes 14
// bytes a gap.
func New(size int) *Law {
	l := &Law{}
	for i := range l.tiers {
		l.tiers[i] = newTier(size >> i)
	}
	l.promise.reset()
	return l
}

// Reset forgets everything.
func (l *Law) Reset() {
	for i := range l.tiers {
		l.tiers[i].reset()
	}
	l.promise.reset()
	l.level, l.learnt, l.fitted = level{}, 0, false
}

// Size returns how many gaps the first tier remembers.
func (l *Law) Size() int { return cap(l.tiers[0].ring) }

// Reach returns how many gaps back the last tier reaches.
func (l *Law) Reach() int { return cap(l.tiers[count-1].ring) * 100 }

// Ready reports whether the law has learnt enough to answer.
func (l *Law) Ready() bool { return l.learnt >= Ready }

// Learn takes in a gap of which only cut is learnt, 0 for nothing but the mistake
// that it was. waited is the longest silence before its end. All are in the same
// unit and not negative. anew says that gaps have another length from now on.
func (l *Law) Learn(waited, cut float64, anew bool) {
	if !l.fitted {
		l.fit()
	}
	hint := -1
	if l.learnt >= Ready/2 {
		var reached float64
		reached, hint = l.reached(waited)
		l.promise.learn(reached)
	}
	if cut <= 0 {
		return
	}
	l.fitted = false
	if anew && l.Ready() {
		// By the level of before it would be an outlier for as long as the last
		// tier remembers.
		l.level = level{fast: [2]float64{cut, cut}, slow: cut, k: 1, unit: cut, seen: Ready}
		return
	}
	l.hand(cut/l.unit(), hint)
	l.level.add(cut)
	if l.learnt < Ready {
		if l.learnt++; l.learnt == Ready {
			l.begin()
		}
	}
}

// unit returns what the numbers of the first tier are multiples of. The level of
// a few gaps is no measure: until the law is ready, the gaps stay what they are.
func (l *Law) unit() float64 {
	if l.learnt < Ready {
		return 1
	}
	return l.level.unit
}

// begin makes the gaps learnt so far multiples of the level, and hands those on
// that belong to the second tier.
func (l *Law) begin() {
	t := &l.tiers[0]
	t.divide(l.level.unit)
	end := t.end(base(0))
	for _, k := range t.ring {
		if x := k.float64(); x > end {
			l.tiers[1].add(keyOf(x/end), -1)
		}
	}
}

// hand gives a gap, in units of the level, to the tiers it belongs to. hint may be
// its rank in the first.
func (l *Law) hand(x float64, hint int) {
	for i := range l.tiers {
		l.tiers[i].add(keyOf(x), hint)
		hint = -1
		if i == count-1 || l.learnt < Ready || !(x > l.ends[i]) {
			return
		}
		x /= l.ends[i]
	}
}

// base is the least that the numbers of a tier can be.
func base(tier int) float64 { return float64(min(tier, 1)) }

// fit computes what all answers need.
func (l *Law) fit() {
	l.fitted = true
	l.last = 0
	for i := range l.ends {
		l.ends[i] = math.Inf(1)
		if t := &l.tiers[i]; t.len() >= enough {
			l.ends[i] = t.end(base(i))
		}
		if l.last == i && l.tiers[i+1].len() >= enough {
			l.last = i + 1
		}
	}
	if t := &l.tiers[l.last]; t.len() >= enough {
		n := t.len()
		l.tail = tail{from: t.sorted[n-top].float64(), at: t.at(n + 1 - top)}
	}
}

// beyond returns the tail, whose logarithms are computed when it is first asked for.
func (l *Law) beyond() *tail {
	if l.tail.index == 0 {
		l.tail.fit(l.tiers[l.last].sorted)
	}
	return &l.tail
}

// reached returns the level of the law, uncorrected, after a silence, and where the
// first tier answers also the rank there, -1 elsewhere.
func (l *Law) reached(silence float64) (phi float64, rank int) {
	if !l.fitted {
		l.fit()
	}
	x := silence / l.unit()
	i := 0
	for i < l.last && x >= l.ends[i] {
		x = max(x/l.ends[i], 1)
		i++
	}
	before := float64(i * handedOn)
	if i == l.last && x >= l.tail.from {
		return before + l.beyond().phi(x), -1
	}
	phi, rank = l.tiers[i].phi(x, base(i))
	if i < l.last {
		phi = min(phi, handedOn)
	}
	if i > 0 {
		rank = -1
	}
	return before + phi, rank
}

// Phi returns −log10 of the probability of a gap longer than silence, and whether
// that is extrapolated.
func (l *Law) Phi(silence float64) (phi float64, beyond bool) {
	if !(silence > 0) {
		return 0, false
	}
	reached, _ := l.reached(silence)
	return l.promise.kept(reached), reached > l.evidence()
}

// Quantile returns the silence at which Phi reaches phi, above 0.
func (l *Law) Quantile(phi float64) float64 {
	if !l.fitted {
		l.fit()
	}
	phi = l.promise.ofLaw(phi)
	x := l.unit()
	i := 0
	for i < l.last && phi >= handedOn {
		x *= l.ends[i]
		phi -= handedOn
		i++
	}
	if i < l.last || phi < l.tail.at {
		return x * l.tiers[i].quantile(phi, base(i))
	}
	return x * l.beyond().quantile(phi)
}

// Median returns the median of the gaps that the first tier remembers, as they
// would be at the present level.
func (l *Law) Median() float64 {
	s := l.tiers[0].sorted
	n := len(s)
	return l.unit() * (s[(n-1)/2].float64() + s[n/2].float64()) / 2
}

// Evidence returns the φ from which the law is extrapolated.
func (l *Law) Evidence() float64 {
	if !l.fitted {
		l.fit()
	}
	return l.promise.kept(l.evidence())
}

// evidence is what Evidence is before the correction.
func (l *Law) evidence() float64 { return float64(l.last*handedOn) + l.tail.at }
