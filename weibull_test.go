package liveness_test

import (
	"math"

	"example.com/liveness"
)

// weibull is a law from outside the package: P(X > x) = e^−(x/scale)², shape 2.
type weibull struct{ scale float64 }

func (weibull) Fit(s liveness.Stats) liveness.Distribution {
	return &weibull{scale: s.Mean / math.Gamma(1.5)}
}

func (w weibull) Phi(x float64) float64 {
	if x <= 0 {
		return 0
	}
	r := x / w.scale
	return min(r*r/math.Ln10, math.MaxFloat64)
}

func (w weibull) Quantile(phi float64) float64 {
	return w.scale * math.Sqrt(phi*math.Ln10)
}
