package liveness

import "math"

// A Distribution is a law for the gap X between two heartbeats, in seconds,
// and names the family it belongs to: [PhiConfig] takes any member, and the
// detector fits its own.
//
// To plug in a law of your own, write a type with these three methods and test
// it with livenesstest.TestDistribution. Methods may be called from several
// goroutines; no lock is held meanwhile. Such a law costs what its Fit costs, an
// allocation for the fitted member included, about once a heartbeat at most.
type Distribution interface {
	// Fit returns the member of the family that fits s. It leaves the
	// receiver as it is: one configuration serves any number of detectors.
	// It is called when a level is asked for, or a heartbeat came after twice
	// the usual gap or not after the last one: once between two heartbeats,
	// or more often where goroutines ask at the same time.
	Fit(s Stats) Distribution

	// Phi returns −log10 P(X > x), a level without unit. It must be finite,
	// not NaN, at least 0, and never fall as x grows; where the probability
	// is 0, math.MaxFloat64 is the answer.
	Phi(x float64) float64

	// Quantile returns the x, in seconds, at which Phi reaches phi: the
	// timeout that a live process outlasts with probability 10^−phi. It is
	// asked for phi above 0, +Inf included.
	Quantile(phi float64) float64
}

// allAt is the quantile of a law whose scale is 0: x, but for what is no probability.
func allAt(x, quantile float64) float64 {
	if math.IsNaN(quantile) || math.IsInf(quantile, 1) {
		return quantile
	}
	return x
}

// nonnegative returns x, or 0 for what a scale cannot be.
func nonnegative(x float64) float64 {
	if x > 0 {
		return x
	}
	return 0
}

// saturated makes any float64 a level: finite, not NaN, not below 0.
func saturated(phi float64) float64 {
	switch {
	case phi > math.MaxFloat64:
		return math.MaxFloat64
	case phi > 0:
		return phi
	}
	return 0
}
