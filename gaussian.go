package liveness

import "example.com/liveness/internal/normal"

// Gaussian is the normal law with the given mean and standard deviation in
// seconds, the law of the paper that named φ (Hayashibara, Défago, Yared,
// Katayama, SRDS 2004):
//
//	φ(x) = −log10( ½ erfc( (x − Mean) / (StdDev √2) ) )
//
// A standard deviation of 0 (or below, which counts as 0) puts all gaps at the
// mean: φ is 0 up to Mean and math.MaxFloat64 above it.
type Gaussian struct {
	Mean   float64 // seconds
	StdDev float64 // seconds
}

// Fit returns the Gaussian with the mean and standard deviation of s.
func (Gaussian) Fit(s Stats) Distribution { return Gaussian{s.Mean, s.StdDev} }

// Phi returns −log10 P(X > x). It is computed as a log-survival over the whole
// range, not from a probability: the relative error for z = (x − Mean)/StdDev
// is below 2e-15, to which comes that of z.
//
// Special cases are:
//
//	Phi(x) = 0 for z < -37.5, where it is below 2e-308
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (g Gaussian) Phi(x float64) float64 {
	return normal.Phi((x - g.Mean) / nonnegative(g.StdDev))
}

// Quantile returns the x at which Phi(x) = phi, the inverse to rounding for
// phi from 1e-300 up.
//
// Special cases are:
//
//	Quantile(phi) = -Inf for phi ≤ 0, or Mean where StdDev is 0
//	Quantile(+Inf) = +Inf
//	Quantile(NaN) = NaN
func (g Gaussian) Quantile(phi float64) float64 { return g.at(normal.Quantile(phi)) }

// at returns the x of the standard normal quantile z.
func (g Gaussian) at(z float64) float64 {
	if g.StdDev > 0 {
		return g.Mean + g.StdDev*z
	}
	return allAt(g.Mean, z)
}
