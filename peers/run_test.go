package peers_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/peers"
)

// running runs a monitor and returns what stops it and waits.
func running(t *testing.T, m *peers.Monitor[string]) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- m.Run(ctx) }()
	return func() {
		cancel()
		assert.ErrorIs(t, <-done, context.Canceled)
	}
}

func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMonitor(t, peers.Config[string]{FirstBeat: 10 * time.Second, Guard: peers.Guard{MaxShare: 100}})
		sub := subscribe(t, m, peers.SubscriptionConfig{})
		defer running(t, m)()
		start := time.Now()
		next := func() (peers.Kind, time.Duration) {
			e, err := sub.Next(t.Context())
			require.NoError(t, err)
			return e.Kind, time.Since(start)
		}
		require.NoError(t, m.Register("a", start, peers.Registration{}))
		time.Sleep(time.Second)
		m.Heartbeat("a", time.Now())
		kind, _ := next()
		assert.Equal(t, peers.Trusted, kind)
		kind, when := next()
		assert.Equal(t, peers.Suspected, kind)
		assert.Equal(t, 4*time.Second, when, "at the deadline")
	})
}

// B107: the last peer is removed, and one is added within a period.
func TestRunAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMonitor(t, peers.Config[string]{FirstBeat: 20 * time.Millisecond, Doubt: peers.Doubt{Period: time.Hour}})
		sub := subscribe(t, m, peers.SubscriptionConfig{})
		defer running(t, m)()
		require.NoError(t, m.Register("a", time.Now(), peers.Registration{}))
		m.Remove("a", time.Now())
		_, err := sub.Next(t.Context())
		require.NoError(t, err)
		time.Sleep(time.Minute) // the monitor sleeps for an hour
		registered := time.Now()
		require.NoError(t, m.Register("b", registered, peers.Registration{}))
		e, err := sub.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, peers.Suspected, e.Kind)
		assert.Equal(t, 20*time.Millisecond, time.Since(registered))
	})
}

// An hour of suspension of the machine, with a monotonic clock that stands still,
// cannot be made in a test; that a second of the wall clock alone is noticed is
// in TestSuspended. Here a monitor wakes up late: somebody holds it up.
func TestRunLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hold atomic.Bool
		m := newMonitor(t, peers.Config[string]{Doubt: peers.Doubt{Backlog: func() bool {
			if hold.CompareAndSwap(true, false) {
				time.Sleep(time.Minute) // foreign code that takes its time
			}
			return false
		}}})
		sub := subscribe(t, m, peers.SubscriptionConfig{})
		defer running(t, m)()
		for _, key := range []string{"a", "b"} {
			require.NoError(t, m.Register(key, time.Now(), peers.Registration{}))
			m.Heartbeat(key, time.Now())
			sub.TryNext()
			time.Sleep(time.Millisecond)
		}
		hold.Store(true)
		var kinds []peers.Kind
		for range 2 {
			e, err := sub.Next(t.Context())
			require.NoError(t, err)
			kinds = append(kinds, e.Kind)
		}
		assert.Equal(t, []peers.Kind{peers.Suspected, peers.MassFailure}, kinds)
		e, err := sub.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, peers.Stalled, e.Kind)
		assert.InDelta(t, 60, e.Length.Seconds(), 0.2)
		assert.Equal(t, "b", func() string {
			for key, state := range sub.All() {
				if state == peers.StateTrusted {
					return key
				}
			}
			return ""
		}())
	})
}
