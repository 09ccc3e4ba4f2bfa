package qos_test

import (
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness/qos"
)

var _ qos.TB = testing.TB(nil)

// recorder is a testing.TB that keeps what it is told.
type recorder struct{ logs, fatals []string }

func (*recorder) Helper() {}
func (r *recorder) Logf(format string, args ...any) {
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) {
	r.fatals = append(r.fatals, fmt.Sprintf(format, args...))
}

// measure runs MeasureTimeout in fake time with an operation whose i-th run takes took(i).
func measure(t *testing.T, p float64, took func(i int) time.Duration) (timeout time.Duration, runs int, r recorder) {
	synctest.Test(t, func(t *testing.T) {
		timeout = qos.MeasureTimeout(&r, p, func() {
			runs++
			time.Sleep(took(runs))
		})
	})
	return timeout, runs, r
}

func TestMeasureTimeoutSupported(t *testing.T) {
	// ln 0.05 / ln 0.99 = 298.07: after 299 runs the largest is a bound.
	timeout, runs, r := measure(t, 0.01, func(i int) time.Duration {
		if i == 150 {
			return 250 * time.Millisecond
		}
		return time.Millisecond
	})
	assert.Equal(t, 299, runs)
	assert.Equal(t, 250*time.Millisecond, timeout)
	assert.Empty(t, r.fatals)
	assert.Equal(t, []string{"qos: timeout 250ms for a false-positive rate of 0.01: the largest of 299 runs is 250ms, good for 0.00997; times 1 to go beyond; at least 100ms"}, r.logs)
}

func TestMeasureTimeoutExtrapolated(t *testing.T) {
	// 100 ms a run: ten fit into the second, which bound 1 − 0.05^(1/10) = 0.2589.
	timeout, runs, r := measure(t, 1e-6, func(int) time.Duration { return 100 * time.Millisecond })
	assert.Equal(t, 10, runs)
	want := 0.1 * math.Pow(2, math.Log10((1-math.Pow(0.05, 0.1))/1e-6))
	assert.InEpsilon(t, want, timeout.Seconds(), 1e-8)
	assert.Len(t, r.logs, 1)

	// A factor of ten in the rate is one of two in the timeout.
	harder, _, _ := measure(t, 1e-7, func(int) time.Duration { return 100 * time.Millisecond })
	assert.InEpsilon(t, 2, harder.Seconds()/timeout.Seconds(), 1e-8)
}

func TestMeasureTimeoutBounds(t *testing.T) {
	timeout, runs, _ := measure(t, 0.01, func(int) time.Duration { return 0 })
	assert.Equal(t, 100*time.Millisecond, timeout)
	assert.Equal(t, 299, runs)

	_, runs, _ = measure(t, 1e-9, func(int) time.Duration { return time.Minute })
	assert.Equal(t, 10, runs, "at least")
	_, runs, _ = measure(t, 1e-9, func(int) time.Duration { return 3 * time.Millisecond })
	assert.Equal(t, 334, runs, "until the second is over")
	_, runs, _ = measure(t, 0.9, func(int) time.Duration { return time.Minute })
	assert.Equal(t, 10, runs)
}

// The laws that the documentation says the rule covers: even if the largest of n
// runs is no more than what p₀ is sure of, doubling reaches the true timeout.
func TestMeasureTimeoutCovers(t *testing.T) {
	lognormal := func(sigma float64) func(p float64) float64 {
		return func(p float64) float64 { return math.Exp(-sigma * distuv.UnitNormal.Quantile(p)) }
	}
	for _, c := range []struct {
		name     string
		quantile func(p float64) float64
		runs     float64
		from     float64
	}{
		{"exponential", func(p float64) float64 { return -math.Log(p) }, 100, 1},
		{"exponential", func(p float64) float64 { return -math.Log(p) }, 10, 1e-4},
		{"lognormal", lognormal(0.67), 100, 1},
		{"lognormal", lognormal(0.9), 1000, 1},
		{"pareto", func(p float64) float64 { return math.Pow(p, -1/3.4) }, 10, 1},
	} {
		p0 := 1 - math.Pow(0.05, 1/c.runs)
		for p := min(p0, c.from); p > 1e-12; p /= 1.1 {
			timeout := c.quantile(p0) * math.Exp2(math.Log10(p0/p))
			assert.GreaterOrEqual(t, timeout, c.quantile(p)*(1-1e-12), "%s, %v runs, p = %v", c.name, c.runs, p)
		}
	}
}

func TestMeasureTimeoutErrors(t *testing.T) {
	for p, want := range map[float64]string{
		0:      "qos: falsePositive is 0, want a number above 0 and below 1",
		1:      "qos: falsePositive is 1, want a number above 0 and below 1",
		1e-300: "qos: falsePositive is 1e-300, which takes a timeout of 2.44e+92 s",
	} {
		timeout, _, r := measure(t, p, func(int) time.Duration { return 3 * time.Minute })
		assert.Zero(t, timeout)
		assert.Empty(t, r.logs)
		assert.Equal(t, []string{want}, r.fatals)
	}
}
