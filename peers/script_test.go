package peers_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// at is the instant s seconds after t0.
func at(s float64) time.Time { return t0.Add(time.Duration(s * 1e9)) }

func fixed(timeout time.Duration) func(string) (liveness.Detector, error) {
	return func(string) (liveness.Detector, error) { return liveness.NewFixedTimeout(timeout) }
}

func phi(string) (liveness.Detector, error) {
	return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: 100})
}

// script is a monitor on the time line of t0, advanced whenever it is due, and a
// subscription to it.
type script struct {
	testing.TB
	m   *peers.Monitor[string]
	sub *peers.Subscription[string]
	now time.Time
}

func newMonitor(t testing.TB, cfg peers.Config[string]) *peers.Monitor[string] {
	t.Helper()
	if cfg.NewDetector == nil {
		cfg.NewDetector = fixed(3 * time.Second)
	}
	if cfg.Shards == 0 {
		cfg.Shards = 1 // what happens in one round happens in the order of the deadlines
	}
	m, err := peers.New(cfg)
	require.NoError(t, err)
	return m
}

func subscribe(t testing.TB, m *peers.Monitor[string], cfg peers.SubscriptionConfig) *peers.Subscription[string] {
	t.Helper()
	sub, err := m.Subscribe(cfg)
	require.NoError(t, err)
	return sub
}

// begin makes a monitor that begins its watch at t0. Without a detector its peers
// have a fixed timeout of 3 s.
func begin(t testing.TB, cfg peers.Config[string]) *script {
	t.Helper()
	if cfg.Guard == (peers.Guard{}) {
		cfg.Guard = peers.Guard{MaxShare: 100, EvictAfter: 24 * time.Hour} // out of the way
	}
	s := &script{TB: t, m: newMonitor(t, cfg), now: t0}
	s.sub = subscribe(t, s.m, peers.SubscriptionConfig{})
	s.m.Advance(t0)
	return s
}

// register registers peers at the present instant.
func (s *script) register(keys ...string) *script {
	s.Helper()
	for _, key := range keys {
		require.NoError(s, s.m.Register(key, s.now, peers.Registration{}))
	}
	return s
}

// to lets time pass until so many seconds after t0.
func (s *script) to(seconds float64) *script {
	end := at(seconds)
	for next := s.m.Next(s.now); !next.After(end); next = s.m.Next(s.now) {
		s.now = next
		s.m.Advance(s.now)
	}
	s.now = end
	return s
}

// stalledTo lets time pass without a round, and has one then.
func (s *script) stalledTo(seconds float64) *script {
	s.now = at(seconds)
	s.m.Advance(s.now)
	return s
}

// beat has peers send a heartbeat at the present instant.
func (s *script) beat(keys ...string) *script {
	s.Helper()
	for _, key := range keys {
		assert.Equal(s, peers.Accepted, s.m.Heartbeat(key, s.now), "heartbeat of %s", key)
	}
	return s
}

// beats has peers beat each second, from the present instant up to so many seconds after t0.
func (s *script) beats(until float64, keys ...string) *script {
	for now := s.now.Sub(t0).Seconds(); now <= until; now++ {
		s.to(now).beat(keys...)
	}
	return s
}

// events returns what has happened since it was asked last, one line each: the
// seconds since t0, and the event.
func (s *script) events() []string { return drain(s.sub) }

func drain(sub *peers.Subscription[string]) []string {
	var lines []string
	for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
		e.Length = e.Length.Round(time.Second)
		line := e.String()
		if e.Kind != peers.Lagged {
			line = fmt.Sprintf("%.5g %s", e.At.Sub(t0).Seconds(), line)
		}
		lines = append(lines, line)
	}
	return lines
}

func (s *script) expect(lines ...string) *script {
	s.Helper()
	assert.Equal(s, lines, s.events())
	return s
}

func (s *script) state(key string) peers.State {
	s.Helper()
	p, ok := s.m.Peer(key, s.now)
	require.True(s, ok, "%s is registered", key)
	return p.State
}
