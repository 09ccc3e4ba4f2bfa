package gray

import (
	"math"
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
