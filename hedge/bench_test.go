package hedge_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"example.com/liveness/hedge"
	"example.com/liveness/internal/pernow"
)

func warm(b *testing.B) (h *hedge.Hedger, latency func() time.Duration) {
	h = newHedger(b, hedge.Config{})
	rng := rand.New(rand.NewPCG(1, 1))
	latencies := make([]time.Duration, 4096)
	for i := range latencies {
		latencies[i] = time.Duration(1e7 * math.Exp(rng.NormFloat64()))
		h.Start("a", t0).Answered("a", t0.Add(latencies[i]))
	}
	i := 0
	return h, func() time.Duration {
		i = (i + 1) % len(latencies)
		return latencies[i]
	}
}

// BenchmarkRequest is a whole request that is not hedged.
func BenchmarkRequest(b *testing.B) {
	h, latency := warm(b)
	pernow.Bench(b, func() {
		r := h.Start("a", t0)
		h.Delay()
		r.Answered("a", t0.Add(latency()))
	}, nil)
}

// BenchmarkHedgedRequest is one whose hedge wins.
func BenchmarkHedgedRequest(b *testing.B) {
	h, latency := warm(b)
	pernow.Bench(b, func() {
		h.Start("a", t0)
		r := h.Start("a", t0)
		d, _ := h.Delay()
		r.Hedge(t0.Add(d), "a", "b")
		r.Answered("b", t0.Add(d+latency()))
	}, nil)
}

func BenchmarkDelay(b *testing.B) {
	h, _ := warm(b)
	pernow.Bench(b, func() { h.Delay() }, nil)
}
