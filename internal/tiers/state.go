package tiers

import (
	"slices"

	"example.com/liveness/internal/state"
)

const (
	// leastGap and longestGap are the bounds of a mean of gaps, from 1 to 2^63,
	// with room for rounding.
	leastGap, longestGap = 0.9, 9.3e18
	// mostMoment is the most that (gap ÷ gap)² can be.
	mostMoment = longestGap / leastGap * longestGap / leastGap
	// leastRatio and mostRatio are the bounds of gap ÷ level. Their quotient, the
	// most in the later tiers, is a float32.
	leastRatio, mostRatio = 1e-19, 2.1e19
)

// Append saves what was learnt.
func (l *Law) Append(e *state.Encoder) {
	l.level.append(e)
	for _, s := range l.promise.shift {
		e.Float(s)
	}
	for i := range l.tiers {
		l.tiers[i].append(e)
	}
}

// Read returns the law that was saved, with a size of its own: of the numbers of
// each tier it has the latest that fit. It is of no use if d fails.
func Read(d *state.Decoder, size int) *Law {
	l := New(size)
	l.level.read(d)
	l.learnt = min(l.level.seen, Ready)
	for i := range l.promise.shift {
		l.promise.shift[i] = d.Float("correction", least, most)
	}
	l.promise.ask()
	for i := range l.tiers {
		if i > 0 {
			l.tiers[i].read(d, 1, mostRatio/leastRatio)
		} else {
			n := l.tiers[i].read(d, leastRatio, mostRatio)
			// The first gap has no ratio.
			had := min(l.level.seen-1, Ready)
			d.Check(n >= had, "%d ratios of %d gaps", n, l.level.seen)
		}
	}
	return l
}

func (l *level) append(e *state.Encoder) {
	e.Uint(uint64(l.seen))
	if l.seen == 0 {
		return
	}
	for _, x := range [...]float64{l.fast[0], l.fast[1], l.slow, l.sxx, l.sxy, l.k} {
		e.Float(x)
	}
}

func (l *level) read(d *state.Decoder) {
	if l.seen = int(d.Uint("number of gaps behind the level", 0, settled)); l.seen == 0 {
		return
	}
	l.fast[0] = d.Float("quick mean", leastGap, longestGap)
	l.fast[1] = d.Float("medium mean", leastGap, longestGap)
	l.slow = d.Float("slow mean", leastGap, longestGap)
	l.sxx = d.Float("second moment", 0, mostMoment)
	l.sxy = d.Float("mixed moment", -mostMoment, mostMoment)
	l.k = d.Float("slope", 0, 1)
	l.predict()
}

// append saves the numbers, oldest first: the rest follows from them.
func (t *tier) append(e *state.Encoder) {
	e.Uint(uint64(t.len()))
	for _, part := range [2][]key{t.ring[t.next:], t.ring[:t.next]} {
		for _, x := range part {
			e.Float32(uint32(x))
		}
	}
}

// read takes in the latest numbers that fit, and returns how many there were.
func (t *tier) read(d *state.Decoder, low, high float32) (n int) {
	n = d.Count("ratios", MaxSize, 4)
	for i := range n {
		x := key(d.Float32("ratio", low, high))
		if i >= n-cap(t.ring) {
			t.ring = append(t.ring, x)
		}
	}
	t.sorted = append(t.sorted, t.ring...)
	slices.Sort(t.sorted)
	if t.len() > 0 {
		t.endRank, t.endShare = t.place(handedOn)
	}
	return n
}
