package qos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/qos"
)

func TestSizeLaw(t *testing.T) {
	got, err := qos.SizeLaw(liveness.LogNormal{Mu: math.Log(0.05), Sigma: 1}, 0.001)
	require.NoError(t, err)
	assert.InDelta(t, 1.099, got.Timeout.Seconds(), 0.5e-3, "timeout") // median 50 ms, σ 1
	got.Timeout = 0
	assert.Equal(t, qos.Size{FalsePositive: 0.001, Phi: got.Phi, Method: qos.MethodLaw}, got)
	assert.InEpsilon(t, 3, got.Phi, 1e-15)

	for _, law := range []liveness.Distribution{
		liveness.Exponential{Mean: 0.3}, liveness.Gaussian{Mean: 1, StdDev: 0.1}, liveness.LogNormal{Mu: -3, Sigma: 2},
	} {
		for p := 0.4; p > 1e-9; p /= 7 {
			got, err := qos.SizeLaw(law, p)
			require.NoError(t, err)
			assert.LessOrEqual(t, qos.Survival(law)(got.Timeout.Seconds()), p*(1+1e-12))
			assert.GreaterOrEqual(t, qos.Survival(law)((got.Timeout - 2).Seconds()), p*(1-1e-12))
		}
	}

	got, err = qos.SizeLaw(liveness.Gaussian{Mean: 0.020, StdDev: 0}, 0.1)
	require.NoError(t, err)
	assert.Equal(t, 20*time.Millisecond, got.Timeout, "a rounding error is not rounded up")
}

// ramp returns the durations 1 s, 2 s … n s in no order.
func ramp(n int) []time.Duration {
	samples := make([]time.Duration, n)
	for i, j := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		samples[i] = time.Duration(j+1) * time.Second
	}
	return samples
}

func TestSizeSamplesOrder(t *testing.T) {
	// Intervals from the binomial law, summed up term by term.
	bounds := func(n int, p float64) (lower, upper int) {
		below, term := 0.0, math.Pow(1-p, float64(n)) // P(N < r), P(N = r)
		lower, upper = n+1, 0
		for r := 1; r <= n; r++ {
			below += term
			term *= float64(n-r+1) / float64(r) * p / (1 - p)
			if below <= 0.025 {
				upper = r
			}
			if below >= 0.975 && lower > n {
				lower = r
			}
		}
		return lower, upper
	}
	for _, c := range []struct {
		n int
		p float64
		r int // the timeout is the r-th largest
	}{
		{1, 0.5, 1}, {9, 0.1, 1}, {10, 0.1, 1}, {99, 0.29, 29}, {99, 0.07, 7}, {100, 0.05, 5}, {999, 0.001, 1},
		{1000, 0.01, 10}, {5000, 0.001, 5}, {50, 0.999, 50}, {368, 0.01, 3}, {367, 0.01, 3}, {200, 0.5, 100},
	} {
		samples := ramp(c.n)
		before := slices.Clone(samples)
		got, err := qos.SizeSamples(samples, c.p)
		require.NoError(t, err)
		assert.Equal(t, before, samples)
		assert.Equal(t, qos.MethodOrder, got.Method)
		assert.Equal(t, time.Duration(c.n+1-c.r)*time.Second, got.Timeout, "%v", c)
		lower, upper := bounds(c.n, c.p)
		if lower > c.n {
			assert.Zero(t, got.Lower, "%v", c)
		} else {
			assert.Equal(t, time.Duration(c.n+1-lower)*time.Second, got.Lower, "%v", c)
		}
		if upper == 0 {
			assert.Zero(t, got.Upper, "%v", c)
			assert.Contains(t, got.Warning, fmt.Sprintf("%d samples do not bound", c.n))
		} else {
			assert.Equal(t, time.Duration(c.n+1-upper)*time.Second, got.Upper, "%v", c)
			assert.Empty(t, got.Warning)
		}
	}
}

// 368 samples are the least that bound 1 in 100 with 97.5 %: 0.99^367 = 0.02501.
func TestSizeSamplesUpperEnd(t *testing.T) {
	got, err := qos.SizeSamples(ramp(367), 0.01)
	require.NoError(t, err)
	assert.Zero(t, got.Upper)
	assert.Equal(t, "367 samples do not bound the timeout from above: that takes 368", got.Warning)

	got, err = qos.SizeSamples(ramp(368), 0.01)
	require.NoError(t, err)
	assert.Equal(t, 368*time.Second, got.Upper)
	assert.Empty(t, got.Warning)

	got, err = qos.SizeSamples(make([]time.Duration, 1000), 0.01)
	require.NoError(t, err)
	assert.Zero(t, got.Upper)
	assert.Empty(t, got.Warning, "0 is a bound here")
}

// The promise itself: over many draws the timeout is exceeded at the promised
// rate, and the interval holds the true one 95 times in 100.
func TestSizeSamplesCoverage(t *testing.T) {
	const n, p, draws = 500, 0.04, 2000
	law := distuv.LogNormal{Mu: -3, Sigma: 1, Src: rand.NewPCG(3, 4)}
	truth := law.Quantile(1 - p)
	var low, high int
	var exceeded float64
	samples := make([]time.Duration, n)
	for range draws {
		for i := range samples {
			samples[i] = secs(law.Rand())
		}
		got, err := qos.SizeSamples(samples, p)
		require.NoError(t, err)
		if got.Lower.Seconds() > truth {
			low++
		}
		if got.Upper.Seconds() < truth {
			high++
		}
		exceeded += law.Survival(got.Timeout.Seconds()) / draws
	}
	assert.InDelta(t, p, exceeded, 0.001)
	assert.Less(t, exceeded, p*1.01)
	assert.Less(t, low, draws*3/100)
	assert.Less(t, high, draws*3/100)
	assert.Greater(t, low, draws/200, "no wider than need be")
	assert.Greater(t, high, draws/200, "no wider than need be")
}

type tailed interface {
	Rand() float64
	Quantile(p float64) float64
	Survival(x float64) float64
}

// tails are laws with tails from light to heavy, each with draws of its own: the
// order of a map is random.
func tails(seed uint64) map[string]tailed {
	src := func() rand.Source { return rand.NewPCG(seed, seed+1) }
	return map[string]tailed{
		"exponential": distuv.Exponential{Rate: 20, Src: src()},
		"lognormal":   distuv.LogNormal{Mu: -3, Sigma: 1, Src: src()},
		"pareto":      distuv.Pareto{Xm: 0.01, Alpha: 3, Src: src()},
	}
}

func TestSizeSamplesTail(t *testing.T) {
	for name, law := range tails(5) {
		samples := make([]time.Duration, 10000)
		for i := range samples {
			samples[i] = secs(law.Rand())
		}
		got, err := qos.SizeSamples(samples, 1e-5)
		require.NoError(t, err)
		assert.Equal(t, qos.MethodTail, got.Method)
		assert.Equal(t, "no sample of 10000 is as rare as 1e-05: the timeout is extrapolated, a bound takes 368887 samples", got.Warning)
		assert.GreaterOrEqual(t, got.Timeout, slices.Max(samples))
		assert.Zero(t, got.Upper)
		assert.LessOrEqual(t, got.Lower, got.Timeout)
		// Within the factor of four that is documented, see TestSizeSamplesTailError.
		assert.Greater(t, law.Survival(got.Timeout.Seconds()/4), 1e-5, name)
		assert.Less(t, law.Survival(got.Timeout.Seconds()*4), 1e-5, name)
	}

	constant := slices.Repeat([]time.Duration{time.Second}, 1000)
	got, err := qos.SizeSamples(constant, 1e-4)
	require.NoError(t, err)
	assert.Equal(t, time.Second, got.Timeout)
	assert.NotEmpty(t, got.Warning)
}

// How far off a guess may be, as the documentation says: within a factor of four
// nine times in ten, at the limit.
func TestSizeSamplesTailError(t *testing.T) {
	for name, law := range tails(7) {
		for _, n := range []int{100, 1000} {
			const draws = 200
			p := 1.0001 / (100 * float64(n+1))
			truth := law.Quantile(1 - p)
			off := 0
			samples := make([]time.Duration, n)
			for range draws {
				for i := range samples {
					samples[i] = secs(law.Rand())
				}
				got, err := qos.SizeSamples(samples, p)
				require.NoError(t, err)
				if math.Abs(math.Log(got.Timeout.Seconds()/truth)) > math.Log(4) {
					off++
				}
			}
			assert.LessOrEqual(t, off, draws/10, "%s, %d samples", name, n)
		}
	}
}

func TestSizeErrors(t *testing.T) {
	for _, c := range []struct {
		samples     []time.Duration
		p           float64
		unreachable bool
		err         string
	}{
		{ramp(5), 0, false, "qos: falsePositive is 0, want a number above 0 and below 1"},
		{ramp(5), 1, false, "qos: falsePositive is 1, want a number above 0 and below 1"},
		{ramp(5), math.NaN(), false, "qos: falsePositive is NaN, want a number above 0 and below 1"},
		{[]time.Duration{1, -1}, 0.5, false, "qos: a sample is -1ns, want a duration of at least 0"},
		{nil, 0.5, true, "qos: there are no samples"},
		{ramp(99), 0.001, true, "qos: falsePositive is 0.001, want at least 0.01 with 99 samples: take 3688 or more, or a law"},
		{ramp(999), 0.9e-5, true, "qos: falsePositive is 9e-06, want at least 1e-05 with 999 samples: take 409874 or more, or a law"},
	} {
		got, err := qos.SizeSamples(c.samples, c.p)
		assert.EqualError(t, err, c.err)
		assert.Zero(t, got)
		if c.unreachable {
			assert.ErrorIs(t, err, qos.ErrUnreachable)
		} else {
			assert.NotErrorIs(t, err, qos.ErrUnreachable)
		}
	}
	_, err := qos.SizeSamples(ramp(5), 1e-300)
	assert.ErrorIs(t, err, qos.ErrUnreachable)
	_, err = qos.HedgeDelay(ramp(100), 5)
	assert.EqualError(t, err, "qos: extraLoad is 5, want a number above 0 and below 1")
	_, err = qos.SizeLaw(nil, 0.5)
	assert.EqualError(t, err, "qos: law is <nil>, want a law")
	_, err = qos.SizeLaw(liveness.Gaussian{Mean: 0, StdDev: 1}, 0.9)
	assert.EqualError(t, err, "qos: the timeout is -1.282 s, and no duration: allow another falsePositive than 0.9")
	assert.ErrorIs(t, err, qos.ErrUnreachable)
	_, err = qos.SizeLaw(liveness.LogNormal{Mu: 0, Sigma: 100}, 1e-9)
	assert.ErrorIs(t, err, qos.ErrUnreachable)
}

func TestHedgeDelay(t *testing.T) {
	got, err := qos.HedgeDelay(ramp(1000), 0.05)
	require.NoError(t, err)
	want, err := qos.SizeSamples(ramp(1000), 0.05)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, 951*time.Second, got.Timeout)
}

func FuzzSizeSamples(f *testing.F) {
	f.Add([]byte{1, 2, 3}, 0.3)
	f.Add(make([]byte, 300), 0.001)
	f.Add([]byte{255, 0, 255, 9, 9, 9, 9, 9}, 0.999999)
	f.Fuzz(func(t *testing.T, raw []byte, p float64) {
		samples := make([]time.Duration, len(raw))
		for i, b := range raw {
			samples[i] = time.Duration(math.Exp2(float64(b) / 255 * 62.9))
		}
		got, err := qos.SizeSamples(samples, p)
		if err != nil {
			assert.Zero(t, got)
			return
		}
		assert.GreaterOrEqual(t, got.Timeout, got.Lower)
		if got.Upper > 0 {
			assert.LessOrEqual(t, got.Timeout, got.Upper)
		}
		if p < 1/float64(len(samples)+1)*(1-1e-12) {
			assert.Equal(t, qos.MethodTail, got.Method)
			assert.GreaterOrEqual(t, got.Timeout, slices.Max(samples))
		}
		harder, err := qos.SizeSamples(samples, p/2)
		if err == nil {
			assert.GreaterOrEqual(t, harder.Timeout, got.Timeout)
		}
	})
}
