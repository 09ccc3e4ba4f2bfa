package liveness_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/liveness"
)

// TestLogisticVectors: the golden values of the softplus form, computed with 17 digits.
func TestLogisticVectors(t *testing.T) {
	worst := 0.0
	for _, row := range vectors(t, "phi_logistic.csv") {
		z, want := row[0], row[1]
		got := liveness.Logistic{StdDev: 1}.Phi(z)
		tol := 4e-15
		if want < 1e-4 {
			tol = max(tol, -1e-15*math.Log10(want))
		}
		e := relErr(got, want)
		if want < 2e-308 {
			e = relErr(1+got, 1+want)
		}
		worst = max(worst, e/tol)
		if !(e <= tol) {
			t.Errorf("Phi(%v) = %v, want %v: relative error %.2g", z, got, want, e)
		}
		if want > 1e-300 {
			back := liveness.Logistic{StdDev: 1}.Quantile(want)
			// Near 0 the grid, and φ's own rounding, leave z to 1e-14.
			assert.InDelta(t, z, back, 1e-15*max(1, math.Abs(z)), "Quantile(%v)", want)
		}
	}
	for _, phi := range []float64{1e299, 1e301, math.MaxFloat64} { // where the cube is near overflow
		assert.InEpsilon(t, phi, liveness.Logistic{StdDev: 1}.Phi(liveness.Logistic{StdDev: 1}.Quantile(phi)), 1e-14)
	}
	t.Logf("largest error %.2g of the bound", worst)
}

// TestLogisticIsAkkas repeats what the specs of Pekko (and Akka.NET) expect of phi(timeDiff, mean, stdDeviation).
func TestLogisticIsAkkas(t *testing.T) {
	phi := func(x, mean, stdDev float64) float64 { return liveness.Logistic{Mean: mean, StdDev: stdDev}.Phi(x) }
	cdf := func(x float64) float64 { return 1 - math.Pow(10, -phi(x, 0, 10)) }
	for _, c := range []struct{ x, want, tol float64 }{
		{0, 0.5, .001}, {6, 0.7257, .001}, {15, 0.9332, .001}, {20, 0.97725, .001}, {25, 0.99379, .001}, {35, 0.99977, .001}, {40, 0.99997, .0001},
	} {
		assert.InDelta(t, c.want, cdf(c.x), c.tol)
	}
	for _, c := range []struct{ x, mean, stdDev, want, tol float64 }{
		{10, 0, 1, 38, 1}, {0, 1000, 100, 0, .1}, {500, 1000, 100, .1, .1}, {1000, 1000, 100, .3, .1},
		{1200, 1000, 100, 1.6, .1}, {1400, 1000, 100, 4.7, .1}, {1600, 1000, 100, 10.8, .1}, {1700, 1000, 100, 15.3, .1},
	} {
		assert.InDelta(t, c.want, phi(c.x, c.mean, c.stdDev), c.tol, "phi(%v, %v, %v)", c.x, c.mean, c.stdDev)
	}
	assert.Zero(t, phi(-25, 0, 1))
	assert.Less(t, phi(1100, 1000, 500), phi(1100, 1000, 100))
	assert.InDelta(t, 5.22598664409, liveness.Logistic{StdDev: 1}.Quantile(8), 1e-11)
	assert.InDelta(t, 7.0624, liveness.AkkaPhi(8), 1e-4)
	assert.Zero(t, liveness.AkkaPhi(math.NaN()))
	assert.Equal(t, math.MaxFloat64, liveness.AkkaPhi(math.Inf(1)))
	assert.Zero(t, liveness.AkkaPhi(0))
}

// TestLogisticNeverFalls walks neighbouring float64 in every part, its seams above all.
func TestLogisticNeverFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	law := liveness.Logistic{StdDev: 1}
	starts := []float64{0, 3.3, -3.3}
	for _, w := range []float64{-8, 0, 8} { // where softplus changes its form
		starts = append(starts, law.Quantile(math.Log1p(math.Exp(w))/math.Ln10))
	}
	for range 200_000 {
		starts = append(starts, 60*rng.Float64()-22)
	}
	for _, z := range starts {
		for range 20 {
			z = math.Nextafter(z, math.Inf(-1))
		}
		for range 40 {
			next := math.Nextafter(z, math.Inf(1))
			if law.Phi(next) < law.Phi(z) {
				t.Fatalf("falls from %v at %v to %v at %v", law.Phi(z), z, law.Phi(next), next)
			}
			z = next
		}
	}
}
