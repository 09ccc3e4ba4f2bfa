package peers_test

import (
	"context"
	"maps"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// A load balancer at 1, an election at 8, a repair at the detector's own 3.
func TestThresholds(t *testing.T) {
	s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) {
		return liveness.NewPhi(liveness.PhiConfig{Threshold: 3, Distribution: liveness.Gaussian{}, WindowSize: 100})
	}})
	balancer := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 1})
	election := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 8})
	s.register("a").beats(50, "a").to(60)
	s.beat("a").expect("0 a: trusted (first heartbeat)", "52.7 a: suspected (silent)", "60 a: trusted (heard)")
	assert.Equal(t, []string{"0 a: trusted (first heartbeat)", "51.705 a: suspected (silent)", "60 a: trusted (heard)"}, drain(balancer))
	assert.Equal(t, []string{"0 a: trusted (first heartbeat)", "54.087 a: suspected (silent)", "60 a: trusted (heard)"}, drain(election))
	s.to(62)
	for key, state := range balancer.All() {
		assert.Equal(t, "a", key)
		assert.Equal(t, peers.StateSuspected, state)
	}
	for _, state := range election.All() {
		assert.Equal(t, peers.StateTrusted, state)
	}
	require.NoError(t, s.m.Check())
}

// The values of Scylla's own test: a ping each 10 ticks that has to be answered
// within 30, and listeners at 95 and 45 ticks.
func TestScylla(t *testing.T) {
	const tick = 1e-3
	s := begin(t, peers.Config[string]{NewDetector: fixed(time.Second), FirstBeat: 24 * time.Hour})
	l95 := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 0.095})
	l45 := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 0.045})
	both := func(wantL95, wantL45 []string) {
		t.Helper()
		assert.Equal(t, wantL95, drain(l95))
		assert.Equal(t, wantL45, drain(l45))
	}
	s.register("a").to(200 * tick)
	both(nil, nil) // never answers: stays unknown
	s.beat("a")
	both([]string{"0.2 a: trusted (first heartbeat)"}, []string{"0.2 a: trusted (first heartbeat)"})
	s.to(245 * tick)
	both(nil, []string{"0.245 a: suspected (silent)"})
	s.to(295 * tick)
	both([]string{"0.295 a: suspected (silent)"}, nil)
	s.beat("a")
	both([]string{"0.295 a: trusted (heard)"}, []string{"0.295 a: trusted (heard)"})
	for i := 1; i <= 10; i++ {
		s.to((295 + 44*float64(i)) * tick).beat("a")
	}
	both(nil, nil)
	s.m.Remove("a", s.now)
	both([]string{"0.735 a: removed"}, []string{"0.735 a: removed"})
	s.register("a").beat("a")
	both([]string{"0.735 a: trusted (first heartbeat)"}, []string{"0.735 a: trusted (first heartbeat)"})
}

func TestHysteresis(t *testing.T) {
	s := begin(t, peers.Config[string]{})
	careful := subscribe(t, s.m, peers.SubscriptionConfig{TrustAfter: 3})
	low := subscribe(t, s.m, peers.SubscriptionConfig{TrustAfter: 2, Threshold: 0.5})
	s.register("a").beat("a").to(5)
	for _, next := range []float64{1, 4, 1, 1} { // heard at 5, 6, 10, 11, 12
		s.beat("a").to(s.now.Sub(t0).Seconds() + next)
	}
	s.beat("a").expect("0 a: trusted (first heartbeat)", "3 a: suspected (silent)", "5 a: trusted (heard)", "9 a: suspected (silent)", "10 a: trusted (heard)")
	assert.Equal(t, []string{"0 a: trusted (first heartbeat)", "3 a: suspected (silent)", "12 a: trusted (heard)"}, drain(careful))
	assert.Equal(t, []string{"0 a: trusted (first heartbeat)", "1.5 a: suspected (silent)", "6 a: trusted (heard)", "7.5 a: suspected (silent)", "11 a: trusted (heard)"}, drain(low))
	require.NoError(t, s.m.Check())
}

// A subscriber that does not read blocks nobody, is told that it lags, and can
// make good for it.
func TestLag(t *testing.T) {
	s := begin(t, peers.Config[string]{})
	slow := subscribe(t, s.m, peers.SubscriptionConfig{Buffer: 3})
	s.register("a").beat("a")
	for i := 1; i <= 5; i++ {
		s.to(float64(10 * i)).beat("a")
	}
	s.to(55)
	assert.Len(t, s.events(), 12)
	waiting, missed := slow.Lag()
	assert.Equal(t, 3, waiting)
	assert.Equal(t, uint64(9), missed)
	assert.Equal(t, []string{"0 a: trusted (first heartbeat)", "3 a: suspected (silent)", "10 a: trusted (heard)", "lagged, 9 missed"}, drain(slow))
	for _, state := range slow.All() {
		assert.Equal(t, peers.StateSuspected, state)
	}
	s.to(60).beat("a")
	e, ok := slow.TryNext()
	assert.True(t, ok)
	assert.Equal(t, peers.Trusted, e.Kind)
	assert.Equal(t, uint64(13), e.Number, "the missed ones are counted, too")
}

func TestSubscribeLater(t *testing.T) {
	s := begin(t, peers.Config[string]{NewDetector: phi}).register("silent", "beats", "never").beats(100, "beats", "silent")
	s.beats(105, "beats").events()
	late := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 1})
	states := maps.Collect(late.All())
	assert.Equal(t, map[string]peers.State{"silent": peers.StateTrusted, "beats": peers.StateTrusted, "never": peers.StateUnknown}, states)
	s.m.Advance(s.now)
	assert.ElementsMatch(t, []string{"105 silent: suspected (silent)", "105 never: suspected (never heard)"}, drain(late))
	s.beat("never")
	assert.Equal(t, []string{"105 never: trusted (first heartbeat)"}, drain(late))
	require.NoError(t, s.m.Check())
	late.Close()
	late.Close()
	s.to(120)
	assert.Empty(t, drain(late))
	require.NoError(t, s.m.Check())
	again := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 1e6})
	for _, state := range again.All() {
		assert.Equal(t, peers.StateTrusted, state, "a slot is empty when it is used again")
	}
}

func TestSubscribeErrors(t *testing.T) {
	m := newMonitor(t, peers.Config[string]{})
	for want, cfg := range map[string]peers.SubscriptionConfig{
		"peers: Threshold is NaN, want a finite number above 0, at most 1e+12":  {Threshold: math.NaN()},
		"peers: Threshold is +Inf, want a finite number above 0, at most 1e+12": {Threshold: math.Inf(1)},
		"peers: TrustAfter is 256, want a number from 1 to 255":                 {TrustAfter: 256},
		"peers: Buffer is -1, want a number from 1 to 16777216":                 {Buffer: -1},
	} {
		_, err := m.Subscribe(cfg)
		assert.EqualError(t, err, want)
	}
	for range 31 {
		subscribe(t, m, peers.SubscriptionConfig{})
	}
	_, err := m.Subscribe(peers.SubscriptionConfig{})
	assert.EqualError(t, err, "peers: there are 31 subscriptions already")
}

func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMonitor(t, peers.Config[string]{})
		sub := subscribe(t, m, peers.SubscriptionConfig{})
		ctx, cancel := context.WithCancel(t.Context())
		got := make(chan error, 2)
		for range 2 {
			go func() {
				for {
					_, err := sub.Next(ctx)
					got <- err
					if err != nil {
						return
					}
				}
			}()
		}
		synctest.Wait()
		require.NoError(t, m.Register("a", t0, peers.Registration{}))
		m.Heartbeat("a", t0)
		assert.NoError(t, <-got)
		cancel()
		assert.ErrorIs(t, <-got, context.Canceled)
		assert.ErrorIs(t, <-got, context.Canceled)

		m.Remove("a", t0)
		for e := range sub.Events(t.Context()) {
			assert.Equal(t, peers.Removed, e.Kind)
			break
		}
	})
}

func TestClosedSubscription(t *testing.T) {
	m := newMonitor(t, peers.Config[string]{})
	sub := subscribe(t, m, peers.SubscriptionConfig{})
	require.NoError(t, m.Register("a", t0, peers.Registration{}))
	m.Heartbeat("a", t0)
	sub.Close()
	e, err := sub.Next(t.Context())
	require.NoError(t, err)
	assert.Equal(t, peers.Trusted, e.Kind)
	for range 2 {
		_, err = sub.Next(t.Context())
		assert.Equal(t, peers.ErrClosed, err)
	}
	for range sub.Events(t.Context()) {
		assert.Fail(t, "an event of a closed subscription")
	}
}

// A backlog holds back the suspicions of one threshold, while the deadline of the
// other is far: what is held is told as soon as it may be.
func TestHeldAtOneThreshold(t *testing.T) {
	backlog := true
	s := begin(t, peers.Config[string]{
		NewDetector: fixed(10 * time.Second),
		Doubt:       peers.Doubt{Backlog: func() bool { return backlog }},
	})
	low := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 0.1})
	s.register("a").beat("a").to(1.95)
	assert.Equal(t, []string{"0 a: trusted (first heartbeat)"}, drain(low))
	backlog = false
	s.to(3)
	assert.Equal(t, []string{"2 a: suspected (silent)"}, drain(low))
}
