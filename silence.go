package liveness

import (
	"math"

	"example.com/liveness/internal/grid"
	"example.com/liveness/internal/normal"
)

// coarse bits are dropped before a logarithm, so that it never falls: see grid.
const coarse = 12

// silence is the law of how long none of the heartbeats to come arrives, for a
// LossAware. Instants are in nanoseconds after EA of the next one.
type silence struct {
	interval      int64
	begins, stays float64 // p and r
	phiP, phiR    float64 // −log10 of them
	origin        float64 // the lateness in seconds that none falls short of
	beyond        LogNormal
	first, others float64 // level of a heartbeat due, one being overdue: none, or any number
}

// fit computes what depends on the rest.
func (s *silence) fit() {
	s.phiP, s.phiR = -math.Log10(s.begins), -math.Log10(s.stays)
	s.first, s.others = s.due(s.begins, 0), s.due(s.stays, 0)
}

// still returns the probability that a heartbeat that does not go missing is
// later than x nanoseconds. It never rises.
func (s *silence) still(x int64) float64 {
	beyond := float64(x)/nanos - s.origin
	if !(beyond > 0) {
		return 1
	}
	phi := normal.Phi((math.Log(grid.Round(beyond, coarse)) - s.beyond.Mu) / s.beyond.Sigma)
	// Steps of 2^-40, far above what Exp errs by.
	phi = (min(phi, 400) + 1<<12) - 1<<12
	return math.Exp(-math.Ln10 * phi)
}

// due returns −log10 of the probability that neither of the two heartbeats
// arrived that were due x and x − η ago, from 0 to η and below 0, if the first
// goes missing with probability missing.
func (s *silence) due(missing float64, x int64) float64 {
	good := (1 - missing) * s.still(x)
	next := (good*(1-s.begins) + missing*(1-s.stays)) * s.still(x-s.interval)
	return levelOf(next + (good*s.begins + missing*s.stays))
}

// levelOf returns −log10 u, at least 0. It never rises.
func levelOf(u float64) float64 { return max(-math.Log10(grid.Round(u, coarse)), 0) }

// overdue returns the level of k ≥ 1 heartbeats that went missing.
func (s *silence) overdue(k int64) float64 { return s.phiP + float64(k-1)*s.phiR }

// phi returns the level at x. It never falls: sums and products of what never
// falls do not either, and where a heartbeat becomes overdue, so that rounding
// differs, no level is above the next one's first.
func (s *silence) phi(x int64) float64 {
	switch {
	case x < -s.interval:
		return 0
	case x < 0:
		return min(levelOf((1-s.begins)*s.still(x)+s.begins), s.first)
	case x < s.interval:
		return min(s.due(s.begins, x), s.overdue(1)+s.others)
	}
	k := x / s.interval
	return min(s.overdue(k)+s.due(s.stays, x%s.interval), s.overdue(k+1)+s.others)
}

// reach returns about the x in seconds at which phi reaches a level above 0.
func (s *silence) reach(level float64) float64 {
	overdue, missing := 0.0, s.begins
	if level >= s.phiP {
		n := math.Floor((level - s.phiP) / s.phiR)
		level -= s.phiP + n*s.phiR
		overdue, missing = n+1, s.stays
	}
	// As if one heartbeat at a time decided.
	interval, late := float64(s.interval)/nanos, 0.0
	if still := (math.Pow(10, -level) - missing) / (1 - missing); still < 1 {
		late = s.origin + s.beyond.Quantile(-math.Log10(max(still, 1e-30)))
	}
	return overdue*interval + max(min(late, interval), -interval)
}
