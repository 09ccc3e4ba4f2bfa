package liveness

import (
	"math"

	"example.com/liveness/internal/tiers"
)

// defaultJitter is the jitter of a Phi whose floors are those by default.
const defaultJitter = 0.01

// jitterFrom is the φ of the median, from which the floors count.
var jitterFrom = math.Log10(2)

// ratios are what a Phi has learnt for an Empirical law, and its floors. A
// Gaussian stands for it until it is ready.
type ratios struct {
	*tiers.Law
	minStdDev, minRel float64 // as in Phi
	// jitter is the most, in units of the median, that the absolute floor is
	// below the evidence.
	jitter float64
}

// learn takes in a gap, less the pause, and how much of it is learnt. anew says
// that gaps have another length from now on.
func (r *ratios) learn(gap, most int64, anew bool) {
	// At its end a gap had reached the level of the nanosecond before: a
	// heartbeat at its deadline is no mistake.
	r.Law.Learn(float64(max(gap-1, 0)), float64(most), anew)
}

// phi returns the level after a silence in nanoseconds, with young for the law
// until this one is ready.
func (r *ratios) phi(young Gaussian, silence int64) float64 {
	seconds := float64(silence) / nanos
	if !r.Ready() {
		return young.Phi(seconds)
	}
	phi, beyond := r.Law.Phi(float64(silence))
	if phi > jitterFrom {
		median := r.median()
		phi = bounded(phi, jitterFrom, r.near(median), seconds)
		if beyond {
			phi = bounded(phi, r.Evidence(), r.far(median), seconds)
		}
	}
	return phi
}

// bounded returns phi, but where it is above from, not more than the bound says at x.
func bounded(phi, from float64, bound Gaussian, x float64) float64 {
	if phi <= from {
		return phi
	}
	// P(Z > z) < e^(−z²/2) for z > 0, which saves the bound where it is far.
	if z := x - bound.Mean; z > 0 && z*z > 2*math.Ln10*phi*(bound.StdDev*bound.StdDev) {
		return phi
	}
	return max(from, min(phi, bound.Phi(x)))
}

// quantile is the inverse of phi, in seconds.
func (r *ratios) quantile(young Gaussian, phi float64) float64 {
	if !r.Ready() {
		return young.Quantile(phi)
	}
	x := r.Law.Quantile(phi) / nanos
	median := r.median()
	if phi > jitterFrom {
		x = max(x, r.near(median).Quantile(phi))
	}
	if phi > r.Evidence() {
		x = max(x, r.far(median).Quantile(phi))
	}
	return x
}

// median returns the median gap in seconds.
func (r *ratios) median() float64 { return r.Median() / nanos }

// near is the floor that counts from the median on.
func (r *ratios) near(median float64) Gaussian {
	return Gaussian{median, min(r.minStdDev, r.jitter*median)}
}

// far is the floor that counts beyond the evidence.
func (r *ratios) far(median float64) Gaussian {
	return Gaussian{median, max(r.minStdDev, r.minRel*median)}
}
