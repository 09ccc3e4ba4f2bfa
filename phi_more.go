package liveness

import (
	"math"
	"time"

	"example.com/liveness/internal/exact"
	"example.com/liveness/internal/normal"
	"example.com/liveness/internal/studentt"
)

// more is what a Phi keeps for the laws that need it, behind one pointer, so that
// a Phi with any other law stays small.
type more struct {
	family    Distribution  // from outside the package
	fitted    *Distribution // its member
	c         float64       // the third parameter of a law of this package
	quantiles quantiles
	logs      exact.Sums // of the gaps' logarithms, as fixedLog has them
	prior     LogNormal
	surely    float64 // a gap e^surely times the geometric mean is no outage
	least     minimum
	ratios    ratios
}

// makeMore provides what the law needs beside its two parameters.
func (d *Phi) makeMore(family Distribution, window int, jitter float64) {
	switch {
	case d.kind == foreign:
		d.more = &more{family: family}
	case d.kind == logStudentT:
		d.more = &more{prior: fitLogNormal(d.expected, priorSpread*d.expected)}
		// Its quantile is above that of the normal law, the deviation not below
		// the relative floor. What is taken off is for rounding.
		z := normal.Quantile(d.outageUnit())
		d.more.surely = z*math.Sqrt(math.Log1p(d.minRel*d.minRel)) - 1e-9
	case d.kind == shiftedExponential:
		d.more = &more{least: makeMinimum(d.window.Cap())}
	case d.kind == empirical:
		d.more = &more{ratios: newRatios(window, jitter)}
	case d.kind.predictive():
		d.more = &more{}
	}
}

// learn notes a gap, less the pause, of which most is about to be added to the
// window. single says that it is an outage which stands alone, anew that gaps have
// another length from now on.
func (m *more) learn(k kind, w *Window, gap, most int64, single, anew bool) {
	switch k {
	case empirical:
		if single {
			most = 0 // it would be a tenth of the tail: only the mistake is learnt
		}
		m.ratios.learn(gap, most, anew)
	case logStudentT:
		if oldest, full := w.oldest(); full {
			m.logs.Remove(fixedLog(oldest)) // to the bit what was added
		}
		m.logs.Add(fixedLog(time.Duration(most)))
	case shiftedExponential:
		m.least.add(w, time.Duration(most))
	}
}

// reset forgets the gaps.
func (m *more) reset() {
	m.logs = exact.Sums{}
	m.least.n = 0
	if m.ratios.law != nil {
		m.ratios.law.Reset()
	}
}

// logUnit is the number of units of fixedLog in 1. ln of the longest gap in
// nanoseconds is 43.7, so squares of a thousand of them fit 128 bits.
const logUnit = 1 << 44

const lnNanos = 9 * math.Ln10

// fixedLog returns ln(d/1 ns) as an integer, so that sums of it are exact. A d
// below 1 ns counts as 1 ns.
func fixedLog(d time.Duration) int64 {
	return int64(math.Log(float64(max(d, 1)))*logUnit + 0.5)
}

// logMoments returns the mean and the population variance of ln(gap/1 s).
func logMoments(sums *exact.Sums, n int) (mean, variance float64) {
	mean, variance = sums.Moments(n, logUnit)
	return mean - lnNanos, variance
}

// quantiles remembers the last few quantiles of Student's law: once the window
// is full its degrees of freedom stay as they are.
type quantiles struct {
	known [3]struct{ df, level, t float64 } // of the threshold, of an outage, and of one more level
	next  uint8
}

// at returns the t at which Student's law with df degrees of freedom reaches level.
func (q *quantiles) at(df, level float64) float64 {
	for i := range q.known {
		if k := &q.known[i]; k.df == df && k.level == level {
			return k.t
		}
	}
	k := &q.known[q.next]
	q.next = (q.next + 1) % uint8(len(q.known))
	k.df, k.level, k.t = df, level, studentt.Quantile(df, level)
	return k.t
}

// minimum follows the shortest gap of a window in O(1) amortised: it keeps the
// places in the window of those gaps that are shorter than all after them, the
// oldest and shortest first. It takes 4 bytes a gap.
type minimum struct {
	places  []uint32 // a ring
	head, n int
}

func makeMinimum(window int) minimum { return minimum{places: make([]uint32, window)} }

// add notes a gap that is about to be added to w.
func (m *minimum) add(w *Window, gap time.Duration) {
	place := len(w.ring)
	if place == cap(w.ring) {
		place = w.next
		if m.n > 0 && m.places[m.head] == uint32(place) {
			m.n--
			if m.head++; m.head == len(m.places) {
				m.head = 0
			}
		}
	}
	for m.n > 0 && w.ring[m.places[m.at(m.n-1)]] >= gap {
		m.n--
	}
	m.places[m.at(m.n)] = uint32(place)
	m.n++
}

// at returns where the i-th place is in the ring.
func (m *minimum) at(i int) int {
	if i += m.head; i >= len(m.places) {
		i -= len(m.places)
	}
	return i
}

// of returns the shortest gap of w, which is not empty.
func (m *minimum) of(w *Window) time.Duration { return w.ring[m.places[m.head]] }
