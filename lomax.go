package liveness

import (
	"math"

	"example.com/liveness/internal/grid"
)

// Lomax is the law of Lomax, Pareto's shifted to begin at 0:
//
//	φ(x) = Shape · log10(1 + x/Scale)
//
// It is to the [Exponential] what is known of it after a few gaps: fitted to n
// gaps of an Exponential whose mean nobody knows, it is the exact law of the next
// one. So φ keeps its promise from the first gap on. φ = 8 is at 53 means after ten
// gaps, 20.2 after a hundred, 18.6 after a thousand, and 18.4 in the end.
//
// A Shape of 0 (or below, or NaN, which count as 0) makes φ 0 everywhere. A Scale
// of 0 (or below, which counts as 0) puts all gaps at 0.
type Lomax struct {
	Shape float64 // no unit
	Scale float64 // seconds
}

// Fit returns the predictive law of the Exponential: with n gaps of mean m,
//
//	Shape = n,  Scale = n·m
//
// For n it takes the Weight of s, or the Count where that is 0. Fewer than 1
// count as 1.
func (Lomax) Fit(s Stats) Distribution { return fitLomax(s) }

func fitLomax(s Stats) Lomax {
	n := max(s.worth(), 1)
	return Lomax{Shape: n, Scale: n * s.Mean}
}

// Phi returns −log10 P(X > x), with a relative error below 6e-14. Most of it is
// on purpose: x/Scale is rounded to a grid on which φ does not fall.
//
// Special cases are:
//
//	Phi(x) = 0 for x ≤ 0
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (l Lomax) Phi(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return saturated(nonnegative(l.Shape) * grid.Log1p(x/nonnegative(l.Scale)) * (1 / math.Ln10))
}

// Quantile returns Scale·(10^(phi/Shape) − 1).
//
// Special cases are:
//
//	Quantile(phi) = 0 for phi ≤ 0
//	Quantile(phi) = +Inf where it would overflow, or Shape is 0
//	Quantile(NaN) = NaN
func (l Lomax) Quantile(phi float64) float64 {
	if phi <= 0 {
		return 0
	}
	return Exponential{l.Scale}.at(math.Expm1(phi * math.Ln10 / nonnegative(l.Shape)))
}
