package peers_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/internal/pernow"
	"example.com/liveness/peers"
)

func crowd(b testing.TB, n, window int) *peers.Monitor[uint32] {
	m, err := peers.New(peers.Config[uint32]{NewDetector: func(uint32) (liveness.Detector, error) {
		return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: window})
	}})
	require.NoError(b, err)
	for key := range uint32(n) {
		require.NoError(b, m.Register(key, t0, peers.Registration{}))
	}
	return m
}

func BenchmarkHeartbeat(b *testing.B) {
	for _, n := range []int{1, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("peers=%d", n), func(b *testing.B) {
			m := crowd(b, n, 100)
			order := rand.New(rand.NewPCG(1, 1)).Perm(n)
			now, i := t0, 0
			beat := func() {
				if i == n {
					now, i = now.Add(time.Second), 0
				}
				m.Heartbeat(uint32(order[i]), now)
				i++
			}
			for range max(120_000, 20*n) { // the first 16 of a detector cost more
				beat()
			}
			pernow.Bench(b, beat, nil)
		})
	}
}

// BenchmarkHeartbeatBatch reports the cost of one heartbeat.
func BenchmarkHeartbeatBatch(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("peers=%d", n), func(b *testing.B) {
			m := crowd(b, n, 100)
			order := rand.New(rand.NewPCG(1, 1)).Perm(n)
			now, i, batch := t0, 0, make([]peers.Arrival[uint32], 0, 64)
			beat := func() {
				if i == n {
					now, i = now.Add(time.Second), 0
				}
				if batch = append(batch, peers.Arrival[uint32]{Key: uint32(order[i]), At: now}); len(batch) == cap(batch) {
					m.HeartbeatBatch(batch)
					batch = batch[:0]
				}
				i++
			}
			for range max(120_000, 20*n) { // the first 16 of a detector cost more
				beat()
			}
			pernow.Bench(b, beat, nil)
		})
	}
}

// BenchmarkMemory reports what a peer with a full window takes, detector included.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		m := crowd(b, n, 100)
		for i := range 2 {
			for key := range uint32(n) {
				m.Heartbeat(key, t0.Add(time.Duration(i)*time.Second))
			}
			m.Advance(t0.Add(time.Duration(i) * time.Second))
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/n, "B/peer")
		runtime.KeepAlive(m)
	}
}
