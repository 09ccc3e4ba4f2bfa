package liveness

import (
	"math"

	"example.com/liveness/internal/normal"
)

// LogNormal is the law of a gap whose natural logarithm, in ln seconds, is
// normal with mean Mu and standard deviation Sigma:
//
//	φ(x) = −log10( ½ erfc( (ln x − Mu) / (Sigma √2) ) )
//
// The median is e^Mu. A Sigma of 0 (or below, which counts as 0) puts all gaps
// at the median.
type LogNormal struct {
	Mu    float64 // ln seconds
	Sigma float64 // of ln X, no unit
}

// Fit returns the LogNormal with the mean m and the standard deviation s of
// the gaps, by the method of moments:
//
//	Sigma² = ln(1 + s²/m²),  Mu = ln m − Sigma²/2
//
// A mean of 0 or below puts all gaps at 0. Moments make this law cautious: a few
// gaps far above the mean raise its tail a lot. If one gap in 50 is 30 times as
// long as the others, φ = 8 is 1700 times their length.
func (LogNormal) Fit(s Stats) Distribution { return fitLogNormal(s.Mean, s.StdDev) }

func fitLogNormal(mean, stdDev float64) LogNormal {
	if !(mean > 0) {
		return LogNormal{Mu: math.Inf(-1)}
	}
	ratio := stdDev / mean
	variance := math.Log1p(ratio * ratio)
	return LogNormal{Mu: math.Log(mean) - variance/2, Sigma: math.Sqrt(variance)}
}

// Phi returns −log10 P(X > x). The error is that of [Gaussian.Phi] at
// z = (ln x − Mu)/Sigma, to which comes that of z.
//
// Special cases are:
//
//	Phi(x) = 0 for x ≤ 0
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (l LogNormal) Phi(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return normal.Phi((math.Log(x) - l.Mu) / nonnegative(l.Sigma))
}

// Quantile returns the x at which Phi(x) = phi, the inverse to rounding for
// phi from 1e-300 up.
//
// Special cases are:
//
//	Quantile(phi) = 0 for phi ≤ 0, or the median where Sigma is 0
//	Quantile(phi) = +Inf where it would overflow
//	Quantile(NaN) = NaN
func (l LogNormal) Quantile(phi float64) float64 { return l.at(normal.Quantile(phi)) }

// at returns the x of the standard normal quantile z.
func (l LogNormal) at(z float64) float64 {
	return math.Exp(Gaussian{l.Mu, l.Sigma}.at(z))
}
