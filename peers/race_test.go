package peers_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// B090: while the monitor makes up its mind about a silent peer, a heartbeat of
// it comes in.
func TestHeartbeatMeanwhile(t *testing.T) {
	for _, c := range []struct {
		what string
		beat func(s *script)
		want []string
	}{
		{"the same incarnation", func(s *script) { s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, at(3)) }, nil},
		{"a new one", func(s *script) { s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 2}, at(3)) }, []string{"3 a: restarted as 2"}},
		{"removal", func(s *script) { s.m.Remove("a", at(3)) }, []string{"3 a: removed"}},
		{"a reset", func(s *script) { assert.NoError(s, s.m.Reset("a", at(3))) }, []string{"3 a: reset"}},
	} {
		t.Run("B090 "+c.what, func(t *testing.T) {
			slow := &slowDetector{during: func() {}}
			s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) {
				d, err := liveness.NewFixedTimeout(3 * time.Second)
				if slow.Detector != nil {
					return d, err
				}
				slow.Detector = d
				return slow, err
			}}).register("a")
			s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, s.now)
			s.to(2.99).events()
			evaluating, resume := make(chan bool), make(chan bool)
			slow.during = func() {
				slow.during = func() {}
				close(evaluating)
				<-resume
			}
			done := make(chan bool)
			go func() {
				s.stalledTo(3)
				close(done)
			}()
			<-evaluating
			c.beat(s)
			close(resume)
			<-done
			assert.Equal(t, c.want, s.events())
			require.NoError(t, s.m.Check())
			if p, ok := s.m.Peer("a", s.now); ok {
				assert.NotEqual(t, peers.StateSuspected, p.State)
			}
		})
	}
	t.Run("B090 a heartbeat that the detector is being told of", func(t *testing.T) {
		slow := &slowBeat{entered: make(chan bool), leave: make(chan bool)}
		s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) {
			d, err := liveness.NewFixedTimeout(3 * time.Second)
			slow.Detector = d
			return slow, err
		}}).register("a").beat("a")
		s.to(2.99).events()
		slow.slow = true
		done := make(chan bool)
		go func() {
			s.m.Heartbeat("a", at(2.995))
			close(done)
		}()
		<-slow.entered
		s.to(3.1).expect()
		close(slow.leave)
		<-done
		s.to(5.99).expect()
		s.to(6).expect("5.995 a: suspected (silent)")
	})
}

// slowBeat is a detector that takes its time for a heartbeat.
type slowBeat struct {
	liveness.Detector
	slow           bool
	entered, leave chan bool
}

func (d *slowBeat) Heartbeat(at time.Time) {
	if d.slow {
		close(d.entered)
		<-d.leave
	}
	d.Detector.Heartbeat(at)
}

// B104
func TestRemoveAgainstHeartbeat(t *testing.T) {
	m := newMonitor(t, peers.Config[string]{Shards: 1})
	require.NoError(t, m.Register("y", t0, peers.Registration{}))
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			m.Heartbeat("y", at(float64(i)*1e-6))
			m.Heartbeat("x", at(float64(i)*1e-6))
		}
	})
	n := 1_000_000
	if raceEnabled || testing.Short() {
		n = 20_000
	}
	for range n {
		if err := m.Register("x", t0, peers.Registration{}); err != nil {
			require.NoError(t, err)
		}
		m.Remove("x", t0)
		if _, ok := m.Peer("x", t0); ok {
			require.Fail(t, "x is there after it was removed")
		}
	}
	stop.Store(true)
	wg.Wait()
	assert.Equal(t, 1, m.Len())
	require.NoError(t, m.Check())
}

// B105: everything at once. What is counted must be right in the end, and each
// subscriber must have seen suspicion and trust take turns.
func TestSoak(t *testing.T) {
	rounds := 30_000
	if testing.Short() {
		rounds /= 3
	}
	if raceEnabled {
		rounds /= 4
	}
	var restarts atomic.Uint64
	var clock atomic.Int64
	now := func() time.Time { return t0.Add(time.Duration(clock.Load())) }
	m, err := peers.New(peers.Config[uint32]{
		NewDetector: func(key uint32) (liveness.Detector, error) {
			if key%2 == 0 {
				return liveness.NewFixedTimeout(3 * time.Millisecond)
			}
			return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: 10, ExpectedInterval: time.Millisecond, MinStdDev: time.Millisecond})
		},
		Shards: 4, FirstBeat: 5 * time.Millisecond, AutoRegister: true, MaxPeers: 150,
		Resolution: 100 * time.Microsecond,
		Doubt:      peers.Doubt{Period: 2 * time.Millisecond, MaxLateness: 20 * time.Millisecond, Grace: time.Millisecond, Recovery: 5 * time.Millisecond},
		Guard:      peers.Guard{MaxShare: 30, EvictAfter: 3 * time.Millisecond, MaxHold: 20 * time.Millisecond, Rate: 1000, Burst: 3},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	const keys = 200
	beats := func(rng *rand.Rand, n int) {
		for range n {
			m.Heartbeat(uint32(rng.IntN(keys)), now())
		}
	}
	wg.Go(func() { // time passes, and most peers are heard in 3 ms
		defer cancel()
		rng := rand.New(rand.NewPCG(1, 0))
		for range rounds {
			clock.Add(int64(100 * time.Microsecond))
			beats(rng, 20)
			m.Advance(now())
		}
	})
	loop := func(seed uint64, f func(rng *rand.Rand, key uint32)) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(1, seed))
			for ctx.Err() == nil {
				f(rng, uint32(rng.IntN(keys)))
			}
		})
	}
	loop(1, func(*rand.Rand, uint32) { m.Advance(m.Next(now())) }) // two may, if nobody needs it
	loop(2, func(rng *rand.Rand, _ uint32) {
		inc := restarts.Load()
		if rng.IntN(1000) == 0 {
			inc = restarts.Add(1)
		}
		batch := make([]peers.Arrival[uint32], 1+rng.IntN(100))
		for i := range batch {
			batch[i] = peers.Arrival[uint32]{Key: uint32(rng.IntN(keys / 2)), Beat: peers.Beat{Incarnation: inc, Seq: uint64(clock.Load())}, At: now()}
		}
		m.HeartbeatBatch(batch)
		for _, a := range batch {
			if a.Outcome == 0 {
				assert.Fail(t, "a heartbeat was left out")
			}
		}
		beats(rng, 100)
	})
	loop(3, func(rng *rand.Rand, key uint32) {
		switch rng.IntN(3) {
		case 0:
			m.Remove(key, now())
		case 1:
			_ = m.Reset(key, now())
		case 2:
			_ = m.Register(key, now(), peers.Registration{FirstBeat: time.Millisecond})
		}
		beats(rng, 1000)
	})
	loop(4, func(rng *rand.Rand, key uint32) {
		now := now()
		m.Peer(key, now)
		m.Next(now)
		for _, p := range m.All(now) {
			if p.State == peers.StateUnknown && p.Suspicion != 0 {
				assert.Fail(t, "unknown and suspicious", "%+v", p)
			}
		}
		m.Status(now)
		m.Release(now, time.Duration(rng.IntN(2))*time.Millisecond)
		m.Health().Apply(rng.IntN(3) - 1)
		beats(rng, 1000)
	})
	var suspicions atomic.Int64
	reader := func(sub *peers.Subscription[uint32]) {
		suspected := map[uint32]bool{}
		number, sure := uint64(0), true
		for e := range sub.Events(ctx) {
			if e.Kind == peers.Lagged {
				number = e.Number
				sure = false
				continue
			}
			number++
			if e.Number != number {
				assert.Fail(t, "an event got lost", "number %d after %d", e.Number, number-1)
			}
			switch e.Kind {
			case peers.Suspected:
				assert.False(t, sure && suspected[e.Key], "suspected twice: %v", e)
				suspected[e.Key] = true
				suspicions.Add(1)
			case peers.Trusted, peers.Reset:
				suspected[e.Key] = false
			case peers.Removed:
				delete(suspected, e.Key)
			}
		}
	}
	for _, cfg := range []peers.SubscriptionConfig{{Buffer: 1 << 20}, {Threshold: 0.5, Buffer: 1 << 20}, {Threshold: 4, TrustAfter: 3, Buffer: 16}} {
		sub, err := m.Subscribe(cfg)
		require.NoError(t, err)
		wg.Go(func() { reader(sub) })
	}
	loop(5, func(rng *rand.Rand, _ uint32) { // comes and goes
		sub, err := m.Subscribe(peers.SubscriptionConfig{Threshold: 0.3})
		if err != nil {
			assert.NoError(t, err)
			return
		}
		beats(rng, 5000)
		sub.Close()
	})
	wg.Wait()
	t.Logf("%d suspicions", suspicions.Load())
	assert.NotZero(t, suspicions.Load())
	require.NoError(t, m.Check())
	for key := range uint32(keys) {
		m.Remove(key, now())
	}
	assert.Zero(t, m.Len())
	assert.Zero(t, m.Entries())
	require.NoError(t, m.Check())
}

// Foreign code may call the monitor: no lock is held while it runs.
func TestForeignCode(t *testing.T) {
	var m *peers.Monitor[string]
	visits := 0
	visit := func() {
		visits++
		now := at(1)
		m.Peer("a", now)
		m.Status(now)
		for range m.All(now) {
			continue
		}
		m.Heartbeat("other", now)
		if visits < 20 { // each has everybody looked at again
			sub, err := m.Subscribe(peers.SubscriptionConfig{})
			assert.NoError(t, err)
			sub.Close()
		}
	}
	m = newMonitor(t, peers.Config[string]{
		NewDetector: func(key string) (liveness.Detector, error) {
			if key == "other" {
				return liveness.NewFixedTimeout(time.Hour)
			}
			visit()
			d, err := liveness.NewFixedTimeout(3 * time.Second)
			return &nosyDetector{Detector: d, visit: visit}, err
		},
		Doubt: peers.Doubt{Backlog: func() bool { visit(); return false }},
		Guard: peers.Guard{MaxShare: 100, EvictAfter: time.Millisecond},
	})
	sub := subscribe(t, m, peers.SubscriptionConfig{TrustAfter: 2, Threshold: 1})
	require.NoError(t, m.Register("other", t0, peers.Registration{}))
	require.NoError(t, m.Register("a", t0, peers.Registration{}))
	m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, t0)
	for now := t0; now.Before(at(5)); {
		now = m.Advance(now)
	}
	m.HeartbeatSeq("a", peers.Beat{Incarnation: 2}, at(5))
	assert.NoError(t, m.Reset("a", at(6)))
	kinds := map[peers.Kind]bool{}
	for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
		kinds[e.Kind] = true
	}
	assert.True(t, kinds[peers.Suspected] && kinds[peers.Evict] && kinds[peers.Restarted])
}

// nosyDetector calls the monitor from each of its methods.
type nosyDetector struct {
	liveness.Detector
	visit func()
	depth int
}

func (d *nosyDetector) call() {
	d.depth++
	defer func() { d.depth-- }()
	if d.depth == 1 {
		d.visit()
	}
}

func (d *nosyDetector) Heartbeat(at time.Time)           { d.call(); d.Detector.Heartbeat(at) }
func (d *nosyDetector) Suspicion(now time.Time) float64  { d.call(); return d.Detector.Suspicion(now) }
func (d *nosyDetector) Deadline(level float64) time.Time { d.call(); return d.Detector.Deadline(level) }
func (d *nosyDetector) Threshold() float64               { d.call(); return d.Detector.Threshold() }

// A detector that panics harms its caller alone.
func TestPanic(t *testing.T) {
	panics := false
	s := begin(t, peers.Config[string]{NewDetector: func(string) (liveness.Detector, error) {
		d, err := liveness.NewFixedTimeout(3 * time.Second)
		return &nosyDetector{Detector: d, visit: func() {
			if panics {
				panic("detector")
			}
		}}, err
	}}).register("a").beat("a")
	s.to(2.99).events()
	panics = true
	assert.Panics(t, func() { s.m.Advance(at(3)) })
	assert.Panics(t, func() { s.m.Heartbeat("a", at(1)) })
	panics = false
	s.now = at(3)
	s.m.Advance(at(3.01))
	s.to(4).expect("4 a: suspected (silent)") // the monitor has noted the heartbeat
	panics = true
	assert.Panics(t, func() { s.m.Heartbeat("a", at(4)) })
	panics = false
	s.to(5).beat("a").expect("5 a: trusted (heard)")
	s.to(9).expect("8 a: suspected (silent)")
	require.NoError(t, s.m.Check())
}

func TestKeys(t *testing.T) {
	type address struct {
		host string
		port int
	}
	m, err := peers.New(peers.Config[address]{NewDetector: func(address) (liveness.Detector, error) { return phi("") }})
	require.NoError(t, err)
	for i := range 100 {
		require.NoError(t, m.Register(address{strconv.Itoa(i), i}, t0, peers.Registration{}))
	}
	assert.Equal(t, peers.Accepted, m.Heartbeat(address{"7", 7}, t0))
	assert.Equal(t, peers.RefusedUnknown, m.Heartbeat(address{"7", 8}, t0))

	floats, err := peers.New(peers.Config[float64]{NewDetector: func(float64) (liveness.Detector, error) { return phi("") }})
	require.NoError(t, err)
	require.NoError(t, floats.Register(1, t0, peers.Registration{}))
	assert.EqualError(t, floats.Register(math.NaN(), t0, peers.Registration{}), "peers: key is NaN, want one that is equal to itself")
}
