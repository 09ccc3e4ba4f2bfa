package liveness

import (
	"math"
	"time"

	"example.com/liveness/internal/exact"
	"example.com/liveness/internal/normal"
	"example.com/liveness/internal/tiers"
)

// more is what a Phi keeps for the laws that need it, behind one pointer, so that
// a Phi with any other law stays small.
type more struct {
	// For a law from outside the package.
	family Distribution
	fitted *Distribution // its member

	c         float64          // the third parameter of a predictive law
	quantiles studentQuantiles // for a StudentT and a LogStudentT

	// For a LogStudentT.
	logs   exact.Sums // of the gaps' logarithms, as fixedLog has them
	prior  LogNormal
	surely float64 // a gap e^surely times the geometric mean is no outage

	least  minimum // for a ShiftedExponential
	ratios ratios  // for an Empirical
}

// makeMore provides what the law needs beside its two parameters.
func (d *Phi) makeMore(family Distribution, window int, jitter float64) {
	switch d.kind {
	case foreign:
		d.more = &more{family: family}
	case logStudentT:
		d.more = &more{prior: fitLogNormal(d.expected, priorSpread*d.expected)}
		// Its quantile is above that of the normal law, the deviation not below
		// the relative floor. What is taken off is for rounding.
		z := normal.Quantile(d.outageUnit())
		d.more.surely = z*math.Sqrt(math.Log1p(d.minRel*d.minRel)) - 1e-9
	case shiftedExponential:
		d.more = &more{least: makeMinimum(d.window.Cap())}
	case empirical:
		d.more = &more{ratios: ratios{
			Law:       tiers.New(min(window, tiers.MaxSize)),
			minStdDev: d.minStdDev,
			minRel:    d.minRel,
			jitter:    jitter,
		}}
	case studentT, lomax:
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
	m.least.reset()
	if m.ratios.Law != nil {
		m.ratios.Reset()
	}
}
