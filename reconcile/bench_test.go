package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/liveness/reconcile"
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
// run ("x-now").
func perNow(b *testing.B, op func()) {
	now := clock()
	for b.Loop() {
		op()
	}
	now = (now + clock()) / 2
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/now, "x-now")
	b.ReportAllocs()
}

func BenchmarkRecord(b *testing.B) {
	p := reconcile.NewRecorder(monday).Part("Seattle")
	perNow(b, func() { p.Record(monday) })
}

func BenchmarkCoerce(b *testing.B) {
	p := reconcile.NewRecorder(monday).Part("Seattle")
	perNow(b, func() { reconcile.Coerce(p, "price", 1.5, nil) })
}

func BenchmarkJudge(b *testing.B) {
	keys := make([]string, 200)
	of := make(map[string]int)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
		of[keys[i]] = 1000
	}
	checker := newChecker(b, reconcile.Config{Keys: keys})
	run := counts(monday, of)
	perNow(b, func() { checker.Judge(run, &run, monday) })
}
