package peers_test

import (
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// A batch is what its heartbeats are one by one: whatever they are, two monitors
// see the same, and tell the same.
func TestBatchIsOneByOne(t *testing.T) {
	outcomes := map[peers.Outcome]int{}
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		newDetector := func(key string) (liveness.Detector, error) {
			switch key[0] % 3 {
			case 0:
				return liveness.NewFixedTimeout(time.Second)
			case 1:
				return liveness.NewChen(liveness.ChenConfig{Interval: 100 * time.Millisecond, Margin: 300 * time.Millisecond})
			}
			return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: 5, ExpectedInterval: 300 * time.Millisecond})
		}
		cfg := peers.Config[string]{NewDetector: newDetector, AutoRegister: seed%2 == 0, MaxPeers: 12, MaxJump: 5, FirstBeat: 2 * time.Second}
		one, many := begin(t, cfg), begin(t, cfg)
		scripts := []*script{one, many}
		subs := [2]*peers.Subscription[string]{}
		for i, s := range scripts {
			subs[i] = subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 0.5, TrustAfter: 3})
		}
		now := 0.0
		for range 60 {
			key := strconv.Itoa(rng.IntN(14))
			x := rng.IntN(20)
			for _, s := range scripts {
				switch x {
				case 0:
					s.m.Remove(key, s.now)
				case 1:
					_ = s.m.Reset(key, s.now)
				case 2, 3:
					_ = s.m.Register(key, s.now, peers.Registration{})
				}
			}
			batch := make([]peers.Arrival[string], rng.IntN(80))
			for i := range batch {
				a := &batch[i]
				a.Key, a.At = strconv.Itoa(rng.IntN(14)), at(now)
				if rng.IntN(3) == 0 {
					a.At = at(now - rng.Float64())
				}
				if rng.IntN(2) == 0 {
					a.Incarnation, a.Seq = uint64(rng.IntN(4)), uint64(rng.IntN(1000))
				}
				if rng.IntN(200) == 0 {
					a.Incarnation = 1000
				}
			}
			want := make([]peers.Outcome, len(batch))
			for i, a := range batch {
				want[i] = one.m.HeartbeatSeq(a.Key, a.Beat, a.At)
			}
			many.m.HeartbeatBatch(batch)
			for i, a := range batch {
				require.Equal(t, want[i], a.Outcome, "seed %d: number %d of %+v", seed, i, batch)
				outcomes[a.Outcome]++
			}
			now += 2 * rng.Float64() * rng.Float64()
			one.to(now)
			many.to(now)
			require.Equal(t, one.events(), many.events(), "seed %d", seed)
			require.Equal(t, drain(subs[0]), drain(subs[1]), "seed %d", seed)
			for key := range 14 {
				key := strconv.Itoa(key)
				p, ok := one.m.Peer(key, one.now)
				q, and := many.m.Peer(key, many.now)
				p.Mean, p.StdDev, q.Mean, q.StdDev = 0, 0, 0, 0
				require.Equal(t, ok, and)
				require.Equal(t, p, q, "seed %d", seed)
			}
			require.NoError(t, many.m.Check())
		}
		require.Equal(t, one.m.Status(one.now), many.m.Status(many.now))
	}
	for o := peers.Accepted; o < peers.RefusedDetector; o++ {
		assert.NotZero(t, outcomes[o], "%v", o)
	}
}

// A detector that panics takes no heartbeat from those beside it in a batch.
func TestPanicInBatch(t *testing.T) {
	panics := false
	s := begin(t, peers.Config[string]{NewDetector: func(key string) (liveness.Detector, error) {
		d, err := liveness.NewFixedTimeout(3 * time.Second)
		return &nosyDetector{Detector: d, visit: func() {
			if panics && (key == "b" || key == "d") {
				panic(key)
			}
		}}, err
	}}).register("a", "b", "c", "d", "e").to(20)
	s.events()
	panics = true
	var batch []peers.Arrival[string]
	for _, key := range []string{"a", "b", "c", "d", "e"} {
		batch = append(batch, peers.Arrival[string]{Key: key, Beat: peers.Beat{Seq: 1}, At: s.now})
	}
	assert.Panics(t, func() { s.m.HeartbeatBatch(batch) })
	panics = false
	s.expect("20 a: trusted (first heartbeat)", "20 c: trusted (first heartbeat)", "20 e: trusted (first heartbeat)")
	for _, a := range batch {
		assert.Equal(t, peers.Accepted, a.Outcome, a.Key)
	}
	s.to(22)
	s.m.HeartbeatSeq("b", peers.Beat{Seq: 2}, s.now)
	s.expect("22 b: trusted (first heartbeat)")
	assert.NoError(t, s.m.Check())
}

// A round that comes between a heartbeat and its detector's knowing of it sees the
// peer as it was, and the next one as it is.
func TestRoundDuringHeartbeat(t *testing.T) {
	for _, inBatch := range []bool{false, true} {
		var s *script
		round := false
		visit := func() {
			if round {
				round = false
				s.stalledTo(15.01)
			}
		}
		s = begin(t, peers.Config[string]{
			Doubt: peers.Doubt{Period: time.Hour, MaxLateness: time.Hour},
			NewDetector: func(key string) (liveness.Detector, error) {
				d, err := liveness.NewFixedTimeout(10 * time.Second)
				if key == "a" && inBatch {
					return d, err
				}
				return &nosyDetector{Detector: d, visit: visit}, err
			},
		}).register("x", "a").beat("x", "a")
		low := subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 0.1})
		s.to(5).beat("x", "a").to(14.99)
		s.events()
		drain(low)
		round = true
		if inBatch {
			s.m.HeartbeatBatch([]peers.Arrival[string]{{Key: "x", At: at(14.99)}, {Key: "a", At: at(14.99)}})
		} else {
			s.m.Heartbeat("a", at(14.99))
		}
		require.False(t, round)
		s.to(20)
		lines := drain(low)
		assert.Contains(t, lines, "14.99 a: trusted (heard)")
		assert.Contains(t, lines, "15.99 a: suspected (silent)", "in a batch: %v", inBatch)
	}
}
