package liveness_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func newChen(t testing.TB, cfg liveness.ChenConfig) *liveness.Chen {
	t.Helper()
	return made(t, liveness.NewChen, cfg)
}

func TestChenLosses(t *testing.T) {
	cfg := liveness.ChenConfig{Interval: time.Second, Margin: 300 * time.Millisecond, WindowSize: 10}
	d := newChen(t, cfg)
	counted := newChen(t, cfg)
	for seq := range 200 {
		if seq%5 == 3 {
			continue // lost
		}
		at := t0.Add(time.Duration(seq)*time.Second + time.Duration(seq%3)*10*time.Millisecond)
		d.HeartbeatSeq(uint64(seq), at)
		counted.Heartbeat(at)
		assert.Equal(t, d.Deadline(1), counted.Deadline(1), "the numbers are seen from the times")
		assert.InDelta(t, 1.31, d.Deadline(1).Sub(t0.Add(time.Duration(seq)*time.Second)).Seconds(), 0.010001)
	}
	assert.EqualValues(t, 40, d.Missed())
	assert.EqualValues(t, 40, counted.Missed())

	before := d.Deadline(1)
	d.HeartbeatSeq(150, t0.Add(time.Hour)) // reordered
	d.HeartbeatSeq(199, t0.Add(time.Hour)) // repeated
	assert.Equal(t, before, d.Deadline(1))
	d.HeartbeatSeq(200, t0.Add(200*time.Second))
	assert.InDelta(t, 201.31, d.Deadline(1).Sub(t0).Seconds(), 0.01)
}

// TestChenCountsFromZero: the number taken for a first heartbeat without one does not depend on when it came.
func TestChenCountsFromZero(t *testing.T) {
	start := time.Now().Add(time.Hour)
	d := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
	d.Heartbeat(start)
	d.HeartbeatSeq(1, start.Add(time.Second))
	assert.Equal(t, start.Add(3*time.Second), d.Deadline(1))
}

func TestChenShifts(t *testing.T) {
	feed := func(d *liveness.Chen, from uint64, n int, at time.Time) (uint64, time.Time) {
		for range n {
			d.HeartbeatSeq(from, at)
			assert.False(t, d.Suspected(at), "at its heartbeat %d", from)
			from++
			at = at.Add(time.Second)
		}
		return from, at
	}
	steady := func(d *liveness.Chen, at time.Time, what string) {
		t.Helper()
		assert.Equal(t, at.Add(300*time.Millisecond), d.Deadline(1), what)
	}
	cfg := liveness.ChenConfig{Interval: time.Second, Margin: 300 * time.Millisecond, WindowSize: 100}

	d := newChen(t, cfg)
	seq, at := feed(d, 0, 150, t0)
	steady(d, at, "regular")
	seq, at = feed(d, seq, 3, at.Add(time.Hour)) // the sender slept
	steady(d, at, "after a pause of the sender")
	seq, at = feed(d, seq+1_000_000, 3, at)
	steady(d, at, "after a jump of the numbers")
	_, at = feed(d, seq, 3, at.Add(-time.Hour)) // two of them until the clock is believed
	steady(d, at, "after the clock was set back")
	_, at = feed(d, math.MaxUint64-2, 3, at)
	steady(d, at, "at the end of the numbers")
	ignored := d.Ignored()
	assert.True(t, d.Suspected(at.Add(time.Second)))
	d.HeartbeatSeq(1, at)
	assert.Equal(t, ignored+1, d.Ignored())
	assert.True(t, d.Suspected(at.Add(time.Second)), "a lower number is old")
}

// TestChenAbsurdNumbers: one garbled number must not make all others old.
func TestChenAbsurdNumbers(t *testing.T) {
	d := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: 300 * time.Millisecond})
	for i := range 50 {
		at := t0.Add(time.Duration(i) * time.Second)
		d.HeartbeatSeq(uint64(i), at)
		d.HeartbeatSeq(1<<63, at.Add(time.Millisecond))
		require.False(t, d.Suspected(at.Add(1299*time.Millisecond)))
		require.True(t, d.Suspected(at.Add(1300*time.Millisecond)))
	}
	assert.EqualValues(t, 50, d.Ignored())
	assert.Zero(t, d.Missed())

	// After an outage of the network as many numbers are missing as have been sent.
	at := t0.Add(100_000 * time.Second)
	d.HeartbeatSeq(100_000, at)
	assert.False(t, d.Suspected(at.Add(time.Second)))
	assert.EqualValues(t, 50, d.Ignored())
}

// TestChenTrustsWhatItTakesIn: also where an old, very late sample leaves the window.
func TestChenTrustsWhatItTakesIn(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, window := range []int{1, 2, 5, 16, 100} {
		d := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: 500 * time.Millisecond, WindowSize: window})
		late := time.Duration(0)
		for i := range 5000 {
			late += time.Duration((3*rng.Float64() - 1.6) * 1e9)
			at := t0.Add(time.Duration(i)*time.Second + late)
			d.HeartbeatSeq(uint64(i), at)
			if last := d.Deadline(0); last.Equal(at) {
				require.False(t, d.Suspected(at), "window %d, heartbeat %d", window, i)
			}
			due := d.Deadline(1)
			require.True(t, d.Suspected(due) && !d.Suspected(due.Add(-1)))
			require.Equal(t, 1.0, d.Suspicion(due))
		}
	}
}

// TestChenInexactInterval: how far the period may differ is documented.
func TestChenInexactInterval(t *testing.T) {
	for _, c := range []struct {
		period, margin time.Duration
		suspected      bool
	}{
		{1010 * time.Millisecond, 200 * time.Millisecond, false},
		{990 * time.Millisecond, 200 * time.Millisecond, false},
		{1010 * time.Millisecond, 100 * time.Millisecond, true},
	} {
		d := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: c.margin})
		suspected := false
		for i := range 5000 {
			at := t0.Add(time.Duration(i) * c.period)
			suspected = suspected || d.Suspected(at.Add(-1))
			d.HeartbeatSeq(uint64(i), at)
		}
		assert.Equal(t, c.suspected, suspected, "%v with a margin of %v", c.period, c.margin)
	}
}

// TestChenQoS compares the mistakes of NFD-E with the analysis of Chen, Toueg
// and Aguilera: η = 1 s, loss 0.01, exponential delay with mean 20 ms, and a
// detection time of at most η + δ, of which the margin is δ − E(D).
func TestChenQoS(t *testing.T) {
	beats := 1_000_000
	if testing.Short() || raceEnabled {
		beats = 200_000
	}
	for _, c := range []struct{ detection, recurrence, duration float64 }{
		{1.10, 60.5919, 0.565933},
		{1.16, 97.7633, 0.842776},
		{1.50, 101.010, 0.530101},
		{2.00, 101.010, 0.030101},
	} {
		rng := rand.New(rand.NewPCG(7, uint64(c.detection*100)))
		margin := c.detection - 1 - 0.020
		d := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: seconds(margin), WindowSize: 1000})
		d.HeartbeatSeq(0, t0)
		mistakes, wrong := 0, 0.0
		for seq := 1; seq < beats; seq++ {
			if rng.Float64() < 0.01 {
				continue
			}
			at := t0.Add(time.Duration(seq)*time.Second + seconds(0.020*rng.ExpFloat64()))
			freshness := d.Deadline(1)
			d.HeartbeatSeq(uint64(seq), at)
			if at.After(freshness) {
				mistakes++
				wrong += at.Sub(freshness).Seconds()
			}
		}
		recurrence := float64(beats) / float64(mistakes)
		duration := wrong / float64(mistakes)
		// Mistakes are nearly independent, so their number has a standard
		// error of its root; 4 of them, and as much for the estimate of EA.
		tolerance := 4/math.Sqrt(float64(mistakes)) + 0.01
		t.Logf("T_D %.2f s: %d mistakes, T_MR %.2f s (analysis %.2f), T_M %.4f s (%.4f)", c.detection, mistakes, recurrence, c.recurrence, duration, c.duration)
		assert.InEpsilon(t, c.recurrence, recurrence, tolerance, "T_MR at T_D = %v", c.detection)
		assert.InEpsilon(t, c.duration, duration, tolerance+0.02, "T_M at T_D = %v", c.detection)
	}
}
