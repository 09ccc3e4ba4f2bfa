package liveness

import (
	"math"

	"example.com/liveness/internal/studentt"
)

// StudentT is Student's t law with DF degrees of freedom, shifted by Mean and
// stretched by Scale, both in seconds:
//
//	φ(x) = −log10 P( T > (x − Mean)/Scale ),  T of Student's law
//
// It is to the [Gaussian] what is known of it after a few gaps: fitted to n gaps
// of a Gaussian whose mean and deviation nobody knows, it is the exact law of
// the next one. So φ keeps its promise from the third heartbeat on, where a
// Gaussian fitted to five gaps is mistaken 33 times as often as its 3 promises, and
// one fitted to thirty 3 times. The price is patience: its tail falls like x^−DF
// only. With a deviation of a tenth of the mean, φ = 8 is at 17 means after five
// gaps, 3 after ten, 1.6 after a hundred, as in the end with the Gaussian.
//
// A DF below 1, NaN included, counts as 1; +Inf is the Gaussian. A Scale of 0
// (or below, which counts as 0) puts all gaps at the mean: φ is 0 up to Mean
// and math.MaxFloat64 above it.
type StudentT struct {
	Mean  float64 // seconds
	Scale float64 // seconds
	DF    float64 // degrees of freedom, no unit
}

// Fit returns the predictive law of the Gaussian: with n gaps, of mean m and
// population standard deviation s,
//
//	Mean = m,  Scale = s·√((n+1)/(n−1)),  DF = n−1
//
// which is the usual (x − m)/(s'·√(1+1/n)) with s' the deviation by n−1. For n
// it takes the Weight of s, or the Count where that is 0. Fewer than 2 count as
// 2, since there is no such law for them.
func (StudentT) Fit(s Stats) Distribution { return fitStudentT(s.worth(), s.Mean, s.StdDev) }

func fitStudentT(n, mean, stdDev float64) StudentT {
	n = max(n, 2)
	return StudentT{Mean: mean, Scale: stdDev * math.Sqrt((n+1)/(n-1)), DF: n - 1}
}

// Phi returns −log10 P(X > x). It is computed as a log-survival over the whole
// range. The relative error for t = (x − Mean)/Scale is below 1e-14, for
// t < 0 below |ln φ|·1e-14, to which comes that of t. Most of it is on purpose: t
// is rounded to a grid on which φ does not fall.
//
// Special cases are:
//
//	Phi(-Inf) = 0
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (s StudentT) Phi(x float64) float64 {
	return studentt.Phi(s.DF, (x-s.Mean)/nonnegative(s.Scale))
}

// Quantile returns the x at which Phi(x) = phi, the inverse to the grid of Phi,
// 5e-14 of (x − Mean), for phi from 1e-300 up.
//
// Special cases are:
//
//	Quantile(phi) = -Inf for phi ≤ 0, or Mean where Scale is 0
//	Quantile(phi) = ±Inf where it would overflow
//	Quantile(+Inf) = +Inf
//	Quantile(NaN) = NaN
func (s StudentT) Quantile(phi float64) float64 {
	return Gaussian{s.Mean, s.Scale}.at(studentt.Quantile(s.DF, phi))
}
