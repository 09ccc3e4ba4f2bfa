// Package studentt evaluates φ(t) = −log10 P(T > t) of Student's t law with any
// number of degrees of freedom from 1 up, and its inverse, without ever forming
// the probability where that would lose it.
//
// With a = ν/2, c = a − ¼ and L = ln(1 + t²/ν), for t ≥ 0,
//
//	P(T > t) = ½ I(ν/(ν+t²); a, ½) = 1/(2·B(a, ½)) ∫ from L to ∞ of e^(−cu)·(2 sinh(u/2))^(−½) du
//
// which is a normal tail with a correction where L is small (Temme; DiDonato and
// Morris, ACM TOMS 18, 1992, algorithm 708), and a fast series where it is not.
package studentt

import (
	"math"

	"example.com/liveness/internal/grid"
	"example.com/liveness/internal/normal"
)

const (
	// bodyBound is the t²/ν up to which the correction of the normal tail converges.
	bodyBound = 0.65
	// leastC is the c from which its terms, and those of δ, fall below rounding.
	leastC    = 16
	invSqrtPi = 0.56418958354775628694807945156077259
	log10e    = 1 / math.Ln10
	phiAtZero = math.Ln2 / math.Ln10
)

// Phi returns −log10 P(T > t) for T of Student's law with nu degrees of freedom.
// A nu below 1, NaN included, counts as 1; +Inf is the normal law.
//
// The relative error is below 1e-14, and below |ln φ|·1e-14 for t < 0. The result
// never falls as t grows, because φ is evaluated at points of a grid only, which
// are so far apart that it gains more from one to the next than the error of its
// evaluation. In the body, t is rounded to the nearest of them; beyond, φ is
// interpolated.
//
// Special cases are:
//
//	Phi(-Inf) = 0
//	Phi(t) = math.MaxFloat64 where it would overflow, +Inf included
//	Phi(NaN) = 0
func Phi(nu, t float64) float64 {
	if nu > math.MaxFloat64 {
		return normal.Phi(t)
	}
	tail := steadyLogTail(degrees(nu), math.Abs(t))
	switch {
	case t >= 0:
		return min(max(tail*log10e, phiAtZero), math.MaxFloat64)
	case t < 0:
		// The steps of the exponential have to be larger than its errors, too.
		tail = grid.Round(tail, 4)
		return min(-math.Log1p(-math.Exp(-tail))*log10e, phiAtZero)
	}
	return 0
}

func degrees(nu float64) float64 {
	if nu >= 1 {
		return nu
	}
	return 1
}

// steadyLogTail is logTail, but never falls.
func steadyLogTail(nu, t float64) float64 {
	// The grid has 47 bits, with a step of 2⁻⁴⁷ below 1; in the tail 44, and far
	// out, where φ grows with ln t only, 40. The seams are on all of them.
	const coarse, coarser = 8, 12
	edge := grid.Round(math.Sqrt(bodyBound*nu), coarser)
	if t < edge {
		if t < 1 {
			const absolute = 3 << 4 // float64 from 32 to 64 are 2⁻⁴⁷ apart
			t = (t + absolute) - absolute
		} else {
			t = grid.Round(t, 5)
		}
		if t < edge {
			r := t / math.Sqrt(nu)
			return body(nu, t, r*r)
		}
	}
	drop := coarse
	if t >= grid.Round((1<<14)*math.Sqrt(nu), coarser) {
		drop = coarser
	}
	bits := math.Float64bits(t) >> drop
	low, high := math.Float64frombits(bits<<drop), math.Float64frombits((bits+1)<<drop)
	a, b := tail(nu, low), tail(nu, high)
	if !(b > a && b <= math.MaxFloat64) { // as at both ends of the range of float64
		return a
	}
	return a + (t-low)/(high-low)*(b-a)
}

// logTail returns −ln P(T > t) for t ≥ 0.
func logTail(nu, t float64) float64 {
	r := t / math.Sqrt(nu)
	if r2 := r * r; r2 < bodyBound {
		return body(nu, t, r2)
	}
	return tail(nu, t)
}

// tail is logTail for t²/ν from bodyBound on.
func tail(nu, t float64) float64 {
	r := t / math.Sqrt(nu)
	l, root := log1pSquare(r), 1.0 // root is √(t²/(ν+t²))
	if r < 1e9 {
		root = r / math.Sqrt(1+r*r)
	}
	a := 0.5 * nu
	// I = x^a·√(1−x)·Σ, with all terms above 0.
	x, sum, term := math.Exp(-l), 1.0, 1.0
	for k := a; term > 1e-17*sum; k++ {
		term *= (k + 0.5) / (k + 1) * x
		sum += term
	}
	return a*l - math.Log(0.5*invSqrtPi*gammaRatio(a)*root*sum)
}

// log1pSquare returns ln(1 + r²).
func log1pSquare(r float64) float64 {
	if r < 1e9 {
		return math.Log1p(r * r)
	}
	return 2 * math.Log(r)
}

// gammaRatio returns Γ(a+½)/Γ(a+1).
func gammaRatio(a float64) float64 {
	shift := 1.0
	for ; a < leastC+0.25; a++ {
		shift *= (a + 1) / (a + 0.5)
	}
	c := a - 0.25
	return shift * math.Exp(delta(c)) * math.Sqrt(c) / a
}

// delta returns ln( Γ(c+¾)/(Γ(c+¼)·√c) ) for c ≥ leastC. The coefficient of c⁻ⁿ
// is −2·B(n+1)(¾)/(n(n+1)), with Bernoulli's polynomials.
func delta(c float64) float64 {
	y := 1 / (c * c)
	return y * (1./64 + y*(-5./2048+y*(61./49152+y*(-1385./1048576+y*(50521./20971520)))))
}

// body is logTail for r2 = t²/ν below bodyBound. For small ν it begins with as
// many terms of the series of tail, all above 0, as lead to a c large enough.
func body(nu, t, r2 float64) float64 {
	l, perSquare := math.Log1p(r2), 1.0 // L/(t²/ν), without underflow
	if r2 > 1e-17 {
		perSquare = l / r2
	}
	a := 0.5 * nu
	terms := max(math.Ceil(leastC+0.25-a), 0)
	c := a + terms - 0.25
	z := t * math.Sqrt(2*c/nu*perSquare)
	rest := normal.Phi(z)*math.Ln10 - delta(c) - math.Log1p(correction(c, l, z))
	if terms == 0 {
		return rest
	}
	x := 1 / (1 + r2)
	ratio, sum := gammaRatio(a+terms), 0.0
	for n := terms - 1; n >= 0; n-- {
		k := a + n
		ratio *= (k + 1) / (k + 0.5)
		sum = sum*x + ratio
	}
	return -math.Log(math.Exp(-rest) + 0.5*invSqrtPi*math.Sqrt(r2*x)*math.Exp(-a*l)*sum)
}

// correction returns Σ d(k)·J(2k)/J(0) over k ≥ 1, with J(m) the integral from l
// to ∞ of u^(m−½)·e^(−cu) du, z = √(2cl), and d(k) the coefficients of
// (2 sinh(u/2)/u)^(−½) in powers of u². By parts,
//
//	J(m)/J(0) = l^(m−1)·z·h(z)/2c + (m−½)/c·J(m−1)/J(0)
//
// with h the hazard of the normal law.
func correction(c, l, z float64) float64 {
	inv := 1 / c
	edge, q, sum := 0.5*z*normal.Hazard(z)*inv, 1.0, 0.0
	m := 0.5
	for _, d := range coefficients {
		q = edge + m*inv*q
		edge *= l
		m++
		q = edge + m*inv*q
		edge *= l
		m++
		sum += d * q
	}
	return sum
}

var coefficients = [...]float64{
	-1. / 48, 1. / 2560, -61. / 7741440, 1261. / 7431782400, -79. / 20761804800,
	66643. / 761775532277760, -16820653. / 8227175748599808000,
}

// Quantile returns the t at which Phi(nu, t) = phi, the inverse to the grid of Phi.
//
// Special cases are:
//
//	Quantile(phi) = -Inf for phi ≤ 0
//	Quantile(phi) = ±Inf where it would overflow
//	Quantile(NaN) = NaN
func Quantile(nu, phi float64) float64 {
	switch {
	case math.IsNaN(phi) || math.IsInf(phi, 1):
		return phi
	case phi <= 0:
		return math.Inf(-1)
	case nu > math.MaxFloat64:
		return normal.Quantile(phi)
	}
	nu = degrees(nu)
	target := phi * math.Ln10
	if target < math.Ln2 {
		// P(T < t) = 1 − 10^−φ is the survival at −t.
		return -upperQuantile(nu, -math.Log(-math.Expm1(-target)))
	}
	return upperQuantile(nu, target)
}

// upperQuantile returns the t ≥ 0 at which logTail is target, by Newton's steps
// in ln t, in which logTail becomes linear, or in t near 0, within a bracket.
func upperQuantile(nu, target float64) float64 {
	if !(target > math.Ln2) {
		return 0
	}
	a := 0.5 * nu
	ratio := gammaRatio(a)
	// Far out the sum and the root in logTail are 1.
	far := (target + math.Log(0.5*invSqrtPi*ratio)) / a
	if far > 40 {
		return math.Sqrt(nu) * math.Exp(0.5*far)
	}
	// Elsewhere, begin with the normal tail without its correction.
	z := normal.Quantile(target * log10e)
	l := z * z / (2*a - 0.5)
	if l > 2 {
		l = max(far, 0.5)
	}
	t := math.Sqrt(nu) * math.Sqrt(math.Expm1(l))
	low, high := 0.0, math.Inf(1)
	for range 100 {
		value := logTail(nu, t)
		miss := target - value
		if miss > 0 {
			low = t
		} else {
			high = t
		}
		r := t / math.Sqrt(nu)
		hazard := a * ratio * invSqrtPi / math.Sqrt(nu) * math.Exp(value-(a+0.5)*log1pSquare(r))
		next := t + miss/hazard
		if t > 1 {
			next = t * math.Exp(miss/(t*hazard))
		}
		step := math.Abs(next - t)
		if step <= 1e-8*t { // its square is below rounding
			return next
		}
		if !(next > low && next < high) {
			next = 0.5 * (low + min(high, 4*t+1))
		}
		t = next
	}
	return t
}
