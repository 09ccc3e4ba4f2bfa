package liveness

import (
	"math"

	"example.com/liveness/internal/normal"
)

// law is a fitted Distribution. The laws of this package are kept as their two
// parameters, in the order of the exported type's fields, so that fitting
// allocates nothing; any other is called through its interface.
type law struct {
	a, b  float64
	other Distribution
}

type kind uint8

const (
	gaussian kind = iota
	exponential
	logNormal
	foreign
)

func kindOf(d Distribution) kind {
	switch d.(type) {
	case nil, Gaussian, *Gaussian:
		return gaussian
	case Exponential, *Exponential:
		return exponential
	case LogNormal, *LogNormal:
		return logNormal
	}
	return foreign
}

// fit returns the parameters of a law of this package.
func (k kind) fit(s Stats) (a, b float64) {
	if k == logNormal {
		l := fitLogNormal(s)
		return l.Mu, l.Sigma
	}
	return s.Mean, s.StdDev
}

// phi is the law's Phi, made a level whatever a foreign one answers.
func (k kind) phi(l law, x float64) float64 {
	switch k {
	case gaussian:
		return Gaussian{l.a, l.b}.Phi(x)
	case exponential:
		return Exponential{l.a}.Phi(x)
	case logNormal:
		return LogNormal{l.a, l.b}.Phi(x)
	}
	return saturated(l.other.Phi(x))
}

// unit returns the part of a quantile that a kind's members share, so that it
// can be computed once for a level: at(l, unit(level)) is the law's Quantile.
func (k kind) unit(level float64) float64 {
	switch k {
	case gaussian, logNormal:
		return normal.Quantile(level)
	case exponential:
		return level * math.Ln10
	}
	return level
}

// outageUnits has the unit of outageLevel for each kind.
var outageUnits = [...]float64{
	gaussian:    gaussian.unit(outageLevel),
	exponential: exponential.unit(outageLevel),
	logNormal:   logNormal.unit(outageLevel),
	foreign:     foreign.unit(outageLevel),
}

func (k kind) at(l law, unit float64) float64 {
	switch k {
	case gaussian:
		return Gaussian{l.a, l.b}.at(unit)
	case exponential:
		return Exponential{l.a}.at(unit)
	case logNormal:
		return LogNormal{l.a, l.b}.at(unit)
	}
	return l.other.Quantile(unit)
}
