package watchdog_test

import (
	"fmt"
	"testing"
	"time"
)

var sink time.Time

// clock returns the cost of time.Now in nanoseconds.
func clock() float64 {
	const size = 200_000
	start := time.Now()
	for range size {
		sink = time.Now()
	}
	return float64(time.Since(start)) / size
}

// perNow reports the cost of op as a multiple of that of time.Now in the same
// run ("x-now"): the caller has to read the clock anyway.
func perNow(b *testing.B, op func()) {
	now := clock()
	for b.Loop() {
		op()
	}
	now = (now + clock()) / 2
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/now, "x-now")
	b.ReportAllocs()
}

func BenchmarkKick(b *testing.B) {
	for _, n := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("parts=%d", n), func(b *testing.B) {
			d := newDog(b, false)
			for i := range n - 1 {
				_, err := d.Add(fmt.Sprint(i), 100*24*time.Hour, t0)
				if err != nil {
					b.Fatal(err)
				}
			}
			p := d.add(b, "kicked", 1000)
			at := t0
			perNow(b, func() {
				at = at.Add(time.Microsecond)
				p.Kick(at)
			})
			if len(d.misses) > 0 {
				b.Fatal(d.misses)
			}
		})
	}
}
