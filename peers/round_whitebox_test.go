package peers

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// hooked is a detector that lets something happen before it is told or asked.
type hooked struct {
	liveness.Detector
	told, asked func()
}

func (d *hooked) Heartbeat(at time.Time)           { d.told(); d.Detector.Heartbeat(at) }
func (d *hooked) Deadline(level float64) time.Time { d.asked(); return d.Detector.Deadline(level) }

// A heartbeat that ends a suspicion while a round asks the detector, which it does
// for those that do not suspect the peer: how long they would wait is not what the
// monitor goes by afterwards.
func TestRevivedDuringRound(t *testing.T) {
	t0 := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	at := func(seconds float64) time.Time { return t0.Add(time.Duration(seconds * 1e9)) }
	nothing := func() {}
	d := &hooked{told: nothing, asked: nothing}
	m, err := New(Config[string]{
		Shards: 1,
		Doubt:  Doubt{Period: time.Hour, MaxLateness: time.Hour},
		Guard:  Guard{EvictAfter: 24 * time.Hour},
		NewDetector: func(string) (liveness.Detector, error) {
			var err error
			d.Detector, err = liveness.NewFixedTimeout(10 * time.Second)
			return d, err
		},
	})
	require.NoError(t, err)
	low, err := m.Subscribe(SubscriptionConfig{Threshold: 0.1})
	require.NoError(t, err)
	m.Advance(t0)
	require.NoError(t, m.Register("a", t0, Registration{}))
	p := m.shards[0].peers.find("a", m.hash("a"))
	p.set(steady, true)
	for range younger + older { // no more of the first
		m.Heartbeat("a", at(5))
	}
	m.Advance(at(6))

	entered, leave, left := make(chan bool), make(chan bool), make(chan bool)
	d.told = func() {
		close(entered)
		<-leave
	}
	go func() {
		m.Heartbeat("a", at(14.99))
		close(left)
	}()
	<-entered
	d.asked = func() {
		d.asked = nothing
		close(leave)
		<-left
	}
	m.Advance(at(15.01))
	require.Zero(t, p.suspected)
	d.told = nothing
	m.Heartbeat("a", at(15.5))
	now := at(15.5)
	for next := m.Next(now); next.Before(at(20)); next = m.Next(now) {
		now = next
		m.Advance(now)
	}
	var last Event[string]
	for e, ok := low.TryNext(); ok; e, ok = low.TryNext() {
		last = e
	}
	require.Equal(t, Suspected, last.Kind)
	require.Equal(t, at(16.5), last.At)
}
