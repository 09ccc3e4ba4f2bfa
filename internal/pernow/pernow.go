// Package pernow reports in benchmarks what an operation costs as a multiple of
// time.Now: whoever uses it has to read the clock anyway. The multiple differs
// from processor to processor, by a factor of two and more.
package pernow

import (
	"runtime"
	"slices"
	"testing"
	"time"
)

// Bench runs op in b's loop, and reports its cost as "x-now". script is the part
// of op that makes up its arguments, nil if there is none: what it costs is taken
// off the multiple, not off ns/op.
func Bench(b *testing.B, op, script func()) {
	now, overhead := Clock(), 0.0
	if script != nil {
		overhead = cost(script)
	}
	for b.Loop() {
		op()
	}
	now = (now + Clock()) / 2 // the mean of before and after
	b.ReportMetric((float64(b.Elapsed())/float64(b.N)-overhead)/now, "x-now")
	b.ReportAllocs()
}

// Clock returns the cost of time.Now in nanoseconds.
func Clock() float64 { return cost(func() { runtime.KeepAlive(time.Now()) }) }

// cost returns the median time of f in nanoseconds over a few batches.
func cost(f func()) float64 {
	const batches, size = 9, 20_000
	times := make([]float64, batches)
	for i := range times {
		start := time.Now()
		for range size {
			f()
		}
		times[i] = float64(time.Since(start)) / size
	}
	slices.Sort(times)
	return times[batches/2]
}
