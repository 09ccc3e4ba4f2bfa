// Package pernow reports in benchmarks what an operation costs as a multiple of
// time.Now: whoever uses it has to read the clock anyway, and the multiple is
// about the same on any machine.
package pernow

import (
	"testing"
	"time"
)

// Bench runs op in b's loop, and reports its cost as "x-now".
func Bench(b *testing.B, op func()) {
	now := clock()
	for b.Loop() {
		op()
	}
	now = (now + clock()) / 2 // the mean of before and after
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/now, "x-now")
	b.ReportAllocs()
}

// clock returns the cost of time.Now in nanoseconds.
func clock() float64 {
	const size = 200_000
	start := time.Now()
	for range size {
		_ = time.Now()
	}
	return float64(time.Since(start)) / size
}
