package peers_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// FuzzScript runs a script of operations, two bytes each, and holds the monitor
// to what must be true of any: what it counts is what there is, suspicion and
// trust take turns in every subscription, what a subscriber was told is what the
// monitor says, and nobody is suspected whose detector sees no reason.
func FuzzScript(f *testing.F) {
	f.Add([]byte("\x00\x01\x10\x01\x20\x05\x10\x01\x20\xff\x30\x01"))
	f.Add([]byte("\x00\x01\x00\x02\x00\x03\x10\x01\x10\x02\x10\x03\x20\x40\x20\x80\x20\xff\x20\xff\x40\x01\x50\x02\x60\x03\x20\x01"))
	f.Add([]byte("\x10\x01\x70\xff\x10\x01\x20\x10\x80\x03\x20\x40\x90\x03\xa0\x20\x20\x10\xb0\x01\x20\xff"))
	f.Fuzz(func(t *testing.T, script []byte) {
		m, err := peers.New(peers.Config[byte]{
			NewDetector: func(key byte) (liveness.Detector, error) {
				if key%2 == 0 {
					return liveness.NewFixedTimeout(time.Second)
				}
				return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: 5, ExpectedInterval: 300 * time.Millisecond})
			},
			Shards: 2, FirstBeat: 2 * time.Second, AutoRegister: true, MaxPeers: 10,
			Guard: peers.Guard{MaxShare: 40, EvictAfter: time.Second, MaxHold: 5 * time.Second, Rate: 2},
		})
		require.NoError(t, err)
		type follower struct {
			*peers.Subscription[byte]
			suspected map[byte]bool
			number    uint64
		}
		var followers []*follower
		follow := func(cfg peers.SubscriptionConfig) {
			if sub, err := m.Subscribe(cfg); err == nil {
				fl := &follower{Subscription: sub, suspected: map[byte]bool{}}
				for key, state := range sub.All() {
					fl.suspected[key] = state == peers.StateSuspected
				}
				followers = append(followers, fl)
			}
		}
		follow(peers.SubscriptionConfig{})
		follow(peers.SubscriptionConfig{Threshold: 0.4, TrustAfter: 2})
		now := t0
		for i := 0; i+1 < len(script) && i < 400; i += 2 {
			key, x := script[i]&15, script[i+1]
			incarnation := uint64(x % 4)
			switch script[i] >> 4 {
			case 0:
				_ = m.Register(key, now, peers.Registration{FirstBeat: time.Duration(x) * 10 * time.Millisecond})
			case 1, 2, 3:
				m.Heartbeat(key, now)
			case 4:
				m.HeartbeatSeq(key, peers.Beat{Incarnation: incarnation, Seq: uint64(x)}, now)
			case 5:
				m.Heartbeat(key, now.Add(-time.Duration(x)*50*time.Millisecond))
			case 6:
				m.Remove(key, now)
			case 7:
				_ = m.Reset(key, now)
			case 8:
				if len(followers) < 5 {
					follow(peers.SubscriptionConfig{Threshold: float64(x)/64 + 0.01, TrustAfter: int(x%3) + 1})
				}
			case 9:
				if n := len(followers); n > 2 {
					followers[n-1].Close()
					followers = followers[:n-1]
				}
			case 10:
				now = now.Add(time.Duration(x) * 20 * time.Millisecond) // and nobody calls Advance
				m.Advance(now)
			case 11:
				now = now.Add(-time.Duration(x) * 20 * time.Millisecond)
				m.Advance(now)
			case 12:
				m.Release(now, time.Duration(x)*10*time.Millisecond)
			case 13:
				m.Health().Apply(int(x%5) - 2)
			case 14:
				batch := make([]peers.Arrival[byte], x%70)
				for i := range batch {
					batch[i] = peers.Arrival[byte]{Key: (key + byte(i)*(x>>5)) & 15, At: now.Add(-time.Duration(i%5) * 10 * time.Millisecond)}
					batch[i].Seq = uint64(byte(i) & x)
				}
				m.HeartbeatBatch(batch)
				for _, a := range batch {
					require.NotZero(t, a.Outcome)
				}
			default:
				for end, rounds := now.Add(time.Duration(x)*10*time.Millisecond), 0; ; rounds++ {
					require.Less(t, rounds, 2000, "rounds in less than 3 s")
					next := m.Next(now)
					if next.After(end) {
						now = end
						break
					}
					if next.After(now) {
						now = next
					}
					m.Advance(now)
				}
			}
			require.NoError(t, m.Check())
			for _, fl := range followers {
				for e, ok := fl.TryNext(); ok; e, ok = fl.TryNext() {
					fl.number++
					require.Equal(t, fl.number, e.Number)
					switch e.Kind {
					case peers.Suspected:
						require.False(t, fl.suspected[e.Key], "%v", e)
						fl.suspected[e.Key] = true
					case peers.Trusted, peers.Reset:
						fl.suspected[e.Key] = false
					case peers.Removed:
						delete(fl.suspected, e.Key)
					}
				}
				for key, state := range fl.All() {
					require.Equal(t, fl.suspected[key], state == peers.StateSuspected, "%d is %v", key, state)
				}
			}
		}
	})
}
