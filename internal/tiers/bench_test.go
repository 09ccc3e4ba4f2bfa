package tiers

import (
	"math/rand/v2"
	"testing"
	"time"
)

func bench() (*Law, []float64) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := New(1000)
	gaps := make([]float64, 4096)
	for i := range gaps {
		gaps[i] = 1e9 * (1 + 0.1*rng.ExpFloat64())
	}
	for range 10 {
		for _, g := range gaps {
			l.Learn(g-1, g, false)
		}
	}
	return l, gaps
}

func BenchmarkLearn(b *testing.B) {
	l, gaps := bench()
	i := 0
	for b.Loop() {
		g := gaps[i%4096]
		l.Learn(g-1, g, false)
		i++
	}
}

func BenchmarkPhi(b *testing.B) {
	l, gaps := bench()
	i := 0
	for b.Loop() {
		phiOf(l, gaps[i%4096])
		i++
	}
}

func BenchmarkQuantile(b *testing.B) {
	l, _ := bench()
	for b.Loop() {
		l.Quantile(8)
	}
}
func BenchmarkLearnQuantile(b *testing.B) {
	l, gaps := bench()
	i := 0
	for b.Loop() {
		g := gaps[i%4096]
		l.Learn(g-1, g, false)
		i++
		l.Quantile(8)
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		_ = time.Now()
	}
}
