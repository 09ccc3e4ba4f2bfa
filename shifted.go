package liveness

import (
	"math"

	"example.com/liveness/internal/grid"
)

// ShiftedExponential is the law of a gap that has a least length and exceeds it
// by an exponential time, as known after n = Count gaps, of which the shortest
// was Least and which exceeded that by Excess in the mean:
//
//	φ(x) = log10(1 + 1/n) + (n−1)·log10(1 + (x − Least)/(n·Excess))  for x ≥ Least
//
// It is natural for heartbeats that are sent on time and delayed at random:
// fitted to n gaps of such a law, whatever its two parameters, it is the exact law
// of the next gap, from the third heartbeat on. The next gap may be shorter than
// the n before it, with probability 1/(n+1), so below Least
//
//	P(X ≤ x) = (1 + (Least − x)/Excess)^−(n−1) / (n+1)
//
// With a Count of +Inf it is the law with known parameters: φ is 0 up to Least,
// and that of an [Exponential] with the mean Excess beyond it.
//
// A Count below 2, NaN included, counts as 2. An Excess of 0 (or below, which
// counts as 0) puts all gaps at Least.
type ShiftedExponential struct {
	Least  float64 // seconds
	Excess float64 // seconds
	Count  float64 // gaps, no unit
}

// Fit returns the ShiftedExponential with the Least of s, the Mean less that as
// Excess, and the Weight of s, or its Count where that is 0, as Count. Where
// Least is 0 it is not known, and one standard deviation below the mean is taken
// for it, which is where the moments of such a law have it.
func (ShiftedExponential) Fit(s Stats) Distribution { return fitShifted(s) }

func fitShifted(s Stats) ShiftedExponential {
	least := s.Least
	if least == 0 {
		least = max(s.Mean-s.StdDev, 0)
	}
	return ShiftedExponential{Least: least, Excess: s.Mean - least, Count: max(s.worth(), 2)}
}

// Phi returns −log10 P(X > x), with a relative error below 6e-14 beyond Least,
// and below 4e-13 before it. Most of it is on purpose: the argument is rounded
// to a grid on which φ does not fall.
//
// Special cases are:
//
//	Phi(-Inf) = 0
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (s ShiftedExponential) Phi(x float64) float64 {
	n, excess, beyond := s.count(), nonnegative(s.Excess), x-s.Least
	if math.IsInf(n, 1) {
		return Exponential{excess}.Phi(beyond)
	}
	if beyond >= 0 {
		return saturated(phiAtLeast(n) + (n-1)*grid.Log1p(beyond/(n*excess))*(1/math.Ln10))
	}
	e := (n - 1) * grid.Log1p(-beyond/excess)
	if e < 8 {
		e = (e + expGrid) - expGrid
	}
	return saturated(-math.Log1p(-math.Exp(-e)/(n+1)) * (1 / math.Ln10))
}

// Quantile returns the x at which Phi(x) = phi, the inverse to the grid of Phi,
// 2e-13 of (x − Least), for phi from 1e-300 up.
//
// Special cases are:
//
//	Quantile(phi) = -Inf for phi ≤ 0, or Least where Excess is 0 or Count +Inf
//	Quantile(phi) = ±Inf where it would overflow
//	Quantile(NaN) = NaN
func (s ShiftedExponential) Quantile(phi float64) float64 {
	n := s.count()
	if math.IsInf(n, 1) {
		return s.Least + Exponential{s.Excess}.Quantile(phi)
	}
	return Gaussian{s.Least, s.Excess}.at(shiftedQuantile(n, phi))
}

// shiftedQuantile is the quantile of the law with Least 0 and Excess 1.
func shiftedQuantile(n, phi float64) float64 {
	switch {
	case phi <= 0:
		return math.Inf(-1)
	case phi < phiAtLeast(n):
		p := -math.Expm1(-phi * math.Ln10)
		return -math.Expm1(-math.Log((n+1)*p) / (n - 1))
	}
	return n * math.Expm1((phi-phiAtLeast(n))*math.Ln10/(n-1))
}

func (s ShiftedExponential) count() float64 {
	if s.Count >= 2 {
		return s.Count
	}
	return 2
}

// phiAtLeast is φ at Least: −log10 of the probability that the next gap is not
// the shortest. Both sides of Least meet in it to the bit.
func phiAtLeast(n float64) float64 { return -math.Log1p(-1/(n+1)) * (1 / math.Ln10) }
