package fence_test

import (
	"testing"
	"time"

	"example.com/liveness/fence"
)

var (
	sinkTime  time.Time
	sinkError error
)

// clock returns the cost of time.Now in nanoseconds.
func clock() float64 {
	const size = 200_000
	start := time.Now()
	for range size {
		sinkTime = time.Now()
	}
	return float64(time.Since(start)) / size
}

// perNow reports the cost of what run does as a multiple of that of time.Now in
// the same run ("x-now").
func perNow(b *testing.B, run func(b *testing.B)) {
	now := clock()
	run(b)
	now = (now + clock()) / 2
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/now, "x-now")
	b.ReportAllocs()
}

func BenchmarkCheck(b *testing.B) {
	b.Run("current", func(b *testing.B) {
		g := fence.NewGuard(7)
		perNow(b, func(b *testing.B) {
			for b.Loop() {
				sinkError = g.Check(7)
			}
		})
	})
	b.Run("current/parallel", func(b *testing.B) {
		g := fence.NewGuard(7)
		perNow(b, func(b *testing.B) {
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if g.Check(7) != nil {
						panic("refused")
					}
				}
			})
		})
	})
	b.Run("takeover", func(b *testing.B) {
		var g fence.Guard
		token := fence.Token(0)
		perNow(b, func(b *testing.B) {
			for b.Loop() {
				token++
				sinkError = g.Check(token)
			}
		})
	})
	b.Run("stale", func(b *testing.B) {
		g := fence.NewGuard(7)
		perNow(b, func(b *testing.B) {
			for b.Loop() {
				sinkError = g.Check(6)
			}
		})
	})
}

func BenchmarkNext(b *testing.B) {
	var i fence.Issuer
	perNow(b, func(b *testing.B) {
		for b.Loop() {
			_, sinkError = i.Next()
		}
	})
}
