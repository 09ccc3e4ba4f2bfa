package livenesstest

import (
	"errors"
	"math"

	"example.com/liveness"
)

// TestDistribution checks the contract of [liveness.Distribution] on members
// fitted to many combinations of mean, standard deviation and number of gaps:
//
//   - Phi is finite, not NaN and not below 0 for every finite x; it never falls
//     from one float64 to the next, and goes on growing far out;
//   - Quantile is the inverse of Phi to 1e-12 of x or of the mean, whichever is
//     larger, and never falls by more than that;
//   - the median of the fitted law is above 0 and below the mean plus two
//     standard deviations of the gaps;
//   - Fit leaves its receiver alone, and all may be called concurrently.
func TestDistribution(family liveness.Distribution) error {
	if family == nil {
		return errors.New("livenesstest: family is nil, want a law")
	}
	var r report
	for _, mean := range []float64{1e-6, 1e-3, 0.1, 1, 30, 86400} {
		for _, spread := range []float64{0.001, 0.05, 0.25, 1, 3} {
			for _, count := range []int{3, 1000} {
				s := learnt(count, mean, spread)
				r.run("Phi", func(r *report) { levels(r, family.Fit(s), s) })
				r.run("Quantile", func(r *report) { quantiles(r, family.Fit(s), s) })
			}
		}
	}
	r.run("Fit", func(r *report) { fitting(r, family) })
	return r.err()
}

// learnt returns statistics of gaps that are as uneven as spread says, which is
// their standard deviation as a share of the mean.
func learnt(count int, mean, spread float64) liveness.Stats {
	// The logarithms are those of log-normal gaps, and the least lies three of
	// their deviations down.
	s := liveness.Stats{Count: count, Weight: float64(count), Mean: mean, StdDev: mean * spread}
	variance := math.Log1p(spread * spread)
	s.LogMean, s.LogStdDev = math.Log(mean)-variance/2, math.Sqrt(variance)
	s.Least = math.Exp(s.LogMean - 3*s.LogStdDev)
	return s
}

func levels(r *report, law liveness.Distribution, s liveness.Stats) {
	xs := []float64{-math.MaxFloat64, -1e9, -s.Mean, -1e-300, 0, math.SmallestNonzeroFloat64, 1e-300}
	for x := s.Mean * 1e-3; x < s.Mean*1e12; x *= 1.07 {
		// A few neighbours each: rounding must not make the level fall.
		for range 4 {
			xs = append(xs, x)
			x = math.Nextafter(x, math.Inf(1))
		}
	}
	xs = append(xs, 1e100, 1e200, math.MaxFloat64)
	last := 0.0
	for i, x := range xs {
		phi := law.Phi(x)
		finite := !math.IsNaN(phi) && !math.IsInf(phi, 0)
		r.check(finite, "finite", "%T%+v: Phi(%v) = %v", law, law, x, phi)
		r.check(!(phi < 0), "not below 0", "%T%+v: Phi(%v) = %v", law, law, x, phi)
		r.check(!(phi < last), "never falls", "%T%+v: Phi(%v) = %v after %v at %v", law, law, x, phi, last, xs[max(i-1, 0)])
		last = phi
	}
	for x := s.Mean + 10*s.StdDev; x < s.Mean*1e12; x *= 10 {
		near, far := law.Phi(x), law.Phi(10*x)
		r.check(far > near || far == math.MaxFloat64, "grows without bound", "%T%+v: Phi(%v) = %v, Phi(%v) = %v", law, law, x, near, 10*x, far)
	}
}

func quantiles(r *report, law liveness.Distribution, s liveness.Stats) {
	const tolerance = 1e-12
	slack := func(x float64) float64 { return tolerance * max(math.Abs(x), s.Mean) }
	last := math.Inf(-1)
	for phi := 1e-6; phi < 1e9; phi *= 1.3 {
		x := law.Quantile(phi)
		r.check(!math.IsNaN(x), "quantile is a number", "%T%+v: Quantile(%v) = %v", law, law, phi, x)
		r.check(x >= last || x >= last-slack(x), "quantile never falls", "%T%+v: Quantile(%v) = %v after %v", law, law, phi, x, last)
		last = x
		if math.IsInf(x, 1) {
			continue
		}
		below, above := law.Phi(x-slack(x)), law.Phi(x+slack(x))
		r.check(below <= phi && phi <= above, "quantile inverts", "%T%+v: Quantile(%v) = %v, but Phi is %v just below and %v just above", law, law, phi, x, below, above)
	}
	median := law.Quantile(math.Log10(2))
	r.check(0 < median && median < s.Mean+2*s.StdDev, "lies where the gaps were", "%T%+v: median %v for gaps of mean %v and standard deviation %v", law, law, median, s.Mean, s.StdDev)
}

func fitting(r *report, family liveness.Distribution) {
	one, two := learnt(1000, 1, 0.1), learnt(1000, 50, 0.4)
	first := family.Fit(one)
	before := first.Phi(1.3)
	family.Fit(two)
	first.Fit(two)
	r.check(first.Phi(1.3) == before, "fit leaves others alone", "Phi(1.3) was %v and is %v after another Fit", before, first.Phi(1.3))

	levels := make([]float64, 4)
	r.concurrently(len(levels), func(i int) {
		for range 100 {
			law := family.Fit(one)
			levels[i] = law.Phi(law.Quantile(3))
			family.Fit(two).Phi(1)
		}
	})
	for _, phi := range levels {
		r.check(phi == levels[0], "concurrent use", "Phi(Quantile(3)) is %v in one goroutine and %v in another", levels[0], phi)
	}
}
