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

func newQuantile(t testing.TB, cfg liveness.QuantileConfig) *liveness.Quantile {
	t.Helper()
	return made(t, liveness.NewQuantile, cfg)
}

// TestQuantileIsExact compares the timeout with sorting, prior included, on gaps
// that are no outages.
func TestQuantileIsExact(t *testing.T) {
	for _, c := range []struct {
		p    float64
		size int
	}{{0.99, 1000}, {0.99, 99}, {0.5, 1}, {0.5, 7}, {0.9, 50}, {0.999, 1000}, {0.01, 300}} {
		rng := rand.New(rand.NewPCG(2, uint64(c.size)))
		d := newQuantile(t, liveness.QuantileConfig{Quantile: c.p, Factor: 1, Margin: 3 * time.Second, WindowSize: c.size})
		s := begin(t, d)
		window := slices.Repeat([]float64{1}, min(c.size, 100)) // the prior
		prior := len(window)
		for range 3 * c.size {
			gap := math.Round((0.8+rng.Float64()*0.4)*1e9) / 1e9
			s.gaps(1, gap)
			if window = append(window, gap); prior > 0 {
				window = window[1:]
				prior--
			}
			window = window[max(0, len(window)-c.size):]
			sorted := slices.Sorted(slices.Values(window))
			k := min(int(math.Ceil(c.p*float64(len(sorted)+1)-1e-9)), len(sorted))
			require.InEpsilon(t, sorted[k-1]+3, s.detection(1), 1e-12, "p = %v of %d", c.p, c.size)
		}
	}
}

// TestQuantilePromise: at the quantile itself 1 − p of the heartbeats are mistakes, whatever the law.
func TestQuantilePromise(t *testing.T) {
	const beats = 100_000
	for name, gap := range map[string]func(*rand.Rand) float64{
		"uniform":     func(r *rand.Rand) float64 { return 1 + r.Float64() },
		"exponential": func(r *rand.Rand) float64 { return r.ExpFloat64() },
		"lognormal":   func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) },
		"two humps":   func(r *rand.Rand) float64 { return 1 + 4*math.Floor(1.05*r.Float64()) + 0.1*r.Float64() },
	} {
		for _, p := range []float64{0.9, 0.99} {
			rng := rand.New(rand.NewPCG(3, 3))
			s := begin(t, newQuantile(t, liveness.QuantileConfig{Quantile: p, Factor: 1}))
			mistakes := 0
			for i := range beats {
				g := gap(rng)
				if i >= 1000 && s.suspected(g) {
					mistakes++
				}
				s.gaps(1, g)
			}
			rate := float64(mistakes) / (beats - 1000)
			t.Logf("%s: %.5f mistakes a heartbeat at p = %v", name, rate, p)
			assert.InEpsilon(t, 1-p, rate, 0.15, "%s, p = %v", name, p)
		}
	}
}

func TestQuantileOutages(t *testing.T) {
	s := begin(t, newQuantile(t, liveness.QuantileConfig{}))
	assert.Equal(t, 2.5, s.detection(1), "as expected")
	assert.Equal(t, 2.5, s.gaps(1, 3600).detection(1), "the first gap is an outage")
	for _, n := range []int{1, 10, 200, 2000} {
		s.gaps(n, 1)
		assert.Equal(t, 2.5, s.gaps(1, 3600).detection(1), "one outage after %d gaps", n)
		s.gaps(200, 0.0001) // heartbeats that queued up
		assert.Equal(t, 2.5, s.detection(1))
		s.gaps(1200, 1)
	}

	mistakes := 0
	for range 2000 {
		if s.suspected(5) {
			mistakes++
		}
		s.gaps(1, 5)
	}
	assert.Equal(t, 12, mistakes, "a process five times slower: two outages, and one in a hundred gaps")
	assert.Equal(t, 12.5, s.detection(1))

	s = begin(t, newQuantile(t, liveness.QuantileConfig{})).gaps(1000, 1)
	for range 60 { // a pause in every fifty heartbeats
		s.gaps(49, 1).gaps(1, 4)
	}
	assert.Equal(t, 10.0, s.detection(1), "recurrent pauses become usual")
}

func TestQuantileConfigErrors(t *testing.T) {
	for _, c := range []struct {
		cfg  liveness.QuantileConfig
		want string
	}{
		{liveness.QuantileConfig{Quantile: 1}, "liveness: Quantile is 1, want a number above 0, at most n/(n+1) = 0.999001 for a WindowSize of 1000"},
		{liveness.QuantileConfig{WindowSize: 50}, "liveness: Quantile is 0.99, want a number above 0, at most n/(n+1) = 0.980392 for a WindowSize of 50"},
		{liveness.QuantileConfig{Quantile: math.NaN()}, "liveness: Quantile is NaN, want a number above 0, at most n/(n+1) = 0.999001 for a WindowSize of 1000"},
		{liveness.QuantileConfig{Quantile: -0.5}, "liveness: Quantile is -0.5, want a number above 0, at most n/(n+1) = 0.999001 for a WindowSize of 1000"},
		{liveness.QuantileConfig{WindowSize: 1 << 21}, "liveness: WindowSize is 2097152, want a number from 1 to 1048576"},
		{liveness.QuantileConfig{Factor: 0.5}, "liveness: Factor is 0.5, want a number from 1 to 100"},
		{liveness.QuantileConfig{Factor: math.Inf(1)}, "liveness: Factor is +Inf, want a number from 1 to 100"},
		{liveness.QuantileConfig{Margin: 20}, "liveness: Margin is 20ns, want 0 or a duration from 1µs to 100 days"},
		{liveness.QuantileConfig{ExpectedInterval: 20}, "liveness: ExpectedInterval is 20ns, want a duration from 1µs to 100 days"},
	} {
		d, err := liveness.NewQuantile(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, d)
	}
	newQuantile(t, liveness.QuantileConfig{WindowSize: 99})
	assert.PanicsWithValue(t, "liveness: Quantile not made by NewQuantile", func() { new(liveness.Quantile).Heartbeat(t0) })
}

// A timeout that a float64 cannot tell from silences a nanosecond shorter.
func TestQuantileOfLongTimeouts(t *testing.T) {
	d := newQuantile(t, liveness.QuantileConfig{ExpectedInterval: 70 * 24 * time.Hour, Margin: 1001})
	d.Heartbeat(t0)
	due := d.Deadline(1)
	require.GreaterOrEqual(t, d.Suspicion(due), 1.0)
	require.True(t, d.Suspected(due))
}
