package gray

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// Quantiles are within a bucket of the exact ones, and half of it at most in the mean.
func TestQuantileAgainstSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		n := 1 + rng.IntN(2000)
		var h histogram
		all := make([]float64, n)
		for i := range all {
			d := time.Duration(20e6 * math.Exp(rng.NormFloat64()))
			h.add(d)
			all[i] = d.Seconds()
		}
		slices.Sort(all)
		var s samples
		h.since(&reading{}, &s.exact)
		for _, q := range []float64{0.01, 0.5, 0.9, 0.99, 0.999} {
			got, atLeast := s.quantile(q)
			assert.False(t, atLeast)
			rank := min(max(int(math.Ceil(q*float64(n)-1e-9)), 1), n) - 1
			low, high := all[rank]*(1-1.0/perPage), all[min(rank+1, n-1)]*(1+1.0/perPage)
			assert.True(t, low <= got && got <= high, "%v of %d: %v, sorted %v to %v", q, n, got, low, high)
		}
	}
}

// Where a deadline or a hedge cuts latencies off, the estimate is that of the
// whole, as far as it can be seen.
func TestQuantileOfWhatWasCutOff(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 200_000
	whole, cut, naive := samples{}, samples{}, samples{}
	put := func(c *counts, d time.Duration) {
		p, i := bucketOf(d)
		c[p*perPage+i]++
	}
	for range n {
		d := time.Duration(20e6 * math.Exp(rng.NormFloat64()))
		put(&whole.exact, d)
		// Half of the attempts are given up at a random time.
		if limit := time.Duration(40e6 * rng.ExpFloat64()); d > limit {
			put(&cut.bound, limit)
			put(&naive.exact, limit)
		} else {
			put(&cut.exact, d)
			put(&naive.exact, d)
		}
	}
	for _, q := range []float64{0.5, 0.9} {
		want, _ := whole.quantile(q)
		got, atLeast := cut.quantile(q)
		assert.False(t, atLeast)
		assert.InEpsilon(t, want, got, 0.04, "%v", q)
		wrong, _ := naive.quantile(q)
		assert.Less(t, wrong, 0.7*want, "taken for complete, they would be far too short")
	}
	// Beyond the deadline nothing is known but that it is longer.
	cut = samples{}
	for range n {
		d := time.Duration(20e6 * math.Exp(rng.NormFloat64()))
		if d > 50*time.Millisecond {
			put(&cut.bound, 50*time.Millisecond)
		} else {
			put(&cut.exact, d)
		}
	}
	got, atLeast := cut.quantile(0.99)
	assert.True(t, atLeast)
	assert.InEpsilon(t, 0.05, got, 1.0/perPage)
	empty := samples{}
	got, atLeast = empty.quantile(0.99)
	assert.Zero(t, got)
	assert.False(t, atLeast)
	assert.Zero(t, empty.number())
	bounds := samples{}
	put(&bounds.bound, time.Second)
	assert.Equal(t, 1, bounds.number())
}
