// Package bignormal evaluates the log-survival of the standard normal law
// with math/big, slowly and to any precision. It makes the table of package
// normal and is the oracle of its tests; nothing imports it at run time.
package bignormal

import (
	"math"
	"math/big"
)

// Prec is the working precision in bits. At |z| = 40 a tail is 2^-1160 and is
// found by subtraction, so Prec leaves more than 300 bits.
const Prec = 1536

func num(x float64) *big.Float { return new(big.Float).SetPrec(Prec).SetFloat64(x) }
func zero() *big.Float         { return new(big.Float).SetPrec(Prec) }

// Phi returns −log10 P(X > z) for X standard normal and −40 ≤ z ≤ 40.
func Phi(z *big.Float) *big.Float {
	phi := ln(survival(z, pdf(z)))
	phi.Quo(phi, ln(num(10)))
	return phi.Neg(phi)
}

// Mills returns Mills' ratio P(X > z)/pdf(z) for −40 ≤ z ≤ 40.
func Mills(z *big.Float) *big.Float {
	p := pdf(z)
	return zero().Quo(survival(z, p), p)
}

func pdf(z *big.Float) *big.Float {
	p := exp(zero().Quo(zero().Mul(z, z), num(-2)))
	return p.Quo(p, zero().Sqrt(zero().Mul(num(2), pi())))
}

// survival returns P(X > z) = 1/2 − pdf(z) · (z + z³/3 + z⁵/(3·5) + …); the terms are of one sign.
func survival(z, pdf *big.Float) *big.Float {
	zz := zero().Mul(z, z)
	term := zero().Set(z)
	sum := zero().Set(z)
	for n := 3.0; ; n += 2 {
		term.Mul(term, zz)
		term.Quo(term, num(n))
		if term.Sign() == 0 || term.MantExp(nil) < sum.MantExp(nil)-Prec {
			break
		}
		sum.Add(sum, term)
	}
	return zero().Sub(num(0.5), sum.Mul(sum, pdf))
}

// exp returns e^x.
func exp(x *big.Float) *big.Float {
	const halvings = 32
	r := zero().SetMantExp(x, -halvings)
	sum, term := num(1), num(1)
	for n := 1.0; ; n++ {
		term.Mul(term, r)
		term.Quo(term, num(n))
		if term.Sign() == 0 || term.MantExp(nil) < -Prec-halvings {
			break
		}
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	return sum
}

// ln returns the natural logarithm of x > 0, by Halley steps on e^y = x.
func ln(x *big.Float) *big.Float {
	mant := new(big.Float)
	exponent := x.MantExp(mant)
	m, _ := mant.Float64()
	y := num(math.Log(m) + float64(exponent)*math.Ln2)
	for range 6 {
		e := exp(y)
		step := zero().Sub(x, e)
		step.Mul(step, num(2))
		step.Quo(step, zero().Add(x, e))
		y.Add(y, step)
	}
	return y
}

// pi returns π by Machin's formula, 16 atan(1/5) − 4 atan(1/239).
func pi() *big.Float {
	a := zero().Mul(num(16), atanInv(5))
	return a.Sub(a, zero().Mul(num(4), atanInv(239)))
}

func atanInv(n float64) *big.Float {
	power := zero().Quo(num(1), num(n))
	sum := zero().Set(power)
	nn := num(n * n)
	for k := 3.0; ; k += 2 {
		power.Quo(power, nn)
		power.Neg(power)
		term := zero().Quo(power, num(k))
		if term.MantExp(nil) < -Prec {
			return sum
		}
		sum.Add(sum, term)
	}
}
