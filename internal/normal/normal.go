// Package normal evaluates φ(z) = −log10 P(X > z) of the standard normal law
// and its inverse over the whole range of float64, without ever forming the
// probability where that would lose it.
package normal

//go:generate go run ./tablegen

import "math"

const (
	log10e     = 1 / math.Ln10
	invSqrt2Pi = 0.39894228040143267793994605993438187
	halfLn2Pi  = 0.91893853320467274178032973640561764
	phiAtZero  = math.Ln2 / math.Ln10
)

// Phi returns −log10 P(X > z) for X standard normal.
//
// Method: below −8 from the other tail, which is tiny there; from −8 to 16
// from a table of polynomials; above, from the asymptotic series of Mills'
// ratio in logarithms. The relative error is below 1.2e-15 (below −30, 2e-15),
// and the result never falls as z grows: in each interval the value is
// c₀ + u·q(u) with a step of u·q(u) from one z to the next that is larger than
// its rounding error.
//
// Special cases are:
//
//	Phi(z) = 0 for z < -37.5, where φ is below 2e-308 and float64 thins out
//	Phi(z) = math.MaxFloat64 where it would overflow, from 2.8e154 on
//	Phi(NaN) = 0
func Phi(z float64) float64 {
	// Rounding z to the grid of s near 0 costs 1e-15 and is what makes the steps large enough.
	if s := z - tableLow; s >= 0 && s < tableHigh-tableLow {
		i := int(s * tablePerUnit)
		u := s - (float64(i)+0.5)/tablePerUnit
		c := &table[i]
		// Estrin's scheme: shorter chains than Horner's.
		u2 := u * u
		u4 := u2 * u2
		q := (c[1] + c[2]*u) + (c[3]+c[4]*u)*u2 + ((c[5]+c[6]*u)+(c[7]+c[8]*u)*u2+c[9]*u4)*u4
		return c[0] + u*q
	}
	return phiOutside(z)
}

func phiOutside(z float64) float64 {
	if z > 0 {
		// z² may overflow where φ does not, and 1/z² is then 0 as it should be.
		return min(z*(0.5*log10e)*z+(math.Log(z)+halfLn2Pi+mills(1/(z*z)))*log10e, math.MaxFloat64)
	}
	if z >= lowest && z < 0 {
		q := lowerTail(z)
		return q * log10e * (1 + 0.5*q)
	}
	return 0
}

// mills returns −ln(z·P(X > z)/pdf(z)) for y = 1/z² ≤ 1/256. The coefficient of
// yⁿ is (−1)ⁿ⁻¹ a(n)/n with a(n) of OEIS A004208; the first one left out is
// below 1e-15 of φ.
func mills(y float64) float64 {
	return y * (1 - y*(5./2-y*(37./3-y*(353./4-y*(4081./5-y*(55205./6-y*(854197./7-y*(14876033./8-y*(288018721./9)))))))))
}

// lowerTail returns P(X < z) for lowest ≤ z < −8, as pdf(z) times Mills' ratio.
// The rounding of z²/2 would be magnified by the exponential; e takes it out.
func lowerTail(z float64) float64 {
	zz := z * z
	e := math.FMA(z, z, -zz)
	u := 1/zz - millsFrom
	c := &millsTable
	u2 := u * u
	u4 := u2 * u2
	m := (c[0] + c[1]*u) + (c[2]+c[3]*u)*u2 + ((c[4]+c[5]*u)+(c[6]+c[7]*u)*u2+((c[8]+c[9]*u)+c[10]*u2)*u4)*u4
	return math.Exp(-0.5*zz) * (invSqrt2Pi - invSqrt2Pi*0.5*e) * (m / -z)
}

// Quantile returns the z at which Phi(z) = phi, to rounding.
//
// Method: Halley's steps on Phi for z ≥ 0, where it is convex and nearly a
// parabola; below the median by symmetry from the tail of the other side.
//
// Special cases are:
//
//	Quantile(phi) = -Inf for phi ≤ 0
//	Quantile(+Inf) = +Inf
//	Quantile(NaN) = NaN
func Quantile(phi float64) float64 {
	switch {
	case math.IsNaN(phi) || math.IsInf(phi, 1):
		return phi
	case phi <= 0:
		return math.Inf(-1)
	case phi < phiAtZero:
		// P(X < z) = 1 − 10^−φ is the survival at −z.
		p := -math.Expm1(-phi * math.Ln10)
		return -upperQuantile(-math.Log10(p))
	}
	return upperQuantile(phi)
}

// upperQuantile is Quantile for phi at or above the median's.
func upperQuantile(phi float64) float64 {
	t := 2 * math.Ln10 * phi
	if t > 1e200 { // the logarithms are far below rounding, and z² would overflow
		return math.Sqrt(2*math.Ln10) * math.Sqrt(phi)
	}
	// From z²/2 + ln(z√2π) ≈ φ ln 10, good far out and close enough near 0.
	z := math.Sqrt(max(t-math.Log(2*math.Pi*max(t, 1)), 0))
	for range 8 {
		h := Hazard(z)
		step := (Phi(z) - phi) * math.Ln10 / h
		// Halley's correction: φ'' = φ'·(h − z).
		step /= 1 - 0.5*step*(h-z)
		z = max(z-step, 0)
		if math.Abs(step) <= 1e-6*z { // its cube is below rounding
			break
		}
	}
	return z
}

// Hazard returns pdf(z)/P(X > z) for z ≥ 0, which is dφ/dz · ln 10, with a
// relative error below 1e-11.
func Hazard(z float64) float64 {
	if z > tableHigh {
		y := 1 / (z * z)
		return z * (1 + y*(1-y*(2-y*(10-y*(74-y*(706-y*8162))))))
	}
	return invSqrt2Pi * math.Exp(Phi(z)*math.Ln10-0.5*z*z)
}
