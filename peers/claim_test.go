package peers_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/peers"
)

// The values of memberlist's own tests. It rounds down to milliseconds.
func TestMemberlist(t *testing.T) {
	for _, c := range []struct {
		n, k              int
		elapsed, min, max time.Duration
		want              time.Duration
	}{
		{0, 3, 0, 2 * time.Second, 30 * time.Second, 30 * time.Second},
		{1, 3, 2 * time.Second, 2 * time.Second, 30 * time.Second, 14 * time.Second},
		{2, 3, 3 * time.Second, 2 * time.Second, 30 * time.Second, 4810 * time.Millisecond},
		{3, 3, 4 * time.Second, 2 * time.Second, 30 * time.Second, -2 * time.Second},
		{4, 3, 5 * time.Second, 2 * time.Second, 30 * time.Second, -3 * time.Second},
		{5, 3, 10 * time.Second, 2 * time.Second, 30 * time.Second, -8 * time.Second},
		{2, 3, 0, 2 * time.Second, 30 * time.Second, 7810525 * time.Microsecond},
		{0, 3, 0, 500 * time.Millisecond, 2 * time.Second, 2 * time.Second},
		{1, 3, 0, 500 * time.Millisecond, 2 * time.Second, 1250 * time.Millisecond},
		{2, 3, 0, 500 * time.Millisecond, 2 * time.Second, 811 * time.Millisecond},
		{3, 3, 0, 500 * time.Millisecond, 2 * time.Second, 500 * time.Millisecond},
		{0, 0, 0, 500 * time.Millisecond, 2 * time.Second, 500 * time.Millisecond},
	} {
		got := peers.RemainingSuspicion(c.n, c.k, c.elapsed, c.min, c.max)
		assert.InDelta(t, c.want.Seconds(), got.Seconds(), 0.001, "%+v", c)
	}

	for n, want := range map[int]int64{5: 1000, 10: 1000, 50: 1698, 100: 2000, 500: 2698, 1000: 3000} {
		least, _ := peers.SuspicionBounds(3, 1, n, time.Second)
		assert.Equal(t, want, (least / 3).Milliseconds(), "n = %d", n)
	}
	for n, want := range map[int][2]float64{
		1: {5, 30}, 10: {5, 30}, 32: {7.5257, 45.1545}, 100: {10, 60}, 128: {10.536, 63.216}, 1000: {15, 90}, 5000: {18.4949, 110.969},
	} {
		least, most := peers.SuspicionBounds(5, 6, n, time.Second)
		assert.InEpsilon(t, want[0], least.Seconds(), 1e-5)
		assert.InEpsilon(t, want[1], most.Seconds(), 1e-5)
	}
	least, most := peers.SuspicionBounds(4, 6, 100, time.Second)
	assert.Equal(t, [2]time.Duration{8 * time.Second, 48 * time.Second}, [2]time.Duration{least, most})
	_, most = peers.SuspicionBounds(1e300, 1e300, 100, time.Second)
	assert.Equal(t, time.Duration(math.MaxInt64), most)

	h, err := peers.NewHealth(8)
	require.NoError(t, err)
	deltas := []int{0, -1, -10, 1, -1, 10, -1, -1, -1, -1, -1, -1, -1, -1}
	for i, want := range []int{0, 0, 0, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0, 0} {
		assert.Equal(t, want, h.Apply(deltas[i]), "step %d", i)
		assert.Equal(t, time.Duration(want+1)*time.Second, h.Stretch(time.Second))
	}
	h.Apply(math.MaxInt)
	assert.Equal(t, 7, h.Apply(math.MaxInt))
	assert.Equal(t, time.Duration(math.MaxInt64), h.Stretch(math.MaxInt64))
	assert.Equal(t, 0, h.Apply(math.MinInt))
	assert.Equal(t, 8, h.Max())
	_, err = peers.NewHealth(0)
	assert.EqualError(t, err, "peers: max is 0, want a number from 1 to 100")
}

var lifeguard = peers.SuspicionConfig{Min: 500 * time.Millisecond, Max: 2 * time.Second}

func TestSuspicion(t *testing.T) {
	s, err := peers.NewSuspicion(lifeguard, "me", t0)
	require.NoError(t, err)
	for _, c := range []struct {
		from string
		news bool
		due  float64
	}{
		{"me", false, 2}, {"a", true, 1.25}, {"a", false, 1.25}, {"b", true, 0.81128}, {"b", false, 0.81128}, {"c", true, 0.5}, {"d", false, 0.5},
	} {
		assert.Equal(t, c.news, s.Confirm(c.from), "%+v", c)
		assert.InDelta(t, c.due, s.Deadline().Sub(t0).Seconds(), 1e-5, "%+v", c)
	}
	assert.Equal(t, 3, s.Confirmations())

	for n := 1; n <= 6; n++ {
		t.Run(fmt.Sprintf("B111 n=%d", n), func(t *testing.T) {
			cfg := lifeguard
			cfg.Members = n
			s, err := peers.NewSuspicion(cfg, "me", t0)
			require.NoError(t, err)
			want := 2.0
			if n-2 < 3 {
				want = 0.5 // nobody there to confirm
			}
			assert.Equal(t, want, s.Deadline().Sub(t0).Seconds())
			assert.Equal(t, n >= 5, s.Confirm("other"))
		})
	}

	for want, cfg := range map[string]peers.SuspicionConfig{
		"peers: Min is 0s, want a duration from 1µs to 100 days":   {},
		"peers: Max is 1s, want at least Min, 2s":                  {Min: 2 * time.Second, Max: time.Second},
		"peers: Confirmations is 256, want a number from 1 to 255": {Min: time.Second, Max: time.Second, Confirmations: 256},
		"peers: Members is -1, want a number of at least 0":        {Min: time.Second, Max: time.Second, Members: -1},
	} {
		_, err := peers.NewSuspicion(cfg, "me", t0)
		assert.EqualError(t, err, want)
		_, err = peers.NewMember[string](cfg, 1)
		assert.EqualError(t, err, want)
	}
}

// B111: three peers, all dead, found one after the other.
func TestAllDead(t *testing.T) {
	for n := 1; n <= 3; n++ {
		s := begin(t, peers.Config[string]{Guard: peers.Guard{MaxShare: 100, AllowLast: true, EvictAfter: time.Second}})
		keys := []string{"a", "b", "c"}[:n]
		s.register(keys...).beat(keys...).to(10)
		assert.Equal(t, n, count(s, peers.Evict))
		assert.Equal(t, n, s.m.Status(s.now).Suspects)
	}
}

func alive(i uint64) peers.Claim   { return peers.Claim{Kind: peers.ClaimAlive, Incarnation: i} }
func suspect(i uint64) peers.Claim { return peers.Claim{Kind: peers.ClaimSuspect, Incarnation: i} }
func dead(i uint64) peers.Claim    { return peers.Claim{Kind: peers.ClaimDead, Incarnation: i} }

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		claim, old peers.Claim
		want       bool
	}{
		{alive(5), alive(5), false}, {alive(6), alive(5), true}, {alive(4), alive(5), false},
		{suspect(5), alive(5), true}, {suspect(4), alive(5), false}, {suspect(6), suspect(5), true}, {suspect(5), suspect(5), false},
		{alive(5), suspect(5), false}, {alive(6), suspect(5), true},
		{dead(5), suspect(5), true}, {dead(5), alive(5), true}, {dead(4), alive(5), false}, {dead(6), suspect(5), true},
		{suspect(6), dead(5), false}, {alive(5), dead(5), false}, {alive(6), dead(5), true}, {dead(6), dead(5), false},
	} {
		assert.Equal(t, c.want, c.claim.Overrides(c.old), "%v over %v", c.claim, c.old)
	}

	t.Run("B087", func(t *testing.T) {
		m, err := peers.NewMember[string](lifeguard, 5)
		require.NoError(t, err)
		assert.True(t, m.Hear(suspect(5), "a", t0), "suspect beats alive at an equal number")
		assert.False(t, m.Hear(alive(5), "b", t0))
		assert.Equal(t, suspect(5), m.Claim())
		assert.True(t, m.Hear(alive(6), "b", t0), "a higher number clears")
		assert.Equal(t, alive(6), m.Claim())
		assert.True(t, m.Deadline().IsZero())
		answer, needed := suspect(50).Refute(7)
		assert.True(t, needed)
		assert.Equal(t, uint64(51), answer)
		for _, c := range []peers.Claim{alive(50), suspect(6), dead(math.MaxUint64)} {
			_, needed := c.Refute(7)
			assert.False(t, needed, "%v", c)
		}
	})
	t.Run("B089", func(t *testing.T) {
		five := peers.SuspicionConfig{Min: 5 * time.Second, Max: 5 * time.Second}
		m, err := peers.NewMember[string](five, 1)
		require.NoError(t, err)
		m.Hear(suspect(5), "a", at(0))
		assert.False(t, m.Hear(alive(4), "a", at(1)))
		assert.True(t, m.Deadline().Equal(at(5)))
		m.Hear(alive(6), "a", at(2))
		m.Hear(suspect(6), "a", at(3))
		assert.False(t, m.Advance(at(5)), "the first suspicion is over")
		assert.False(t, m.Advance(at(7.999)))
		assert.True(t, m.Advance(at(8)))
		assert.Equal(t, dead(6), m.Claim())
		assert.False(t, m.Advance(at(9)))
	})
	t.Run("confirmations", func(t *testing.T) {
		m, err := peers.NewMember[string](lifeguard, 1)
		require.NoError(t, err)
		m.Hear(suspect(1), "a", t0)
		assert.True(t, m.Hear(suspect(1), "b", t0))
		assert.False(t, m.Hear(suspect(1), "b", t0))
		assert.True(t, m.Deadline().Equal(at(1.25)))
		assert.False(t, m.Hear(alive(1), "c", at(2)), "too late")
		assert.Equal(t, dead(1), m.Claim())
		assert.True(t, m.Hear(alive(2), "c", at(2)), "it came back")
	})
}
