package liveness

import (
	"hash/maphash"
	"math"
	"sync/atomic"

	"example.com/liveness/internal/normal"
)

// settings are what a Phi was told to be. They never change.
type settings struct {
	threshold float64
	unit      float64 // kind.unit of the threshold
	surely    float64 // a gap up to surely times the mean is no outage
	expected  float64 // the prior's mean in seconds
	fade      float64 // what the prior's weight loses with each gap
	minStdDev float64 // seconds
	minRel    float64
	pause     int64 // nanoseconds
	kind      kind
}

// newSettings takes a checked configuration with its defaults.
func newSettings(cfg *PhiConfig, k kind) settings {
	s := settings{
		threshold: cfg.Threshold,
		unit:      k.unit(cfg.Threshold),
		expected:  cfg.ExpectedInterval.Seconds(),
		fade:      cfg.PriorWeight / float64(priorSpan(cfg.WindowSize)),
		minStdDev: cfg.MinStdDev.Seconds(),
		minRel:    cfg.MinRelStdDev,
		pause:     int64(cfg.AcceptablePause),
		kind:      k,
	}
	s.surely = s.surelyNoOutage(cfg.WindowSize)
	return s
}

var (
	recent     [64]atomic.Pointer[settings]
	recentSeed = maphash.MakeSeed()
)

// shared returns where settings equal to s are kept. A million detectors of one
// kind have them once, and so find them in the cache; of settings that come in
// turn with many others there may be several copies.
func (s settings) shared() *settings {
	place := &recent[maphash.Comparable(recentSeed, s)%uint64(len(recent))]
	if same := place.Load(); same != nil && *same == s {
		return same
	}
	place.Store(&s)
	return &s
}

// surelyNoOutage returns a factor f such that a gap up to f·mean has not reached
// the level of an outage, whatever the gaps learnt, at most window: it saves
// fitting the law on nearly every heartbeat.
func (s *settings) surelyNoOutage(window int) float64 {
	z := s.outageUnit()
	switch s.kind {
	case gaussian, logistic: // mean + z·σ, and σ ≥ minRel·mean
		return 1 + z*s.minRel
	case studentT: // more than the gaussian
		return 1 + normal.Quantile(z)*s.minRel
	case exponential: // z·mean
		return z
	case lomax: // more than the exponential
		return exponential.unit(z)
	case shiftedExponential: // more than least + z·excess, and excess ≥ minRel·mean
		return 1 + (exponential.unit(z)-1)*s.minRel
	case logStudentT: // see mayBeLogOutage
		return math.Inf(-1)
	case logNormal:
		// mean·e^(z·s − s²/2), and s² = ln(1 + σ²/mean²). The exponent is
		// concave in s, so it is least at an end: at the relative floor, or
		// at the most that the gaps, the prior and the absolute floor allow,
		// the mean being 1 ns at the least.
		exponent := func(ratio2 float64) float64 {
			s := math.Sqrt(math.Log1p(ratio2))
			return z*s - s*s/2
		}
		least := s.minRel * s.minRel
		absolute, prior := s.minStdDev*nanos, s.expected*nanos
		most := max(least, float64(window)+prior*prior, absolute*absolute)
		return math.Exp(min(exponent(least), exponent(most)))
	}
	return 2 // as documented in Phi
}

// outageUnit returns the unit of the level from which a gap is an outage.
func (s *settings) outageUnit() float64 {
	if s.threshold > outageLevel {
		return s.unit
	}
	return outageUnits[s.kind]
}
