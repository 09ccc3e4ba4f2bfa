package liveness

import (
	"math"

	"example.com/liveness/internal/grid"
	"example.com/liveness/internal/studentt"
)

// LogStudentT is the law of a gap whose natural logarithm, in ln seconds, is
// Student's t with DF degrees of freedom, shifted by Mu and stretched by Sigma:
//
//	φ(x) = −log10 P( T > (ln x − Mu)/Sigma ),  T of Student's law
//
// It is to the [LogNormal] what [StudentT] is to the Gaussian: the exact law of
// the next gap after n gaps of a log-normal law that nobody knows. φ grows with
// ln ln x only, so with few gaps it hardly convicts at all: after ten gaps whose
// logarithms deviate by 0.3, φ = 8 is at 430 medians. The median is e^Mu.
//
// A DF below 1, NaN included, counts as 1; +Inf is the LogNormal. A Sigma of 0
// (or below, which counts as 0) puts all gaps at the median.
type LogStudentT struct {
	Mu    float64 // ln seconds
	Sigma float64 // of ln X, no unit
	DF    float64 // degrees of freedom, no unit
}

// Fit returns the predictive law of the LogNormal: with n gaps whose logarithms
// have the mean m and the population standard deviation s,
//
//	Mu = m,  Sigma = s·√((n+1)/(n−1)),  DF = n−1
//
// with n as in [StudentT.Fit]. It takes m and s from LogMean and LogStdDev, and
// where both are 0 from Mean and StdDev as [LogNormal.Fit] does.
func (LogStudentT) Fit(s Stats) Distribution { return fitLogStudentT(s) }

func fitLogStudentT(s Stats) LogStudentT {
	mu, sigma := s.LogMean, s.LogStdDev
	if mu == 0 && sigma == 0 {
		l := fitLogNormal(s.Mean, s.StdDev)
		mu, sigma = l.Mu, l.Sigma
	}
	t := fitStudentT(s.worth(), mu, sigma)
	return LogStudentT{Mu: t.Mean, Sigma: t.Scale, DF: t.DF}
}

// Phi returns −log10 P(X > x). The error is that of [StudentT.Phi] at
// t = (ln x − Mu)/Sigma, to which comes that of t and 1e-14 of x.
//
// Special cases are:
//
//	Phi(x) = 0 for x ≤ 0
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (l LogStudentT) Phi(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	// Neighbours have the same logarithm, lest its rounding show on the grid of t.
	return studentt.Phi(l.DF, (math.Log(grid.Round(x, 6))-l.Mu)/nonnegative(l.Sigma))
}

// Quantile returns the x at which Phi(x) = phi, the inverse to the grid of Phi,
// 5e-14 of (ln x − Mu), for phi from 1e-300 up.
//
// Special cases are:
//
//	Quantile(phi) = 0 for phi ≤ 0, or the median where Sigma is 0
//	Quantile(phi) = +Inf where it would overflow
//	Quantile(NaN) = NaN
func (l LogStudentT) Quantile(phi float64) float64 {
	return LogNormal{l.Mu, l.Sigma}.at(studentt.Quantile(l.DF, phi))
}
