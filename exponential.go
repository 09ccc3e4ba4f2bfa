package liveness

import "math"

// Exponential is the exponential law with the given mean in seconds, which
// Cassandra's detector assumes:
//
//	φ(x) = x / (Mean · ln 10)
//
// A mean of 0 (or below, which counts as 0) puts all gaps at 0.
type Exponential struct {
	Mean float64 // seconds
}

// Fit returns the Exponential with the mean of s.
func (Exponential) Fit(s Stats) Distribution { return Exponential{s.Mean} }

// Phi returns −log10 P(X > x), with a relative error below 4e-16.
//
// Special cases are:
//
//	Phi(x) = 0 for x ≤ 0
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (e Exponential) Phi(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	phi := x / nonnegative(e.Mean) * (1 / math.Ln10)
	if phi <= math.MaxFloat64 {
		return phi
	}
	return saturated(phi)
}

// Quantile returns phi · ln 10 · Mean.
//
// Special cases are:
//
//	Quantile(phi) = 0 for phi ≤ 0
//	Quantile(+Inf) = +Inf
//	Quantile(NaN) = NaN
func (e Exponential) Quantile(phi float64) float64 {
	if phi <= 0 {
		return 0
	}
	return e.at(phi * math.Ln10)
}

// at returns the x of the quantile t of the law with mean 1.
func (e Exponential) at(t float64) float64 {
	if e.Mean > 0 {
		return t * e.Mean
	}
	return allAt(0, t)
}
