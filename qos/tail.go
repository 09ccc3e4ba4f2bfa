package qos

import "math"

// A paretoTail is a generalised Pareto law for what exceeds a threshold:
//
//	P(X > x) = share (1 + shape (x − threshold)/scale)^(−1/shape)
//
// and share exp(−(x − threshold)/scale) where the shape is 0.
type paretoTail struct {
	share     float64 // P(X > threshold)
	threshold float64 // seconds
	scale     float64 // seconds
	shape     float64
}

// fitTail fits a tail to sorted samples, of which the upper exceed exceed it, by
// probability-weighted moments (Hosking and Wallis, Technometrics 29(3), 1987).
// The shape is kept from 0 to 0.9: a bounded tail is too good to be promised, and
// towards 1 the mean on which the method rests goes to infinity.
func fitTail(sorted []float64, exceed int) paretoTail {
	rest := len(sorted) - exceed
	t := paretoTail{share: float64(exceed) / float64(len(sorted)), threshold: sorted[rest-1]}
	var a0, a1 float64
	for i, x := range sorted[rest:] {
		y := (x - t.threshold) / float64(exceed)
		a0 += y
		a1 += y * (1 - (float64(i)+0.65)/float64(exceed))
	}
	// shape = 2 − a0/(a0 − 2a1), and the scale that keeps the mean excess a0.
	// a0 − 2a1 is not above 0 where large excesses are missing altogether.
	if d := a0 - 2*a1; d > 0 {
		t.shape = min(max(2-a0/d, 0), 0.9)
	}
	t.scale = a0 * (1 - t.shape)
	return t
}

// quantile returns the x, in seconds, that is exceeded with probability p ≤ share.
func (t paretoTail) quantile(p float64) float64 {
	l := math.Log(t.share / p)
	if t.shape == 0 {
		return t.threshold + t.scale*l
	}
	return t.threshold + t.scale*math.Expm1(t.shape*l)/t.shape
}
