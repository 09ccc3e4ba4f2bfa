package peers_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/peers"
)

// group is a script with n peers, 0 to n−1, heard at t0.
func group(t *testing.T, n int, g peers.Guard) (*script, []string) {
	s := begin(t, peers.Config[string]{Guard: g})
	keys := make([]string, n)
	for i := range keys {
		keys[i] = strconv.Itoa(i)
	}
	s.register(keys...).beat(keys...)
	s.events()
	return s, keys
}

// count returns how many events of a kind have come.
func count(s *script, kind peers.Kind) int {
	n := 0
	for e, ok := s.sub.TryNext(); ok; e, ok = s.sub.TryNext() {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

func TestGuardCap(t *testing.T) {
	for _, c := range []struct{ n, share, want int }{
		{3, 50, 1}, {3, 67, 2}, {4, 50, 2}, {100, 10, 10}, {20, 55, 11}, // B140
		{1, 10, 0}, {2, 10, 0}, {3, 10, 0}, {1, 100, 0}, // B141
	} {
		t.Run("B140 B141 n="+strconv.Itoa(c.n)+" share="+strconv.Itoa(c.share), func(t *testing.T) {
			s, keys := group(t, c.n, peers.Guard{MaxShare: c.share, EvictAfter: time.Second})
			evicted := 0
			for i := range keys { // they fall silent one by one
				for now := range 6 {
					s.to(float64(6*i+now) + 0.5).beat(keys[i+1:]...)
				}
				evicted += count(s, peers.Evict)
				require.NoError(t, s.m.Check())
			}
			s.to(float64(6*len(keys) + 10))
			assert.Equal(t, c.want, evicted+count(s, peers.Evict))
		})
	}
	t.Run("B141 at least one, and the last", func(t *testing.T) {
		s, _ := group(t, 3, peers.Guard{MaxShare: 10, AtLeast: 1, EvictAfter: time.Second})
		s.to(2).beat("1", "2").to(4.5).expect("3 0: suspected (silent)", "4 0: evict")
		s, _ = group(t, 1, peers.Guard{MaxShare: 100, AllowLast: true, EvictAfter: time.Second})
		s.to(5).expect("3 0: suspected (silent)", "4 0: evict")
	})
}

func TestGuard(t *testing.T) {
	t.Run("B143 the budget is that of suspicions alone", func(t *testing.T) {
		s, keys := group(t, 10, peers.Guard{MaxShare: 10, EvictAfter: time.Second})
		// An outlier that beats is the affair of another package's budget.
		s.beats(3, keys[1:]...).beats(6, keys[1:]...)
		s.expect("3 0: suspected (silent)", "4 0: evict")
	})
	t.Run("B144 removal gives the budget back", func(t *testing.T) {
		s, keys := group(t, 10, peers.Guard{MaxShare: 10, EvictAfter: time.Second})
		s.beats(5, keys[1:]...).expect("3 0: suspected (silent)", "4 0: evict")
		s.m.Remove("0", s.now)
		s.register("10").beat("10")
		s.beats(10, keys[1:]...).expect("5 0: removed", "5 10: trusted (first heartbeat)", "8 10: suspected (silent)", "9 10: evict")
	})
	t.Run("B152 one comparison, with hysteresis, and the ways out", func(t *testing.T) {
		guard := peers.Guard{MaxShare: 15, EvictAfter: time.Second, MaxHold: time.Minute}
		s, keys := group(t, 20, guard) // 85 % of 20 are 17
		s.beats(6, keys[3:]...)
		assert.Equal(t, 3, count(s, peers.Evict), "17 renewals are enough")

		s, keys = group(t, 100, guard)
		s.beats(6, keys[16:]...) // 84 %
		lines := s.events()
		require.Len(t, lines, 17)
		assert.Equal(t, "3 mass failure, 16 of 100 suspected", lines[16])
		s.beat(keys[15]).beats(8, keys[15:]...).expect("6 15: trusted (heard)") // 15: no more, and not few enough
		assert.True(t, s.m.Status(s.now).MassFailure)
		s.beat(keys[11:15]...).beats(9, keys[11:]...)
		assert.Contains(t, s.events()[4], " mass failure over, 11 of 100 suspected")

		s, keys = group(t, 100, guard) // 50 are gone for good
		s.beats(63, keys[50:]...)
		lines = s.events()
		require.Len(t, lines, 50+1+1+50)
		assert.Equal(t, "63 guard released (time is up), 50 of 100 suspected", lines[51])
		for _, key := range keys[:50] {
			s.m.Remove(key, s.now)
		}
		s.events()
		lines = s.beats(65, keys[50:]...).events()
		require.Len(t, lines, 1)
		assert.Contains(t, lines[0], " mass failure over, 0 of 50 suspected")
		require.NoError(t, s.m.Check())
	})
	t.Run("B152 an operator", func(t *testing.T) {
		s, keys := group(t, 10, peers.Guard{MaxShare: 15, EvictAfter: time.Second})
		s.beats(100, keys[5:]...)
		require.Len(t, s.events(), 6)
		s.m.Release(s.now, 10*time.Second)
		s.beats(101, keys[5:]...)
		lines := s.events()
		require.Len(t, lines, 6)
		assert.Contains(t, lines[0], " guard released (operator), 5 of 10 suspected")
		assert.Equal(t, peers.Status{Peers: 10, Suspects: 5, Evicted: 5, Factor: 1, MassFailure: true, Released: true}, s.m.Status(s.now))
		s.m.Release(s.now, 0)
		s.beats(102, keys[5:]...)
		assert.False(t, s.m.Status(s.now).Released)
	})
	t.Run("B153 one short outage evicts nobody", func(t *testing.T) {
		s, keys := group(t, 10, peers.Guard{MaxShare: 100, EvictAfter: 6 * time.Second})
		s.to(5).beats(300, keys...)
		assert.Equal(t, 0, count(s, peers.Evict))
		require.NoError(t, s.m.Check())
	})
	t.Run("they come back and go again while evictions are held", func(t *testing.T) {
		s, keys := group(t, 10, peers.Guard{MaxShare: 20, EvictAfter: time.Second})
		for now := 0.0; now < 100; now += 5 {
			s.to(now).beat(keys...).beats(now+5, keys[:5]...)
			require.NoError(t, s.m.Check())
		}
		for _, key := range keys[5:] {
			s.m.Remove(key, s.now)
		}
		s.to(s.now.Sub(t0).Seconds())
		require.NoError(t, s.m.Check())
	})
	t.Run("a limit to the rate", func(t *testing.T) {
		s, keys := group(t, 20, peers.Guard{MaxShare: 50, EvictAfter: time.Second, Rate: 0.5, Burst: 2})
		s.beats(13, keys[8:]...)
		var when []time.Duration
		for e, ok := s.sub.TryNext(); ok; e, ok = s.sub.TryNext() {
			if e.Kind == peers.Evict {
				when = append(when, e.At.Sub(t0).Round(time.Millisecond))
			}
		}
		assert.Equal(t, []time.Duration{4 * time.Second, 4 * time.Second, 6 * time.Second, 8 * time.Second, 10 * time.Second, 12 * time.Second}, when)
	})
	t.Run("nobody is evicted while the monitor doubts itself", func(t *testing.T) {
		s, keys := group(t, 10, peers.Guard{MaxShare: 20, EvictAfter: time.Second})
		s.beats(3, keys[1:]...).expect("3 0: suspected (silent)")
		s.stalledTo(14).expect("14 stalled (late round) for 11s, health score 1")
		s.beat(keys...).beats(20, keys...).expect("14 0: trusted (heard)", "15 recovered")
	})
}
