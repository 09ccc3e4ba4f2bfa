package main

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDrawAgreesWithTheory(t *testing.T) {
	d := theStudy.draw
	require.Equal(t, 1_000_000, d.samples)
	for i, timeout := range []time.Duration{300 * time.Millisecond, time.Second, 3 * time.Second} {
		row := d.rows[i]
		assert.Equal(t, timeout, row.timeout)
		assert.Equal(t, at(theStudy.sweep, timeout).rate, row.rate, "the rate of theory is that of the sweep")
		assert.LessOrEqual(t, math.Abs(row.deviation()), 2.0, "%v", timeout)
		low, high := row.interval()
		assert.True(t, low <= row.observed() && row.observed() <= high, "%v", timeout)
	}
	// √(p(1−p)/n) for p = 0.036585751917042895697 and n = 1e6.
	near(t, 1.8774246901995160397e-4, d.rows[0].stdErr(), "standard error of 300 ms")
	assert.True(t, d.largestLow < d.largest && d.largest < d.largestHigh, "the largest of the draw is as theory has it")
}

func TestDrawRow(t *testing.T) {
	row := drawRow{samples: 400, mistakes: 110, rate: 0.2}
	near(t, 0.275, row.observed(), "observed")
	near(t, 0.02, row.stdErr(), "standard error")
	near(t, 3.75, row.deviation(), "deviation")
	low, high := row.interval()
	near(t, 0.16, low, "low")
	near(t, 0.24, high, "high")

	low, _ = drawRow{samples: 10, rate: 0.01}.interval()
	assert.Zero(t, low, "no rate is below 0")
}

// Over many seeds the deviations have mean 0 and standard deviation 1.
func TestDrawsOfManySeeds(t *testing.T) {
	const seeds, samples = 40, 50_000
	timeouts := []time.Duration{100 * time.Millisecond, example, time.Second}
	sum := make([]float64, len(timeouts))
	squares := make([]float64, len(timeouts))
	larger := 0
	for seed := range uint64(seeds) {
		d := drawRTTs(usual, samples, 1000+seed, timeouts...)
		for i, row := range d.rows {
			sum[i] += row.deviation()
			squares[i] += row.deviation() * row.deviation()
		}
		if d.largest > largestOf(usual, samples, 0.5) {
			larger++
		}
	}
	for i, timeout := range timeouts {
		// The mean has the standard error 1/√n, the mean square √(2/n).
		assert.InDelta(t, 0, sum[i]/seeds, 4/math.Sqrt(seeds), "%v", timeout)
		assert.InDelta(t, 1, squares[i]/seeds, 4*math.Sqrt(2./seeds), "%v", timeout)
	}
	// Half of the draws have a largest RTT above its median: √n/2 is the standard error.
	assert.InDelta(t, seeds/2, larger, 4*math.Sqrt(seeds)/2)
}

func TestSameSeedSameDraw(t *testing.T) {
	one := drawRTTs(usual, 1000, 1, example)
	assert.Equal(t, one, drawRTTs(usual, 1000, 1, example))
	assert.NotEqual(t, one.largest, drawRTTs(usual, 1000, 2, example).largest)
}

func TestLargestOf(t *testing.T) {
	near(t, 4.4227280367109114731, theStudy.draw.largestLow, "2.5 % of 1e6")
	near(t, 11.62701933325595346, theStudy.draw.largestHigh, "97.5 % of 1e6")
	// The largest of one is one: below x with probability p.
	near(t, usual.Quantile(2), largestOf(usual, 1, 0.99), "of one")
	// And back: all of n are below x with probability (1 − P(X > x))ⁿ.
	for _, n := range []int{1, 10, 1e6, 1e9} {
		for _, p := range []float64{0.025, 0.5, 0.975} {
			x := largestOf(usual, n, p)
			back := math.Exp(float64(n) * math.Log1p(-rate(usual.Phi(x))))
			assert.InEpsilon(t, p, back, 1e-11, "n = %d, p = %v", n, p)
		}
	}
}
