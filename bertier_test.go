package liveness_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func newBertier(t testing.TB, cfg liveness.BertierConfig) *liveness.Bertier {
	t.Helper()
	return made(t, liveness.NewBertier, cfg)
}

// TestBertierVector runs the worked example with hundreds of seconds. A margin of
// 0 is the least possible here.
func TestBertierVector(t *testing.T) {
	d := newBertier(t, liveness.BertierConfig{Interval: 100 * time.Second, MinMargin: time.Microsecond})
	for seq, v := range []struct{ arrival, expected, margin, freshness float64 }{
		{0, 100, 0, 100},
		{100, 200, 0, 200},
		{205, 301.666666667, 2.5, 304.166666667},
		{300, 401.25, 2.95, 404.2},
		{398, 500.6, 3.743333333, 504.343333333},
		{520, 603.833333333, 13.097, 616.930333333},
		{600, 703.285714286, 13.6881, 716.973814286},
	} {
		d.HeartbeatSeq(uint64(seq), t0.Add(seconds(v.arrival)))
		margin := max(v.margin, 1e-6)
		assert.InEpsilon(t, margin, d.Margin().Seconds(), 1e-9, "α after %d", seq)
		assert.InEpsilon(t, max(v.freshness, v.expected+margin), d.Deadline(1).Sub(t0).Seconds(), 1e-11, "τ after %d", seq)
		assert.InEpsilon(t, v.expected, d.Deadline(1).Add(-d.Margin()).Sub(t0).Seconds(), 1e-11, "EA after %d", seq)
		assert.Zero(t, d.Suspicion(t0.Add(seconds(v.expected-1e-8))))
		assert.Equal(t, 1.0, d.Suspicion(d.Deadline(1)))
		assert.InEpsilon(t, 2, d.Suspicion(d.Deadline(1).Add(d.Margin())), 1e-9)
	}
}

// TestBertierLosses: an error is counted from when this heartbeat was expected.
func TestBertierLosses(t *testing.T) {
	cfg := liveness.BertierConfig{Interval: time.Second}
	d, counted := newBertier(t, cfg), newBertier(t, cfg)
	for seq := range 500 {
		if seq%5 == 3 {
			continue // lost
		}
		at := t0.Add(time.Duration(seq) * time.Second)
		d.HeartbeatSeq(uint64(seq), at)
		counted.Heartbeat(at)
		assert.Equal(t, 100*time.Millisecond, d.Margin())
		assert.Equal(t, at.Add(1100*time.Millisecond), d.Deadline(1))
		assert.Equal(t, d.Deadline(1), counted.Deadline(1), "the numbers are seen from the times")
	}
	assert.EqualValues(t, 100, d.Missed())
	assert.EqualValues(t, 100, counted.Missed())
	d.HeartbeatSeq(1<<63, t0.Add(499*time.Second))
	d.HeartbeatSeq(3, t0.Add(499*time.Second))
	assert.EqualValues(t, 2, d.Ignored(), "absurd, and old")
}

// TestBertierOutage: the margin after one outage is bounded, and forgotten.
func TestBertierOutage(t *testing.T) {
	d := newBertier(t, liveness.BertierConfig{Interval: time.Second, MinMargin: 10 * time.Millisecond})
	s := begin(t, d).gaps(500, 1)
	assert.Equal(t, 10*time.Millisecond, d.Margin())
	number := uint64(501) // the process was paused: no number is missing
	s.last = s.last.Add(time.Hour)
	d.HeartbeatSeq(number, s.last)
	assert.InEpsilon(t, 1.010+0.5*1.010, s.detection(1), 0.01, "longer by half")
	for range 36 {
		number++
		s.last = s.last.Add(time.Second)
		d.HeartbeatSeq(number, s.last)
	}
	assert.Less(t, d.Margin(), 60*time.Millisecond, "nine tenths are forgotten")

	before := d.Margin()
	s.last = s.last.Add(time.Second)
	d.HeartbeatSeq(number+500, s.last) // a jump of the numbers
	assert.Equal(t, before, d.Margin(), "no delay")
	assert.False(t, d.Suspected(s.last.Add(time.Second)))

	for range 10_000 { // an ever slower process must not let the margin overflow
		number += 501
		s.last = s.last.Add(time.Duration(d.Deadline(1).Sub(s.last) * 2))
		d.HeartbeatSeq(number, s.last)
		require.False(t, d.Suspected(s.last))
		require.LessOrEqual(t, d.Margin(), 100*24*time.Hour)
		number -= 500
	}
}

// TestBertierFollowsJitter: the margin grows with it, and shrinks again.
func TestBertierFollowsJitter(t *testing.T) {
	d := newBertier(t, liveness.BertierConfig{Interval: time.Second, MinMargin: time.Millisecond})
	at := t0
	beats := func(n int, jitter time.Duration) {
		for i := range n {
			d.Heartbeat(at.Add(jitter * time.Duration(1-2*(i%2))))
			at = at.Add(time.Second)
		}
	}
	beats(200, 0)
	assert.Equal(t, time.Millisecond, d.Margin())
	beats(200, 100*time.Millisecond)
	assert.InEpsilon(t, 0.4, d.Margin().Seconds(), 0.1, "four mean deviations")
	beats(200, 0)
	assert.Less(t, d.Margin(), 2*time.Millisecond)
}

func TestBertierConfigErrors(t *testing.T) {
	const ok = time.Second
	for _, c := range []struct {
		cfg  liveness.BertierConfig
		want string
	}{
		{liveness.BertierConfig{}, "liveness: Interval is 0s, want a duration from 1µs to 100 days"},
		{liveness.BertierConfig{Interval: -ok}, "liveness: Interval is -1s, want a duration from 1µs to 100 days"},
		{liveness.BertierConfig{Interval: ok, WindowSize: -1}, "liveness: WindowSize is -1, want a number from 1 to 1048576"},
		{liveness.BertierConfig{Interval: ok, MinMargin: 500}, "liveness: MinMargin is 500ns, want a duration from 1µs to 100 days"},
		{liveness.BertierConfig{Interval: ok, Gain: 1.5}, "liveness: Gain is 1.5, want a number above 0, at most 1"},
		{liveness.BertierConfig{Interval: ok, Gain: math.NaN()}, "liveness: Gain is NaN, want a number above 0, at most 1"},
		{liveness.BertierConfig{Interval: ok, Gain: math.Copysign(0, -1)}, "liveness: Gain is -0, want a number above 0, at most 1"},
		{liveness.BertierConfig{Interval: ok, Bias: -1}, "liveness: Bias is -1, want a finite number above 0, at most 100"},
		{liveness.BertierConfig{Interval: ok, Deviations: math.Inf(1)}, "liveness: Deviations is +Inf, want a finite number above 0, at most 100"},
	} {
		d, err := liveness.NewBertier(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, d)
	}
	d := newBertier(t, liveness.BertierConfig{Interval: 2 * time.Microsecond})
	assert.Equal(t, time.Microsecond, d.Margin(), "the default is in bounds")
}
