package liveness

import "math"

// Logistic is the approximation that Akka, Pekko and Hazelcast compute in place
// of the [Gaussian] with the same mean and standard deviation, with a cubic in
// the exponent of a logistic law:
//
//	φ(x) = log10(1 + e^(z·(1.5976 + 0.070566·z²))),  z = (x − Mean)/StdDev
//
// (akka.remote.PhiAccrualFailureDetector.) It is here for thresholds and tests
// that come from there. Up to z = 2 it is within 0.001 of the Gaussian's φ;
// above 3 it is too large, as by 1.8 at z = 6, so a process is suspected sooner
// than its threshold says: see [AkkaPhi].
//
// A standard deviation of 0 (or below, which counts as 0) puts all gaps at the
// mean: φ is 0 up to Mean and math.MaxFloat64 above it.
type Logistic struct {
	Mean   float64 // seconds
	StdDev float64 // seconds
}

// The cubic is logisticA·z + logisticB·z³.
const logisticA, logisticB = 1.5976, 0.070566

// Fit returns the Logistic with the mean and standard deviation of s.
func (Logistic) Fit(s Stats) Distribution { return Logistic{s.Mean, s.StdDev} }

// Phi returns −log10 P(X > x). Where Akka's own code overflows to +Inf, from
// z = 21.6 on, this does not. The relative error for z is below 4e-15
// where φ is above 1e-4, and below |log10 φ|·1e-15 elsewhere, because the
// exponent is rounded.
//
// Special cases are:
//
//	Phi(x) = 0 for z < -21, where it is below 1e-308
//	Phi(x) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func (l Logistic) Phi(x float64) float64 {
	z := (x - l.Mean) / nonnegative(l.StdDev)
	// Each operation keeps the order of its operands, so the exponent never falls.
	return saturated(softplus(z*(logisticA+logisticB*(z*z))) * (1 / math.Ln10))
}

// Quantile returns the x at which Phi(x) = phi, the inverse to rounding for
// phi from 1e-300 up.
//
// Special cases are:
//
//	Quantile(phi) = -Inf for phi ≤ 0, or Mean where StdDev is 0
//	Quantile(+Inf) = +Inf
//	Quantile(NaN) = NaN
func (l Logistic) Quantile(phi float64) float64 {
	return Gaussian(l).at(logisticQuantile(phi))
}

// AkkaPhi returns the φ of a [Gaussian] at the silence after which Akka, Pekko
// and Hazelcast reach the given threshold: their 8 is 7.06. A [Phi] with that
// Threshold acts when they do, as far as the rest is configured alike. For a
// threshold of 0 or below, and NaN, it is 0.
func AkkaPhi(threshold float64) float64 {
	return Gaussian{StdDev: 1}.Phi(logisticQuantile(threshold))
}

// expGrid added and taken away rounds what is between −8 and 8 to a multiple of
// 2⁻⁴⁸, as far apart as float64 from 16 to 32 are: from one to the next, e^w gains
// more than the errors of Exp and Log1p.
const expGrid = 24

// softplus returns ln(1 + e^w). It never falls as w grows.
func softplus(w float64) float64 {
	if math.Abs(w) < 8 {
		w = (w + expGrid) - expGrid
	}
	if w > 0 {
		return w + math.Log1p(math.Exp(-w))
	}
	return math.Log1p(math.Exp(w))
}

// logisticQuantile returns the z at which a standard Logistic reaches phi.
func logisticQuantile(phi float64) float64 {
	switch {
	case math.IsNaN(phi) || math.IsInf(phi, 1):
		return phi
	case phi <= 0:
		return math.Inf(-1)
	case phi > 1e300: // the linear term is far below rounding, and the cube might overflow
		return math.Cbrt(math.Ln10/logisticB) * math.Cbrt(phi)
	}
	t := phi * math.Ln10
	w := t + math.Log1p(-math.Exp(-t))
	if t < 1 {
		w = math.Log(math.Expm1(t))
	}
	// Cardano's formula for one real root, then Newton's step for its rounding.
	const scale = 3 / logisticA / 2
	z := 2 * math.Sqrt(logisticA/(3*logisticB)) * math.Sinh(math.Asinh(w*scale*math.Sqrt(3*logisticB/logisticA))/3)
	return z - (z*(logisticA+logisticB*(z*z))-w)/(logisticA+3*logisticB*(z*z))
}
