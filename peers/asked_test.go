package peers_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// always hides of what type a detector is, and so is asked each time that its peer
// is due.
type always struct{ liveness.Detector }

// A monitor that does not ask the detectors of live peers sees what one sees that
func TestUnasked(t *testing.T) {
	kinds := map[peers.Kind]int{}
	for seed := range uint64(200) {
		backlog := false
		var subs [2][]*peers.Subscription[string]
		monitor := func(hide bool) *script {
			return begin(t, peers.Config[string]{
				NewDetector: func(key string) (liveness.Detector, error) {
					d, err := liveness.NewFixedTimeout(time.Duration(1+key[0]%3) * time.Second)
					if hide {
						return always{d}, err
					}
					return d, err
				},
				AutoRegister: true, MaxPeers: 15, FirstBeat: 2 * time.Second,
				Doubt: peers.Doubt{Backlog: func() bool { return backlog }},
				Guard: peers.Guard{MaxShare: 50, EvictAfter: 2 * time.Second, MaxHold: 5 * time.Second},
			})
		}
		scripts := []*script{monitor(false), monitor(true)}
		for i, s := range scripts {
			subs[i] = append(subs[i], s.sub)
		}
		rng := rand.New(rand.NewPCG(seed, 2))
		now := 0.0
		for range 150 {
			key := strconv.Itoa(rng.IntN(10))
			x, y := rng.IntN(24), rng.Float64()
			backlog = x == 0 || backlog && x > 5
			batch := make([]peers.Arrival[string], 12)
			for j := range batch {
				batch[j].Key = strconv.Itoa(rng.IntN(10))
				if rng.IntN(10) == 0 {
					batch[j].Incarnation = uint64(rng.IntN(4))
				}
				batch[j].At = at(now - float64(rng.IntN(10)/9)*y)
			}
			switch {
			case x < 18:
				now += y / 4
			case x == 18 && y < 0.3:
				now -= y
			}
			for i, s := range scripts {
				if x < 12 {
					s.m.HeartbeatBatch(slices.Clone(batch[:1+x]))
				}
				switch x {
				case 12:
					s.m.Remove(key, s.now)
				case 13:
					_ = s.m.Reset(key, s.now)
				case 14:
					if len(subs[i]) < 4 {
						subs[i] = append(subs[i], subscribe(t, s.m, peers.SubscriptionConfig{Threshold: 0.1 + 3*y*y, TrustAfter: 1 + x%2}))
					}
				case 15:
					if len(subs[i]) > 1 {
						subs[i][1].Close()
						subs[i] = slices.Delete(subs[i], 1, 2)
					}
				case 17:
					s.m.HeartbeatSeq(key, peers.Beat{Incarnation: 4 + uint64(10*y)}, at(now))
				case 16:
					s.m.Health().Apply(int(5*y) - 2)
				case 18:
					s.stalledTo(now)
				}
			}
			for { // both have their rounds at the same instants
				next := scripts[0].m.Next(scripts[0].now)
				if other := scripts[1].m.Next(scripts[1].now); other.Before(next) {
					next = other
				}
				if next.After(at(now)) {
					break
				}
				for _, s := range scripts {
					s.now = next
					s.m.Advance(next)
				}
			}
			for _, s := range scripts {
				s.now = at(now)
			}
			for i, sub := range subs[0] {
				var seen [2][]string
				for j, sub := range []*peers.Subscription[string]{sub, subs[1][i]} {
					for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
						kinds[e.Kind]++
						seen[j] = append(seen[j], e.At.Sub(t0).String()+" "+e.String())
					}
					slices.Sort(seen[j])
				}
				require.Equal(t, seen[1], seen[0], "seed %d, subscription %d, at %v", seed, i, now)
			}
		}
		require.NoError(t, scripts[0].m.Check())
	}
	for k := peers.Trusted; k < peers.GuardReleased; k++ {
		assert.NotZero(t, kinds[k], "%v", k)
	}
}
