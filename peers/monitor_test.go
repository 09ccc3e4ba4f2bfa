package peers_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

func TestLife(t *testing.T) {
	s := begin(t, peers.Config[string]{Guard: peers.Guard{MaxShare: 50}}).register("a", "b")
	assert.Equal(t, peers.StateUnknown, s.state("a"))
	s.to(1).beat("a").expect("1 a: trusted (first heartbeat)")
	s.to(3.5).beat("a").expect()
	s.to(6.4999).expect()
	s.to(6.5).expect("6.5 a: suspected (silent)")
	assert.Equal(t, peers.StateSuspected, s.state("a"))
	s.to(9).beat("b").expect("9 b: trusted (first heartbeat)")
	s.to(10).beat("b").to(11.4).beat("b").expect()
	s.to(12).expect("11.5 a: evict")
	assert.Equal(t, peers.StateEvicted, s.state("a"))
	s.to(13).beat("a", "b").expect("13 a: trusted (heard)")
	assert.Equal(t, peers.StateTrusted, s.state("a"))
	require.NoError(t, s.m.Check())
}

func TestSnapshot(t *testing.T) {
	s := begin(t, peers.Config[string]{NewDetector: func(key string) (liveness.Detector, error) {
		if key == "fixed" {
			return liveness.NewFixedTimeout(3 * time.Second)
		}
		return phi(key)
	}}).register("phi", "fixed", "new").beats(100, "phi", "fixed")
	now := at(101.5)
	s.to(101.5)
	p, ok := s.m.Peer("phi", now)
	require.True(t, ok)
	d, err := phi("")
	require.NoError(t, err)
	for i := range 101 {
		d.Heartbeat(at(float64(i)))
	}
	assert.Equal(t, d.Suspicion(now), p.Suspicion)
	assert.True(t, d.Deadline(8).Equal(p.Deadline))
	assert.Equal(t, 1.0, p.Mean)
	assert.True(t, p.LastHeartbeat.Equal(at(100)))
	assert.True(t, p.Since.Equal(t0))
	assert.Equal(t, peers.Heard, p.Reason)

	p, _ = s.m.Peer("fixed", now)
	assert.True(t, math.IsNaN(p.Mean))
	assert.InDelta(t, 0.5, p.Suspicion, 1e-9)
	p, _ = s.m.Peer("new", now)
	assert.Equal(t, peers.StateSuspected, p.State)
	assert.Equal(t, peers.NeverHeard, p.Reason)
	assert.True(t, p.LastHeartbeat.IsZero())
	assert.True(t, p.Since.Equal(at(10)))

	states := map[string]peers.State{}
	for key, p := range s.m.All(now) {
		states[key] = p.State
		s.m.Remove(key, now) // nothing is locked
	}
	assert.Equal(t, map[string]peers.State{"phi": peers.StateTrusted, "fixed": peers.StateTrusted, "new": peers.StateSuspected}, states)
	assert.Zero(t, s.m.Len())
	s.register("a", "b")
	for range s.m.All(now) {
		break
	}
	for range s.sub.All() {
		break
	}
}

func TestRegister(t *testing.T) {
	refuse := errors.New("no")
	m := newMonitor(t, peers.Config[string]{MaxPeers: 2, NewDetector: func(key string) (liveness.Detector, error) {
		switch key {
		case "refused":
			return nil, refuse
		case "nil":
			return nil, nil
		}
		return phi(key)
	}})
	require.NoError(t, m.Register("a", t0, peers.Registration{}))
	assert.Equal(t, peers.ErrRegistered, m.Register("a", t0, peers.Registration{}))
	assert.ErrorIs(t, m.Register("refused", t0, peers.Registration{}), refuse)
	assert.EqualError(t, m.Register("nil", t0, peers.Registration{}), "peers: no detector for nil: NewDetector returned nil")
	assert.EqualError(t, m.Register("b", t0, peers.Registration{FirstBeat: -1}), "peers: FirstBeat is -1ns, want 0 or a duration from 1µs to 100 days")
	require.NoError(t, m.Register("b", t0, peers.Registration{FirstBeat: time.Second}))
	assert.Equal(t, peers.ErrFull, m.Register("c", t0, peers.Registration{}))
	assert.Equal(t, peers.ErrUnknown, m.Reset("c", t0))
	m.Advance(t0)
	p, _ := m.Peer("b", t0)
	assert.True(t, p.Deadline.Equal(at(1)))
	require.NoError(t, m.Check())
}

func TestConfigErrors(t *testing.T) {
	base := peers.Config[string]{NewDetector: phi}
	for want, change := range map[string]func(*peers.Config[string]){
		"peers: NewDetector is nil, want a function":                                    func(c *peers.Config[string]) { c.NewDetector = nil },
		"peers: MaxPeers is -1, want a number of at least 0":                            func(c *peers.Config[string]) { c.MaxPeers = -1 },
		"peers: MaxPeers is 0, want a number above 0 with AutoRegister":                 func(c *peers.Config[string]) { c.AutoRegister = true },
		"peers: FirstBeat is 5ns, want a duration from 1µs to 100 days":                 func(c *peers.Config[string]) { c.FirstBeat = 5 },
		"peers: Shards is 3, want a power of two up to 65536":                           func(c *peers.Config[string]) { c.Shards = 3 },
		"peers: Resolution is 2s, want a duration from 1µs to 1s":                       func(c *peers.Config[string]) { c.Resolution = 2 * time.Second },
		"peers: Doubt.Period is 1µs, want a duration from 1ms to 1h":                    func(c *peers.Config[string]) { c.Doubt.Period = time.Microsecond },
		"peers: Doubt.MaxLateness is -1s, want a duration from 1ms to 1h":               func(c *peers.Config[string]) { c.Doubt.MaxLateness = -time.Second },
		"peers: Doubt.Grace is 1ns, want a duration from 1µs to 100 days":               func(c *peers.Config[string]) { c.Doubt.Grace = 1 },
		"peers: Doubt.MaxGrace is 1ns, want a duration from 1µs to 100 days":            func(c *peers.Config[string]) { c.Doubt.MaxGrace = 1 },
		"peers: Doubt.Recovery is 1ns, want a duration from 1µs to 100 days":            func(c *peers.Config[string]) { c.Doubt.Recovery = 1 },
		"peers: Doubt.MaxFactor is 101, want a number from 1 to 100":                    func(c *peers.Config[string]) { c.Doubt.MaxFactor = 101 },
		"peers: Guard.MaxShare is 101, want a number from 1 to 100":                     func(c *peers.Config[string]) { c.Guard.MaxShare = 101 },
		"peers: Guard.AtLeast is -1, want a number of at least 0":                       func(c *peers.Config[string]) { c.Guard.AtLeast = -1 },
		"peers: Guard.EvictAfter is -1ns, want a duration from 1µs to 100 days":         func(c *peers.Config[string]) { c.Guard.EvictAfter = -1 },
		"peers: Guard.MaxHold is -1ns, want 0 or a duration from 1µs to 100 days":       func(c *peers.Config[string]) { c.Guard.MaxHold = -1 },
		"peers: Guard.Rate is NaN, want a finite number above 0, at most 1e+09":         func(c *peers.Config[string]) { c.Guard.Rate = math.NaN() },
		"peers: Guard.Burst is -1, want a number of at least 0, and of 1 where it is 0": func(c *peers.Config[string]) { c.Guard.Burst = -1 },
	} {
		cfg := base
		change(&cfg)
		m, err := peers.New(cfg)
		assert.Nil(t, m)
		if want == "peers: Guard.Burst is -1, want a number of at least 0, and of 1 where it is 0" {
			want = "peers: Guard.Burst is -1, want a number of at least 1"
		}
		assert.EqualError(t, err, want)
	}
}

// The doubt of itself for the rest of what TestCases has.
func TestDoubt(t *testing.T) {
	t.Run("each stall raises the score, quiet lowers it", func(t *testing.T) {
		s := begin(t, peers.Config[string]{NewDetector: fixed(time.Hour), Doubt: peers.Doubt{MaxFactor: 3}}).register("a").beat("a")
		now := 0.0
		for _, want := range []int{2, 3, 3, 3} {
			now += 0.5
			s.stalledTo(now)
			assert.Equal(t, want, s.m.Status(s.now).Factor)
		}
		assert.True(t, s.m.Status(s.now).HeldUntil.Equal(at(3)))
		assert.Equal(t, uint64(4), s.m.Status(s.now).Stalls)
		p, _ := s.m.Peer("a", s.now)
		assert.InDelta(t, 3*3600+4*0.4, p.Deadline.Sub(t0).Seconds(), 0.2)
		for _, want := range []int{2, 1, 1} {
			now++
			s.to(now)
			assert.Equal(t, want, s.m.Status(s.now).Factor)
		}
		assert.Equal(t, "4 recovered", s.events()[5])
	})
	t.Run("a stretched wait is seen to again when the stretch is less", func(t *testing.T) {
		s := begin(t, peers.Config[string]{}).register("a").beat("a")
		s.m.Health().Apply(5)
		s.events()
		s.to(20).expect("5 a: suspected (silent)") // 3 s · 3 were not over at 3 s, nor 3 s · 2 at 4 s
	})
	t.Run("a monitor that is stalled all the time convicts in the end", func(t *testing.T) {
		s := begin(t, peers.Config[string]{Doubt: peers.Doubt{MaxGrace: 5 * time.Second}}).register("a").beat("a")
		s.events()
		for i := range 400 {
			s.stalledTo(float64(i+1) * 0.5)
			if s.state("a") == peers.StateSuspected {
				break
			}
		}
		assert.Equal(t, peers.StateSuspected, s.state("a"))
		assert.InDelta(t, 120, s.now.Sub(t0).Seconds(), 60, "0.1 of 0.5 s count, and 3 s are stretched to 24")
	})
}

func TestNames(t *testing.T) {
	assert.Equal(t, "suspected", peers.Suspected.String())
	assert.Equal(t, "unknown kind: 0", peers.Kind(0).String())
	assert.Equal(t, "unknown kind: 99", peers.Kind(99).String())
	assert.Empty(t, peers.NoReason.String())
	assert.Equal(t, "unknown reason: 99", peers.Reason(99).String())
	assert.Equal(t, "unknown", peers.StateUnknown.String())
	assert.Equal(t, "evicted", peers.StateEvicted.String())
	assert.Equal(t, "unknown state: 9", peers.State(9).String())
	assert.Equal(t, "refused: stale", peers.RefusedStale.String())
	assert.Equal(t, "unknown", peers.VerdictUnknown.String())
	assert.Equal(t, "dead", peers.VerdictDead.String())
	assert.Equal(t, "one way", peers.LinkOneWay.String())
	assert.Equal(t, "suspect", peers.ClaimSuspect.String())
}

// A detector that wants sequence numbers is given them.
func TestChen(t *testing.T) {
	cfg := liveness.ChenConfig{Interval: time.Second, Margin: 500 * time.Millisecond}
	s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) { return liveness.NewChen(cfg) }}).register("a", "b")
	d, err := liveness.NewChen(cfg)
	require.NoError(t, err)
	for _, seq := range []uint64{1, 2, 5, 6} { // two are lost
		s.to(float64(seq))
		d.HeartbeatSeq(seq, s.now)
		assert.Equal(t, peers.Accepted, s.m.HeartbeatSeq("a", peers.Beat{Seq: seq}, s.now))
		s.m.Heartbeat("b", s.now)
	}
	p, _ := s.m.Peer("a", s.now)
	assert.True(t, d.Deadline(1).Equal(p.Deadline))
	// A new incarnation begins with a new detector, so its numbers may begin again.
	assert.Equal(t, peers.AcceptedRestart, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1, Seq: 1}, s.now))
	p, _ = s.m.Peer("a", s.now)
	assert.True(t, p.Deadline.Equal(at(7.5)))
}

// There is no detector for a new incarnation: the old one goes on.
func TestNoDetector(t *testing.T) {
	refuse := errors.New("no")
	made := 0
	s := begin(t, peers.Config[string]{AutoRegister: true, MaxPeers: 9, NewDetector: func(string) (liveness.Detector, error) {
		if made++; made > 1 {
			return nil, refuse
		}
		return liveness.NewFixedTimeout(3 * time.Second)
	}}).register("a").beat("a")
	assert.Equal(t, peers.RefusedDetector, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, s.now))
	assert.Equal(t, peers.RefusedDetector, s.m.Heartbeat("b", s.now))
	assert.ErrorIs(t, s.m.Reset("a", s.now), refuse)
	s.to(1).beat("a").to(10).expect("0 a: trusted (first heartbeat)", "4 a: suspected (silent)")
	assert.Equal(t, 1, s.m.Len())
	require.NoError(t, s.m.Check())
}
