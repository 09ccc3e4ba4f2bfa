package liveness

import (
	"math"

	"example.com/liveness/internal/normal"
)

type kind uint8

const (
	gaussian kind = iota
	exponential
	logNormal
	logistic
	studentT
	logStudentT
	lomax
	shiftedExponential
	empirical
	foreign
)

// predictive reports whether the law depends on the number of gaps it was fitted to.
func (k kind) predictive() bool { return studentT <= k && k <= shiftedExponential }

// fewest is the number of gaps from which such a law exists.
func (k kind) fewest() float64 {
	switch k {
	case studentT, logStudentT, shiftedExponential:
		return 2
	case lomax:
		return 1
	}
	return 0
}

func kindOf(d Distribution) kind {
	switch d.(type) {
	case Gaussian, *Gaussian:
		return gaussian
	case Exponential, *Exponential:
		return exponential
	case LogNormal, *LogNormal:
		return logNormal
	case Logistic, *Logistic:
		return logistic
	case StudentT, *StudentT:
		return studentT
	case LogStudentT, *LogStudentT:
		return logStudentT
	case Lomax, *Lomax:
		return lomax
	case ShiftedExponential, *ShiftedExponential:
		return shiftedExponential
	case nil, Empirical, *Empirical:
		return empirical
	}
	return foreign
}

// fit returns the parameters of a law of this package that is not predictive.
func (k kind) fit(mean, stdDev float64) (a, b float64) {
	if k == logNormal {
		l := fitLogNormal(mean, stdDev)
		return l.Mu, l.Sigma
	}
	return mean, stdDev
}

// fitPredictive returns the parameters of a predictive law.
func (k kind) fitPredictive(s Stats) (a, b, c float64) {
	switch k {
	case studentT:
		l := fitStudentT(s.worth(), s.Mean, s.StdDev)
		return l.Mean, l.Scale, l.DF
	case logStudentT:
		l := fitLogStudentT(s)
		return l.Mu, l.Sigma, l.DF
	case lomax:
		l := fitLomax(s)
		return l.Shape, l.Scale, 0
	}
	l := fitShifted(s)
	return l.Least, l.Excess, l.Count
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
	return k.otherPhi(l, x)
}

// otherPhi is apart from phi so that the frequent laws do not pay for the others.
//
//go:noinline
func (k kind) otherPhi(l law, x float64) float64 {
	switch k {
	case logistic:
		return Logistic{l.a, l.b}.Phi(x)
	case studentT:
		return StudentT{l.a, l.b, l.c}.Phi(x)
	case logStudentT:
		return LogStudentT{l.a, l.b, l.c}.Phi(x)
	case lomax:
		return Lomax{l.a, l.b}.Phi(x)
	case shiftedExponential:
		return ShiftedExponential{l.a, l.b, l.c}.Phi(x)
	}
	return saturated((*l.other).Phi(x))
}

// unit returns the part of a quantile that a kind's members share, so that it
// can be computed once for a level: at(l, unit(level)) is the law's Quantile. Those
// with degrees of freedom share it only with members that have as many: Phi.at
// does for them what at does for the others.
func (k kind) unit(level float64) float64 {
	switch k {
	case gaussian, logNormal:
		return normal.Quantile(level)
	case exponential:
		return level * math.Ln10
	case logistic:
		return logisticQuantile(level)
	}
	return level
}

// outageUnits has the unit of outageLevel for each kind.
var outageUnits = func() (units [foreign + 1]float64) {
	for k := range units {
		units[k] = kind(k).unit(outageLevel)
	}
	return units
}()

// at returns the law's quantile for the unit of a level.
func (k kind) at(l law, unit float64) float64 {
	switch k {
	case gaussian, logistic:
		return Gaussian{l.a, l.b}.at(unit)
	case exponential:
		return Exponential{l.a}.at(unit)
	case logNormal:
		return LogNormal{l.a, l.b}.at(unit)
	case lomax:
		return Lomax{l.a, l.b}.Quantile(unit)
	case shiftedExponential:
		return ShiftedExponential{l.a, l.b, l.c}.Quantile(unit)
	}
	return (*l.other).Quantile(unit)
}
