package liveness_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func newSatzger(t testing.TB, cfg liveness.SatzgerConfig) *liveness.Satzger {
	t.Helper()
	return made(t, liveness.NewSatzger, cfg)
}

// TestSatzgerShare reproduces what andy2046 expects of the original, with its scaling factor of 0.9.
func TestSatzgerShare(t *testing.T) {
	for _, c := range []struct {
		gaps []float64
		want map[float64]float64 // by the silence
	}{
		{[]float64{1, 1, 1, 1}, map[float64]float64{0: 0, 1: 0, 2: 1}},
		{[]float64{1.010, 1.023, 1.012, 1.032, 1.016, 1.020, 0.990, 1.028}, map[float64]float64{0.5: 0, 1: 0, 1.1: 0.125, 2.1: 1}},
	} {
		d := newSatzger(t, liveness.SatzgerConfig{ScalingFactor: 0.9})
		assert.Zero(t, d.Share(t0))
		s := begin(t, d)
		assert.Zero(t, d.Share(t0.Add(time.Hour)), "no gap is known")
		for _, gap := range c.gaps {
			s.gaps(1, gap)
		}
		for silence, want := range c.want {
			assert.Equal(t, want, d.Share(s.last.Add(seconds(silence))), "after %v s of %v", silence, c.gaps)
		}
		assert.Zero(t, d.Share(s.last.Add(-time.Hour)))
		assert.Equal(t, 1.0, d.Share(s.last.AddDate(290, 0, 0)))
	}
}

// TestSatzgerIsExact compares the level with counting, prior included.
func TestSatzgerIsExact(t *testing.T) {
	for _, size := range []int{1, 10, 99, 300} {
		rng := rand.New(rand.NewPCG(4, uint64(size)))
		d := newSatzger(t, liveness.SatzgerConfig{WindowSize: size, ScalingFactor: 0.8})
		s := begin(t, d)
		prior := slices.Repeat([]float64{1}, min(size, 100))
		var learnt []float64
		for range 2 * size {
			gap := math.Round((0.8+rng.Float64()*0.4)*1e3) / 1e3 // some are equal
			s.gaps(1, gap)
			learnt = append(learnt, gap)
			learnt = learnt[max(0, len(learnt)-size):]
			prior = prior[:max(0, len(prior)-1)]
			all := slices.Concat(prior, learnt)
			n, longest := float64(len(all)), slices.Max(all)
			for range 5 {
				silence := math.Round(1e9*2*rng.Float64()) / 1e9
				scaled, over, overLearnt := 0.8*silence, 0.0, 0.0
				for i, x := range all {
					if x > scaled {
						over++
						if i >= len(prior) {
							overLearnt++
						}
					}
				}
				want := -math.Log10((over + 1) / (n + 1))
				if over == 0 {
					want = math.Log10(n+1) * scaled / longest
				}
				require.InDelta(t, want, s.after(silence), 1e-12)
				share := d.Share(s.last.Add(seconds(silence)))
				require.InDelta(t, 1-overLearnt/float64(len(learnt)), share, 1e-12)
				if len(prior) == 0 && over > 0 {
					require.InDelta(t, -math.Log10((n*(1-share)+1)/(n+1)), s.after(silence), 1e-12, "as documented")
				}
			}
		}
	}
}

// TestSatzgerInverts finds every step of the level by its deadline.
func TestSatzgerInverts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for _, scale := range []float64{0.03, 0.9, 1, 1.1, 100} {
		d := newSatzger(t, liveness.SatzgerConfig{ScalingFactor: scale, Threshold: 1.5, WindowSize: 150})
		s := begin(t, d)
		for range 400 {
			s.gaps(1, rng.ExpFloat64())
			for _, level := range []float64{1e-300, 1e-3, 3 * rng.Float64(), math.Log10(151), 1.5, 8, 1e6} {
				due := d.Deadline(level)
				require.True(t, due.After(s.last))
				require.GreaterOrEqual(t, d.Suspicion(due), level, "scale %v", scale)
				require.Less(t, d.Suspicion(due.Add(-1)), level, "scale %v", scale)
			}
			due := d.Deadline(1.5)
			require.True(t, d.Suspected(due) && !d.Suspected(due.Add(-1)))
		}
	}
}

// TestSatzgerPromise: a level within the window is the decades of mistakes, whatever the law.
func TestSatzgerPromise(t *testing.T) {
	const beats = 100_000
	for name, gap := range map[string]func(*rand.Rand) float64{
		"uniform":     func(r *rand.Rand) float64 { return 1 + r.Float64() },
		"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() },
		"lognormal":   func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) },
	} {
		for _, level := range []float64{1, 2} {
			rng := rand.New(rand.NewPCG(3, 3))
			s := begin(t, newSatzger(t, liveness.SatzgerConfig{}))
			mistakes := 0
			for i := range beats {
				g := gap(rng)
				if i >= 1000 && s.after(g) >= level {
					mistakes++
				}
				s.gaps(1, g)
			}
			rate := float64(mistakes) / (beats - 1000)
			t.Logf("%s: %.5f mistakes a heartbeat at level %v", name, rate, level)
			assert.InEpsilon(t, math.Pow(10, -level), rate, 0.15, "%s, level %v", name, level)
		}
	}
}

func TestSatzgerOutages(t *testing.T) {
	s := begin(t, newSatzger(t, liveness.SatzgerConfig{}))
	usual := s.detection(8)
	assert.InEpsilon(t, 8/math.Log10(101), usual, 1e-8, "as expected")
	assert.Equal(t, usual, s.gaps(1, 3600).detection(8), "the first gap is an outage")
	usual = s.gaps(2000, 1).detection(8)
	assert.InEpsilon(t, 8/math.Log10(1001), usual, 1e-8)
	assert.Equal(t, usual, s.gaps(1, 3600).detection(8), "one outage")
	assert.Equal(t, usual, s.gaps(200, 0.0001).detection(8), "heartbeats that queued up")
	s.gaps(1200, 1)

	mistakes := 0
	for range 2000 {
		if s.suspected(5) {
			mistakes++
		}
		s.gaps(1, 5)
	}
	assert.Equal(t, 3, mistakes, "a process five times slower")
	assert.InEpsilon(t, 5*usual, s.detection(8), 1e-8)
}

func TestSatzgerConfigErrors(t *testing.T) {
	for _, c := range []struct {
		cfg  liveness.SatzgerConfig
		want string
	}{
		{liveness.SatzgerConfig{Threshold: math.NaN()}, "liveness: Threshold is NaN, want a finite number above 0, at most 1e+12"},
		{liveness.SatzgerConfig{Threshold: -1}, "liveness: Threshold is -1, want a finite number above 0, at most 1e+12"},
		{liveness.SatzgerConfig{ScalingFactor: 101}, "liveness: ScalingFactor is 101, want a finite number above 0, at most 100"},
		{liveness.SatzgerConfig{WindowSize: -1}, "liveness: WindowSize is -1, want a number from 1 to 1048576"},
		{liveness.SatzgerConfig{ExpectedInterval: 20}, "liveness: ExpectedInterval is 20ns, want a duration from 1µs to 100 days"},
	} {
		d, err := liveness.NewSatzger(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, d)
	}
	d := newSatzger(t, liveness.SatzgerConfig{Threshold: 1e12})
	d.Heartbeat(t0)
	assert.False(t, d.Suspected(t0.AddDate(280, 0, 0)))
	assert.PanicsWithValue(t, "liveness: Satzger not made by NewSatzger", func() { new(liveness.Satzger).Heartbeat(t0) })
}
