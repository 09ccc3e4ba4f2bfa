package peers_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// heap returns the bytes in use.
func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// B110: what a peer costs beside its detector.
func TestMemory(t *testing.T) {
	const n = 20_000
	shared, err := liveness.NewFixedTimeout(time.Second)
	require.NoError(t, err)
	m, err := peers.New(peers.Config[uint64]{NewDetector: func(uint64) (liveness.Detector, error) { return shared, nil }})
	require.NoError(t, err)
	before := heap()
	for key := range uint64(n) {
		require.NoError(t, m.Register(key, t0, peers.Registration{}))
	}
	perPeer := float64(heap()-before) / n
	t.Logf("%.0f bytes a peer", perPeer)
	assert.Less(t, perPeer, 150.0)
	runtime.KeepAlive(m)
}

// What is removed leaves nothing.
func TestLeaks(t *testing.T) {
	const n = 20_000
	m, err := peers.New(peers.Config[uint64]{NewDetector: func(uint64) (liveness.Detector, error) { return phi("") }})
	require.NoError(t, err)
	sub, err := m.Subscribe(peers.SubscriptionConfig{Buffer: 10})
	require.NoError(t, err)
	fill := func(first uint64) {
		for key := first; key < first+n; key++ {
			require.NoError(t, m.Register(key, t0, peers.Registration{}))
			m.Heartbeat(key, t0)
		}
		for now := t0; now.Before(at(8)); { // they are suspected, and evicted
			now = m.Advance(now)
		}
	}
	before := heap()
	for round := range uint64(3) {
		fill(round * n)
		assert.Greater(t, heap()-before, int64(n*1100))
		for key := round * n; key < (round+1)*n; key++ {
			m.Remove(key, at(8))
		}
		require.NoError(t, m.Check())
		assert.Zero(t, m.Len())
		assert.Zero(t, m.Entries())
		assert.Less(t, heap()-before, int64(200_000), "round %d", round)
	}
	for _, ok := sub.TryNext(); ok; _, ok = sub.TryNext() {
		continue
	}
	runtime.KeepAlive(m)
}

// No goroutine is left when Run returns, nor are there any beside it: a bubble
// ends only when all of its goroutines have.
func TestNoGoroutines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMonitor(t, peers.Config[string]{})
		sub := subscribe(t, m, peers.SubscriptionConfig{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, m.Register("a", time.Now(), peers.Registration{}))
		assert.ErrorIs(t, m.Run(ctx), context.DeadlineExceeded)
		sub.Close()
	})
}

// B110
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	m, err := peers.New(peers.Config[string]{NewDetector: phi})
	require.NoError(t, err)
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		require.NoError(t, m.Register(key, t0, peers.Registration{}))
	}
	_, err = m.Subscribe(peers.SubscriptionConfig{Threshold: 1})
	require.NoError(t, err)
	now, seq := t0, uint64(0)
	beat := func() {
		now, seq = now.Add(time.Second), seq+1
		for _, key := range keys {
			m.HeartbeatSeq(key, peers.Beat{Seq: seq}, now)
		}
	}
	beat()
	assert.Zero(t, testing.AllocsPerRun(1000, beat), "heartbeats")
	batch := make([]peers.Arrival[string], 100)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		now = now.Add(time.Second)
		for i := range batch {
			seq++
			batch[i] = peers.Arrival[string]{Key: keys[i%len(keys)], Beat: peers.Beat{Seq: seq}, At: now}
		}
		m.HeartbeatBatch(batch)
	}), "a batch")
	assert.LessOrEqual(t, testing.AllocsPerRun(1000, func() { beat(); m.Advance(now.Add(500 * time.Millisecond)) }), 1.0, "a round")
	assert.Zero(t, testing.AllocsPerRun(1000, func() { m.Heartbeat("unknown", now) }), "refused ones")
	assert.Zero(t, testing.AllocsPerRun(1000, func() { m.Peer("a", now) }), "snapshot of one")
}
