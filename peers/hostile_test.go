package peers_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// A first heartbeat that is on its way to the detector when its peer is reset.
func TestResetDuringHeartbeat(t *testing.T) {
	slow := &slowBeat{slow: true, entered: make(chan bool), leave: make(chan bool)}
	s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) {
		d, err := liveness.NewFixedTimeout(3 * time.Second)
		if slow.Detector != nil {
			return d, err
		}
		slow.Detector = d
		return slow, err
	}}).register("a").to(1)
	done := make(chan bool)
	go func() {
		s.m.Heartbeat("a", at(1))
		close(done)
	}()
	<-slow.entered
	require.NoError(t, s.m.Reset("a", at(1)))
	close(slow.leave)
	<-done
	s.to(20).expect("1 a: reset", "11 a: suspected (never heard)")
}

// The detector of a peer that is about to be evicted panics.
func TestPanicBeforeEviction(t *testing.T) {
	panics := false
	s := begin(t, peers.Config[string]{
		NewDetector: func(string) (liveness.Detector, error) {
			d, err := liveness.NewFixedTimeout(3 * time.Second)
			return &nosyDetector{Detector: d, visit: func() {
				if panics {
					panic("detector")
				}
			}}, err
		},
		Guard: peers.Guard{MaxShare: 100, AllowLast: true, EvictAfter: time.Second},
	}).register("a").beat("a").to(3.95)
	s.events()
	panics = true
	assert.Panics(t, func() { s.m.Advance(at(4)) })
	panics = false
	s.now = at(4)
	assert.NoError(t, s.m.Check())
	s.to(5)
	assert.Equal(t, 1, count(s, peers.Evict))
}

// A detector that always panics does not keep the monitor from judging others,
// if its caller goes on.
func TestPanicForEver(t *testing.T) {
	panics := false
	s := begin(t, peers.Config[string]{
		NewDetector: func(key string) (liveness.Detector, error) {
			d, err := liveness.NewFixedTimeout(3 * time.Second)
			return &nosyDetector{Detector: d, visit: func() {
				if panics && key == "a" {
					panic("detector")
				}
			}}, err
		},
		Guard: peers.Guard{MaxShare: 100, EvictAfter: time.Second},
	}).register("a", "b", "c").beat("a").to(0.5).beat("b", "c")
	panics = true
	n := 0
	for s.now.Before(at(6)) {
		func() {
			defer func() {
				if recover() != nil {
					n++
					s.now = s.now.Add(time.Millisecond)
				}
			}()
			s.to(6)
		}()
	}
	assert.NotZero(t, n)
	assert.Less(t, n, 100)
	assert.Equal(t, 2, count(s, peers.Evict))
	require.NoError(t, s.m.Check())
}

// Peers that are removed while they wait for their eviction bring no allowance.
func TestRateAfterRemoval(t *testing.T) {
	s, keys := group(t, 20, peers.Guard{MaxShare: 100, EvictAfter: time.Second, Rate: 0.001, Burst: 3})
	for i, key := range keys {
		s.to(float64(i) / 10).beat(key)
	}
	s.to(10)
	assert.Equal(t, 3, count(s, peers.Evict))
	for _, key := range keys[3:9] { // the next ones
		s.m.Remove(key, s.now)
	}
	s.to(20)
	assert.Zero(t, count(s, peers.Evict))
	require.NoError(t, s.m.Check())
}

// A backlog that never empties, in a monitor that is stalled again and again.
func TestBacklogForEver(t *testing.T) {
	s := begin(t, peers.Config[string]{Doubt: peers.Doubt{Backlog: func() bool { return true }, MaxFactor: 1}}).register("a", "b").beat("a", "b")
	for now := 0.0; now < 100; now += 5 {
		s.to(now).beat("b")
		s.to(now + 2).beat("b")
		s.stalledTo(now + 2.9) // 0.8 s late
	}
	assert.Contains(t, s.events(), "13.9 a: suspected (silent)")
}

func TestPanicOfNewDetector(t *testing.T) {
	panics := true
	s := begin(t, peers.Config[string]{AutoRegister: true, MaxPeers: 2, NewDetector: func(string) (liveness.Detector, error) {
		if panics {
			panic("no")
		}
		return liveness.NewFixedTimeout(3 * time.Second)
	}})
	for range 2 {
		assert.Panics(t, func() { s.m.Heartbeat("a", t0) })
		assert.Panics(t, func() { _ = s.m.Register("a", t0, peers.Registration{}) })
	}
	panics = false
	assert.Zero(t, s.m.Len())
	assert.Equal(t, peers.AcceptedNew, s.m.Heartbeat("a", t0))
}

// A Resolution longer than a round may be late is no stall.
func TestCoarseResolution(t *testing.T) {
	for _, resolution := range []time.Duration{200 * time.Millisecond, 250 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			m := newMonitor(t, peers.Config[string]{Resolution: resolution, Guard: peers.Guard{MaxShare: 100}})
			defer running(t, m)()
			for i := range 50 {
				require.NoError(t, m.Register(strconv.Itoa(i), time.Now(), peers.Registration{FirstBeat: time.Duration(i*37+50) * time.Millisecond}))
			}
			time.Sleep(20 * time.Second)
			assert.Zero(t, m.Status(time.Now()).Stalls, "%v", resolution)
		})
	}
}

// A context that is done ends the reading, whatever waits to be read.
func TestEventsOfADoneContext(t *testing.T) {
	m := newMonitor(t, peers.Config[string]{})
	sub := subscribe(t, m, peers.SubscriptionConfig{})
	for i := range 10 {
		require.NoError(t, m.Register(strconv.Itoa(i), t0, peers.Registration{}))
		m.Heartbeat(strconv.Itoa(i), t0)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range sub.Events(ctx) {
		n++
		cancel()
	}
	assert.Equal(t, 1, n)
	_, err := sub.Next(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	e, err := sub.Next(t.Context())
	require.NoError(t, err)
	assert.EqualValues(t, 2, e.Number, "nothing is lost")
}

// Heartbeats that claim to come from the future do not make a peer immortal.
func TestHeartbeatFromTheFuture(t *testing.T) {
	for _, future := range []time.Time{at(3600), t0.AddDate(8000, 0, 0)} {
		for _, beatsAfter := range []float64{0, 8} {
			s := begin(t, peers.Config[string]{}).register("a").beats(10, "a")
			s.m.Heartbeat("a", future)
			if beatsAfter > 0 {
				s.to(11).beats(10+beatsAfter, "a")
			}
			s.events()
			s.to(40)
			assert.Equal(t, 1, count(s, peers.Suspected), "%v, %v", future, beatsAfter)
			s.beat("a")
			s.expect("40 a: trusted (heard)")
		}
	}
}

// A peer may be expected from an instant in the future on, whoever looks at it
// before.
func TestExpectedLater(t *testing.T) {
	s := begin(t, peers.Config[string]{}).register("b")
	require.NoError(t, s.m.Register("a", at(100), peers.Registration{}))
	require.NoError(t, s.m.Reset("b", at(100)))
	s.to(1)
	subscribe(t, s.m, peers.SubscriptionConfig{})
	s.to(109.9).expect("100 b: reset")
	s.to(111)
	assert.Equal(t, 2, count(s, peers.Suspected))
}

// dumb is a detector that breaks the contract.
type dumb struct {
	liveness.Detector
	deadline func(level float64) time.Time
}

func (d dumb) Deadline(level float64) time.Time { return d.deadline(level) }

func TestDumbDetectors(t *testing.T) {
	last := t0
	for what, deadline := range map[string]func(float64) time.Time{
		"always zero": func(float64) time.Time { return time.Time{} },
		"no last heartbeat": func(level float64) time.Time {
			if level <= 0 {
				return time.Time{}
			}
			return last.Add(3 * time.Second)
		},
	} {
		t.Run(what, func(t *testing.T) {
			last = t0
			s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) {
				d, err := liveness.NewFixedTimeout(3 * time.Second)
				return dumb{d, deadline}, err
			}}).register("a")
			s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, t0)
			s.to(30)
			assert.Equal(t, 1, count(s, peers.Suspected))
			s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 2}, s.now)
			last = s.now
			s.to(60)
			assert.Equal(t, 1, count(s, peers.Suspected))
		})
	}
}

// A peer that came back and went again is evicted in its turn.
func TestEvictionOfOneThatCameBack(t *testing.T) {
	s := begin(t, peers.Config[string]{Guard: peers.Guard{MaxShare: 100, EvictAfter: 100 * time.Second}}).register("a", "b", "c").beat("a", "b", "c")
	for now := 0.0; now <= 400; now++ {
		s.to(now).beat("c")
		if now == 4 {
			s.beat("a")
		}
		if now <= 90 {
			s.beat("b")
		}
	}
	var lines []string
	for _, line := range s.events() {
		if line[len(line)-5:] == "evict" {
			lines = append(lines, line)
		}
	}
	assert.Equal(t, []string{"107 a: evict", "193 b: evict"}, lines)
}

func TestNeverMoreThanMaxPeers(t *testing.T) {
	m := newMonitor(t, peers.Config[string]{AutoRegister: true, MaxPeers: 10, NewDetector: func(string) (liveness.Detector, error) {
		return liveness.NewFixedTimeout(time.Second)
	}})
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 5000 {
				m.Heartbeat(strconv.Itoa(g*5000+i), t0)
				if n := m.Len(); n > 10 {
					assert.Fail(t, "too many", "%d", n)
					return
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, 10, m.Len())
}

func TestOpinionsOfNaN(t *testing.T) {
	o, err := peers.NewOpinions[float64](peers.OpinionsConfig{MaxOpinions: 10})
	require.NoError(t, err)
	for i := range 100 {
		now := t0.Add(time.Duration(i) * time.Hour)
		o.Report(peers.Opinion[float64]{Observer: 1, Subject: math.NaN()}, now)
		o.Report(peers.Opinion[float64]{Observer: math.NaN(), Subject: 2}, now)
	}
	assert.GreaterOrEqual(t, o.Len(), 0)
	v := o.Verdict(2, t0.Add(99*time.Hour))
	assert.Equal(t, peers.VerdictUnknown, v.Kind)
}

func TestFullOpinionsAreCheap(t *testing.T) {
	o, err := peers.NewOpinions[int](peers.OpinionsConfig{MaxOpinions: 100_000})
	require.NoError(t, err)
	for i := range 100_000 {
		o.Report(peers.Opinion[int]{Observer: -1, Subject: i}, t0)
	}
	start := time.Now()
	for i := range 2000 {
		assert.False(t, o.Report(peers.Opinion[int]{Observer: -2, Subject: i}, at(1)))
	}
	assert.Less(t, time.Since(start), time.Second)
}

// A monitor that is stalled more often than not convicts a dead peer, and no
// other, in bounded time: what it has worked decides.
func TestStalledAgainAndAgain(t *testing.T) {
	for _, stall := range []float64{0.5, 2, 5, 60} {
		s := begin(t, peers.Config[string]{Doubt: peers.Doubt{MaxFactor: 1}}).register("a", "b").beat("a", "b")
		s.events()
		for range 60 {
			s.to(s.now.Sub(t0).Seconds() + 0.25).beat("b")
			s.to(s.now.Sub(t0).Seconds() + 0.25).beat("b")
			s.stalledTo(s.now.Sub(t0).Seconds() + stall)
			s.beat("b")
		}
		var suspected []string
		for _, e := range s.events() {
			if strings.Contains(e, "suspected") {
				suspected = append(suspected, e)
			}
		}
		require.Len(t, suspected, 1, "%v s", stall)
		assert.Contains(t, suspected[0], "a: suspected")
	}
}

// Whatever happens, a peer is suspected at its deadline, and no other time: what a
// monitor of fixed timeouts says is what a plain model says.
func TestDeadlinesToTheNanosecond(t *testing.T) {
	for seed := range 50 {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		type truth struct {
			heard     time.Time
			ever      bool
			suspected bool
			timeout   time.Duration
		}
		timeouts := map[int]time.Duration{}
		m, err := peers.New(peers.Config[int]{
			NewDetector: func(k int) (liveness.Detector, error) { return liveness.NewFixedTimeout(timeouts[k]) },
			FirstBeat:   2 * time.Second, Shards: 2,
			Guard: peers.Guard{MaxShare: 30, EvictAfter: time.Second, MaxHold: 3 * time.Second},
		})
		require.NoError(t, err)
		for k := range 30 {
			timeouts[k] = time.Duration(rng.IntN(3000)+20) * time.Millisecond
		}
		sub, err := m.Subscribe(peers.SubscriptionConfig{Buffer: 1 << 20})
		require.NoError(t, err)
		model := map[int]*truth{}
		now := t0
		m.Advance(now)
		var want, got []string
		var others []*peers.Subscription[int]
		expire := func() {
			for k, p := range model {
				w := p.timeout
				if !p.ever {
					w = 2 * time.Second
				}
				if !p.suspected && !now.Before(p.heard.Add(w)) {
					p.suspected = true
					want = append(want, fmt.Sprintf("%d suspected %v", k, p.heard.Add(w).Sub(t0)))
				}
			}
		}
		for range 600 {
			k := rng.IntN(30)
			switch rng.IntN(13) {
			case 0, 1:
				if m.Register(k, now, peers.Registration{}) == nil {
					model[k] = &truth{heard: now, timeout: timeouts[k]}
				}
			case 2:
				if m.Remove(k, now) {
					delete(model, k)
				}
			case 3:
				if m.Reset(k, now) == nil {
					model[k] = &truth{heard: now, timeout: timeouts[k]}
				}
			case 4, 5, 6, 7, 8:
				batch := make([]peers.Arrival[int], 1+rng.IntN(3)*rng.IntN(30))
				for i := range batch {
					batch[i] = peers.Arrival[int]{Key: (k + i/2) % 30, At: now}
				}
				m.HeartbeatBatch(batch)
				for _, a := range batch {
					if a.Outcome == peers.Accepted {
						p := model[a.Key]
						p.heard, p.ever, p.suspected = now, true, false
					}
				}
			case 9: // others come and go
				if len(others) > 0 && rng.IntN(2) == 0 {
					others[0].Close()
					others = others[1:]
				} else if other, err := m.Subscribe(peers.SubscriptionConfig{Threshold: 0.1 + 2*rng.Float64(), TrustAfter: 1 + rng.IntN(3)}); err == nil {
					others = append(others, other)
				}
			default:
				end := now.Add(time.Duration(rng.IntN(400)) * time.Millisecond)
				for next := m.Next(now); !next.After(end); next = m.Next(now) {
					now = next
					m.Advance(now)
					expire()
				}
				now = end
			}
			for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
				if e.Kind == peers.Suspected {
					got = append(got, fmt.Sprintf("%d suspected %v", e.Key, e.At.Sub(t0)))
				}
				require.NotEqual(t, peers.Stalled, e.Kind)
			}
		}
		require.ElementsMatch(t, want, got, "seed %d", seed)
		require.NoError(t, m.Check())
	}
}

// Nor does one that ends a suspicion, when the monitor waits for nothing else.
func TestHeartbeatFromTheFutureOfASuspect(t *testing.T) {
	for _, future := range []time.Time{at(3600), t0.AddDate(8000, 0, 0)} {
		s := begin(t, peers.Config[string]{}).register("a").beat("a").to(10)
		s.expect("0 a: trusted (first heartbeat)", "3 a: suspected (silent)")
		s.m.Heartbeat("a", future)
		s.to(40)
		assert.Equal(t, 1, count(s, peers.Suspected), "%v", future)
	}
}
