package liveness_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func newTwoWindow(t testing.TB, cfg liveness.TwoWindowConfig) *liveness.TwoWindow {
	t.Helper()
	return made(t, liveness.NewTwoWindow, cfg)
}

// TestTwoWindowIsTheLaterOfTwoChens compares it with two of them, on delays and
// losses that make none of the three start again.
func TestTwoWindowIsTheLaterOfTwoChens(t *testing.T) {
	for _, windows := range [][2]int{{1, 1000}, {1, 1}, {8, 100}, {20, 20}} {
		rng := rand.New(rand.NewPCG(5, 5))
		d := newTwoWindow(t, liveness.TwoWindowConfig{Interval: time.Second, Margin: 300 * time.Millisecond, ShortWindow: windows[0], WindowSize: windows[1]})
		short := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: 300 * time.Millisecond, WindowSize: windows[0]})
		long := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: 300 * time.Millisecond, WindowSize: windows[1]})
		shorter := 0
		for seq := range uint64(3000) {
			if rng.Float64() < 0.1 {
				continue
			}
			at := t0.Add(time.Duration(seq)*time.Second + seconds(0.4*rng.Float64()))
			for _, d := range []interface{ HeartbeatSeq(uint64, time.Time) }{d, short, long} {
				d.HeartbeatSeq(seq, at)
			}
			want := long.Deadline(1)
			if short.Deadline(1).After(want) {
				want = short.Deadline(1)
				shorter++
			}
			require.Equal(t, want, d.Deadline(1), "windows %v, heartbeat %d", windows, seq)
			require.Equal(t, max(0, d.Deadline(2).Sub(want)), 300*time.Millisecond)
		}
		if windows[0] < windows[1] {
			assert.Greater(t, shorter, 300)
		}
		assert.Equal(t, long.Missed(), d.Missed())
	}
}

// TestTwoWindowFollowsAtOnce: delays that jump up are followed by the next heartbeat, and back down slowly.
func TestTwoWindowFollowsAtOnce(t *testing.T) {
	d := newTwoWindow(t, liveness.TwoWindowConfig{Interval: time.Second, Margin: 300 * time.Millisecond})
	s := begin(t, d).gaps(999, 1)
	assert.Equal(t, 1.3, s.detection(1))
	s.gaps(1, 1.2)
	assert.Equal(t, 1.3, s.detection(1), "the short window moved with it")
	s.gaps(1, 0.8)
	assert.InDelta(t, 1.3002, s.detection(1), 1e-9, "the long one hardly")
	assert.Zero(t, s.after(1.0002))
	assert.InEpsilon(t, 0.5, s.after(1.1502), 1e-8)
}

func TestTwoWindowAbsurdNumbers(t *testing.T) {
	d := newTwoWindow(t, liveness.TwoWindowConfig{Interval: time.Second, Margin: time.Second})
	for i := range 50 {
		at := t0.Add(time.Duration(i) * time.Second)
		d.HeartbeatSeq(uint64(i), at)
		d.HeartbeatSeq(1<<63, at.Add(time.Millisecond))
		require.Equal(t, at.Add(2*time.Second), d.Deadline(1))
	}
	assert.EqualValues(t, 50, d.Ignored())
}

func TestTwoWindowConfigErrors(t *testing.T) {
	const ok = time.Second
	for _, c := range []struct {
		cfg  liveness.TwoWindowConfig
		want string
	}{
		{liveness.TwoWindowConfig{Margin: ok}, "liveness: Interval is 0s, want a duration from 1µs to 100 days"},
		{liveness.TwoWindowConfig{Interval: ok}, "liveness: Margin is 0s, want a duration from 1µs to 100 days"},
		{liveness.TwoWindowConfig{Interval: ok, Margin: ok, WindowSize: -5}, "liveness: WindowSize is -5, want a number from 1 to 1048576"},
		{liveness.TwoWindowConfig{Interval: ok, Margin: ok, ShortWindow: -1}, "liveness: ShortWindow is -1, want a number from 1 to WindowSize, 1000"},
		{liveness.TwoWindowConfig{Interval: ok, Margin: ok, ShortWindow: 11, WindowSize: 10}, "liveness: ShortWindow is 11, want a number from 1 to WindowSize, 10"},
	} {
		d, err := liveness.NewTwoWindow(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, d)
	}
}
