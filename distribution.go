package liveness

import (
	"math"

	"example.com/liveness/internal/normal"
)

// Stats is what a detector has learnt about the gaps between heartbeats, after
// its prior and its floor: what a [Distribution] is fitted to.
type Stats struct {
	Count  int     // gaps in the window
	Mean   float64 // seconds
	StdDev float64 // seconds, of the population

	// Weight is the number of gaps that these statistics are worth: Count and
	// what the prior is worth beside them. 0 stands for Count.
	Weight float64

	// A Phi learns the following for the laws of this package that ask for
	// them, because they take time with every heartbeat: the logarithms for a
	// LogStudentT, the least for a ShiftedExponential. For all others they are
	// 0. [Window.Stats] always has them.
	LogMean   float64 // mean of ln(gap), in ln seconds
	LogStdDev float64 // standard deviation of ln(gap), of the population
	Least     float64 // the shortest gap, seconds
}

// worth returns the number of gaps that s is worth.
func (s Stats) worth() float64 {
	if s.Weight > 0 {
		return s.Weight
	}
	return float64(s.Count)
}

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
