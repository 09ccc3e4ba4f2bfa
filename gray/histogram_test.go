package gray

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestBuckets(t *testing.T) {
	for d := time.Duration(1 << firstBits); d < 60*time.Minute; d += d/100 + 1 {
		p, i := bucketOf(d)
		k := int(p)*perPage + int(i)
		assert.LessOrEqual(t, edge(k), d.Seconds())
		assert.Greater(t, edge(k+1), d.Seconds())
		assert.LessOrEqual(t, edge(k+1)-edge(k), d.Seconds()/perPage*(1+1e-9))
	}
	for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, 1023} {
		p, i := bucketOf(d)
		assert.Zero(t, p+i)
	}
	p, i := bucketOf(math.MaxInt64)
	assert.Equal(t, []uint{pages - 1, perPage - 1}, []uint{p, i})
}

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

// Counters may wrap: only differences matter.
func TestCountersWrap(t *testing.T) {
	var h histogram
	h.add(time.Second)
	p, i := bucketOf(time.Second)
	h.pages[p].Load()[i].Store(math.MaxUint32 - 1)
	var s samples
	base := h.since(&reading{}, &s.exact)
	for range 5 {
		h.add(time.Second)
	}
	s = samples{}
	h.since(&base, &s.exact)
	assert.Equal(t, 5, s.exact.total())
}

// Nothing is lost when many record at once, and paths are made meanwhile.
func TestHistogramConcurrent(t *testing.T) {
	var h histogram
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := range 10_000 {
				h.add(time.Duration(1) << (10 + (i+g)%30))
			}
		})
	}
	group.Wait()
	var s samples
	h.since(&reading{}, &s.exact)
	assert.Equal(t, 40_000, s.exact.total())
}

func TestIndex(t *testing.T) {
	x := newIndex()
	a, b := &server{name: "a"}, &server{name: "b"}
	var all []*path
	for i := range 1000 {
		for _, s := range []*server{a, b} {
			p := &path{clientName: string(rune('a' + i)), server: s}
			x.add(p)
			all = append(all, p)
		}
	}
	for _, p := range all {
		assert.Same(t, p, x.find(p.clientName, p.server.name))
	}
	assert.Nil(t, x.find("nobody", "a"))
	x.remove(func(p *path) bool { return p.server == a })
	for _, p := range all {
		if p.server == a {
			assert.Nil(t, x.find(p.clientName, "a"))
		} else {
			assert.Same(t, p, x.find(p.clientName, "b"))
		}
	}
	assert.Equal(t, 1000, x.taken)
	x.remove(func(*path) bool { return true })
	assert.Len(t, *x.slots.Load(), 16)
}
