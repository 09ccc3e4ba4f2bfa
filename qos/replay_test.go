package qos_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/qos"
)

func fixed(timeout time.Duration) qos.Factory {
	return func() (liveness.Detector, error) { return liveness.NewFixedTimeout(timeout) }
}

func phi(cfg liveness.PhiConfig) qos.Factory {
	return func() (liveness.Detector, error) { return liveness.NewPhi(cfg) }
}

// arrivals is a stream of heartbeats at the given seconds, numbered from 1.
func arrivals(seconds ...float64) qos.Beats {
	var beats []qos.Beat
	for i, s := range seconds {
		beats = append(beats, qos.Beat{Seq: uint64(i + 1), At: at(s)})
	}
	return qos.Slice(beats)
}

func TestReplayByHand(t *testing.T) {
	// A timeout of 2 s; suspected in [4,6), [9,10). The gap of exactly 2 s is no mistake.
	r, err := qos.Replay(arrivals(0, 1, 2, 6, 7, 10, 12), fixed(2*time.Second), 1)
	require.NoError(t, err)
	assert.Equal(t, 1., r.Level)
	assert.Equal(t, 6, r.Heartbeats)
	assert.Equal(t, 12., r.Observed)
	assert.Equal(t, 2, r.Mistakes)
	assert.Equal(t, 2./6, r.MistakesPerHeartbeat())
	assert.Equal(t, qos.Moments{Count: 1, Mean: 5, Max: 5}, r.MistakeRecurrence)
	assert.Equal(t, qos.Moments{Count: 2, Mean: 1.5, StdDev: 0.5, Max: 2}, r.MistakeDuration)
	assert.Equal(t, 0.75, r.QueryAccuracy)
	assert.Equal(t, qos.DetectionTime{Mean: 2, P99: 2, Max: 2}, r.AfterHeartbeat)
	// ∫ max(0, 2 − u) du is 1.5 for a gap of 1 s and 2 for the longer ones.
	assert.InDelta(t, (3*1.5+3*2)/12, r.AnyInstant.Mean, 1e-12)
	assert.Equal(t, 2., r.AnyInstant.Max)
}

func TestReplayLearnsBeforeItJudges(t *testing.T) {
	all := []float64{0, 1, 9, 10, 11, 19, 20}
	for warmup, mistakes := range map[int]int{1: 2, 2: 2, 3: 1, 5: 1, 6: 0} {
		r, err := qos.Replay(arrivals(all...), fixed(2*time.Second), warmup)
		require.NoError(t, err)
		assert.Equal(t, mistakes, r.Mistakes, "warm-up %d", warmup)
		assert.Equal(t, len(all)-warmup, r.Heartbeats)
	}
}

func TestReplayRefuses(t *testing.T) {
	broken := errors.New("broken")
	failing := func(yield func(qos.Beat, error) bool) {
		if yield(qos.Beat{At: at(0)}, nil) {
			yield(qos.Beat{}, broken)
		}
	}
	_, err := qos.Replay(failing, fixed(time.Second), 1)
	assert.ErrorIs(t, err, broken)
	_, err = qos.Replay(arrivals(0, 2, 1), fixed(time.Second), 1)
	assert.ErrorContains(t, err, "want one not before the last")
	_, err = qos.Replay(arrivals(0, 1), fixed(time.Second), -1)
	assert.EqualError(t, err, "qos: warmup is -1, want a number from 1, or 0 for 200")
	_, err = qos.Replay(arrivals(0, 1), fixed(time.Second), 0)
	assert.ErrorIs(t, err, qos.ErrTooShort)
	assert.EqualError(t, err, "qos: stream has too few heartbeats: 2, want more than the warm-up, 200")
	_, err = qos.Replay(arrivals(0, 1), fixed(0), 1)
	assert.ErrorContains(t, err, "timeout")
	_, err = qos.Replay(arrivals(0, 1), nil, 1)
	assert.ErrorContains(t, err, "New is nil")
	_, err = qos.Replay(arrivals(0, 1), func() (liveness.Detector, error) { return nil, nil }, 1)
	assert.ErrorContains(t, err, "New returned nil")
	for _, level := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		_, err = qos.Sweep(arrivals(0, 1), 1, qos.Candidate{New: fixed(time.Second), Levels: []float64{level}})
		assert.ErrorContains(t, err, "Levels holds")
	}
}

func chen(margin time.Duration) qos.Factory {
	return func() (liveness.Detector, error) {
		return liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: margin})
	}
}

// An old heartbeat does not end a suspicion, and a lost one is counted.
func TestReplayWithLossAndReordering(t *testing.T) {
	beats := []qos.Beat{
		{Seq: 1, At: at(1)}, {Seq: 2, At: at(2)}, {Seq: 3, At: at(3)},
		{Seq: 5, At: at(5)},    // 4 is late; suspected in [4.5, 5)
		{Seq: 4, At: at(6.75)}, // old, while suspected since 6.5
		{Seq: 6},               // lost
		{Seq: 7, At: at(7)},
		{Seq: 8, At: at(8)},
	}
	r, err := qos.Replay(qos.Slice(beats), chen(500*time.Millisecond), 1)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Lost)
	assert.Equal(t, 2, r.Mistakes)
	assert.Equal(t, qos.Moments{Count: 2, Mean: 0.5, Max: 0.5}, r.MistakeDuration)
	assert.Equal(t, 6, r.Heartbeats)
	// A crash just after the old heartbeat is detected at once.
	assert.InDelta(t, (5*1.5+0)/6, r.AfterHeartbeat.Mean, 1e-12)

	// A fixed timeout takes any heartbeat for a sign of life.
	r, err = qos.Replay(qos.Slice(beats), fixed(1500*time.Millisecond), 1)
	require.NoError(t, err)
	assert.Equal(t, 2, r.Mistakes)
	assert.InDelta(t, (0.5+0.25)/2, r.MistakeDuration.Mean, 1e-12)
}

// A detector of somebody else's whose deadlines come from a script.
type scripted struct {
	deadlines []time.Time
	n         int
}

func (d *scripted) Heartbeat(time.Time)         { d.n++ }
func (d *scripted) Suspicion(time.Time) float64 { return 0 }
func (d *scripted) Threshold() float64          { return 1 }
func (d *scripted) Deadline(float64) time.Time {
	if d.n == 0 {
		return time.Time{}
	}
	return d.deadlines[d.n-1]
}

func TestReplayWithDeadlinesInThePast(t *testing.T) {
	d := &scripted{deadlines: []time.Time{
		{},      // at 0: still knows of nothing
		at(3),   // at 1
		at(1.5), // at 2: suspected with the heartbeat itself
		at(2.5), // at 3: and still
		at(9),   // at 4: trusted again
		at(9),   // at 5
	}}
	r, err := qos.Replay(arrivals(0, 1, 2, 3, 4, 5), func() (liveness.Detector, error) { return d, nil }, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, r.Mistakes)
	assert.Equal(t, qos.Moments{Count: 1, Mean: 2, Max: 2}, r.MistakeDuration)
	assert.Equal(t, 0.6, r.QueryAccuracy)
	assert.InDelta(t, (2.+0+0+5)/4, r.AfterHeartbeat.Mean, 1e-12)
	assert.Equal(t, 5., r.AfterHeartbeat.Max)
}

// Between two lives nobody was there to be suspected wrongly.
func TestReplayWithARestart(t *testing.T) {
	var beats []qos.Beat
	for i := range 5 {
		beats = append(beats, qos.Beat{Seq: uint64(i + 1), At: at(float64(i))})
	}
	for i := range 5 {
		beats = append(beats, qos.Beat{Seq: uint64(i + 1), At: at(100 + float64(i)), Life: 1})
	}
	beats = slices.Insert(beats, 7, qos.Beat{Seq: 6, At: at(101.5)}) // a ghost of the first life
	for name, f := range map[string]qos.Factory{"Chen": chen(time.Second), "fixed": fixed(2 * time.Second)} {
		r, err := qos.Replay(qos.Slice(beats), f, 2)
		require.NoError(t, err, name)
		assert.Equal(t, 1, r.Restarts, name)
		assert.Zero(t, r.Mistakes, name)
		assert.Equal(t, 6., r.Observed, name)
		assert.Equal(t, 6, r.Heartbeats, name)
		assert.Equal(t, 2., r.AfterHeartbeat.Max, name)
	}
}

func TestDetectionTimesAtChosenInstants(t *testing.T) {
	crashes := []time.Time{at(-1), at(0), at(0.5), at(1), at(1.25), at(4), at(7), at(9)}
	times, err := qos.DetectionTimes(arrivals(0, 1, 6), fixed(2*time.Second), crashes...)
	require.NoError(t, err)
	require.Len(t, times, len(crashes))
	assert.True(t, math.IsNaN(times[0]))
	assert.Equal(t, []float64{2, 1.5, 2, 1.75, 0, 1, 0}, times[1:])

	_, err = qos.DetectionTimes(arrivals(0), fixed(time.Second), at(1), at(0))
	assert.ErrorContains(t, err, "crashes[1] is")
}

// The streaming figures are those of the sample itself.
func TestDetectionTimesAreThoseOfTheSample(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n = 20000
	var beats []qos.Beat
	var deadlines []time.Time
	now := at(0)
	for range n + 1 {
		beats = append(beats, qos.Beat{At: now})
		deadlines = append(deadlines, now.Add(time.Duration(math.Exp(rng.NormFloat64())*1e9)))
		now = now.Add(time.Duration(rng.ExpFloat64() * 1e9))
	}
	r, err := qos.Replay(qos.Slice(beats), func() (liveness.Detector, error) { return &scripted{deadlines: deadlines}, nil }, 1)
	require.NoError(t, err)

	var just, instants, weights []float64
	for i := range n {
		timeout := deadlines[i].Sub(beats[i].At).Seconds()
		gap := beats[i+1].At.Sub(beats[i].At).Seconds()
		just = append(just, timeout)
		for k := range 50 {
			instants = append(instants, max(0, timeout-gap*(float64(k)+0.5)/50))
			weights = append(weights, gap)
		}
	}
	slices.Sort(just)
	assert.InEpsilon(t, stat.Mean(just, nil), r.AfterHeartbeat.Mean, 1e-12)
	assert.InEpsilon(t, just[n-1], r.AfterHeartbeat.Max, 1e-12)
	assert.InEpsilon(t, stat.Quantile(0.99, stat.Empirical, just, nil), r.AfterHeartbeat.P99, 1./256)
	assert.GreaterOrEqual(t, r.AfterHeartbeat.P99, stat.Quantile(0.99, stat.Empirical, just, nil))

	assert.InEpsilon(t, stat.Mean(instants, weights), r.AnyInstant.Mean, 1e-3)
	stat.SortWeighted(instants, weights)
	assert.InEpsilon(t, stat.Quantile(0.99, stat.Empirical, instants, weights), r.AnyInstant.P99, 5e-3)
}

// A level judged in a sweep is what a detector with that threshold does.
func TestSweepIsManyReplays(t *testing.T) {
	stream := func() qos.Beats {
		return gaps(5000, distuv.LogNormal{Mu: 0, Sigma: 0.5, Src: rand.NewPCG(7, 8)})
	}
	levels := []float64{0.5, 1, 2, 4, 8}
	curves, err := qos.Sweep(stream(), 0,
		qos.Candidate{Name: "φ", New: phi(liveness.PhiConfig{}), Levels: levels},
		qos.Candidate{Name: "fixed", New: fixed(time.Second), Levels: []float64{1, 2, 3}})
	require.NoError(t, err)
	require.Len(t, curves, 2)
	for i, level := range levels {
		r, err := qos.Replay(stream(), phi(liveness.PhiConfig{Threshold: level}), 0)
		require.NoError(t, err)
		assertSame(t, r, curves[0].Points[i])
	}
	for i := range 3 {
		r, err := qos.Replay(stream(), fixed(time.Duration(i+1)*time.Second), 0)
		require.NoError(t, err)
		r.Level = float64(i + 1)
		assertSame(t, r, curves[1].Points[i])
	}
	// Suspicions nest: a higher level is wrong less often, more briefly in all, and slower.
	for _, c := range curves {
		for i := 1; i < len(c.Points); i++ {
			low, high := c.Points[i-1], c.Points[i]
			assert.LessOrEqual(t, high.Mistakes, low.Mistakes)
			assert.GreaterOrEqual(t, high.QueryAccuracy, low.QueryAccuracy)
			assert.GreaterOrEqual(t, high.AnyInstant.Mean, low.AnyInstant.Mean)
		}
	}
}

func assertSame(t *testing.T, want, got qos.Report) {
	t.Helper()
	// As text, because NaN is not equal to itself.
	assert.Equal(t, fmt.Sprintf("%+v", want), fmt.Sprintf("%+v", got))
}

func BenchmarkReplay(b *testing.B) {
	stream := make([]qos.Beat, 0, 1_000_000)
	for beat := range chenSetting(1_000_000, 1) {
		stream = append(stream, beat)
	}
	levels := make([]float64, 30)
	for i := range levels {
		levels[i] = 0.25 * float64(i+1)
	}
	for _, c := range []qos.Candidate{
		{Name: "fixed", New: fixed(1100 * time.Millisecond)},
		{Name: "Chen", New: chen(100 * time.Millisecond)},
		{Name: "phi/Gaussian", New: phi(liveness.PhiConfig{})},
		{Name: "phi/exponential", New: phi(liveness.PhiConfig{Distribution: liveness.Exponential{}})},
		{Name: "phi/lognormal", New: phi(liveness.PhiConfig{Distribution: liveness.LogNormal{}})},
		{Name: "phi/Gaussian/30 levels", New: phi(liveness.PhiConfig{}), Levels: levels},
	} {
		b.Run(c.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := qos.Sweep(qos.Slice(stream), 0, c); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/million")
		})
	}
}
