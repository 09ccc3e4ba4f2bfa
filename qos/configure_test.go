package qos_test

import (
	"math"
	"math/big"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/qos"
)

type network interface {
	Configure(want qos.Target) (qos.Configuration, error)
	Predict(interval, margin time.Duration) (qos.Prediction, error)
}

func secs(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

const month = 30 * 24 * time.Hour

// recurrence is f as the paper writes it, of procedure (a) or else (b) and (c).
func recurrence(n network, detection, interval time.Duration) float64 {
	limit, eta := detection.Seconds(), interval.Seconds()
	var q0 float64
	var factor func(x float64) float64
	moments := func(p, sd float64) {
		q0, factor = 1, func(x float64) float64 { return (sd*sd + p*x*x) / (sd*sd + x*x) }
	}
	switch n := n.(type) {
	case qos.KnownLaw:
		q0 = (1 - n.Loss) * (1 - n.Survival(limit))
		factor = func(x float64) float64 { return n.Loss + (1-n.Loss)*n.Survival(x) }
	case qos.KnownMoments:
		limit -= n.Mean
		moments(n.Loss, n.StdDev)
	case qos.KnownSpread:
		moments(n.Loss, n.StdDev)
	}
	f := eta / q0
	for j := 1.0; limit-j*eta > 1e-12*limit; j++ {
		f /= factor(limit - j*eta)
	}
	return f
}

// checkLargest checks that c reaches want, and that no larger interval of a fine grid does.
func checkLargest(t *testing.T, n network, want qos.Target, c qos.Configuration, most time.Duration, steps int) {
	t.Helper()
	assert.Equal(t, want.DetectionTime, c.Interval+c.Margin)
	assert.Equal(t, want.DetectionTime, c.DetectionTime)
	assert.GreaterOrEqual(t, c.MistakeRecurrence, want.MistakeRecurrence.Seconds())
	if want.MistakeDuration > 0 {
		assert.LessOrEqual(t, c.MistakeDuration, want.MistakeDuration.Seconds()*(1+1e-9))
	}
	p, err := n.Predict(c.Interval, c.Margin)
	require.NoError(t, err)
	assert.Equal(t, p, c.Prediction)

	for i := 1; i <= steps; i++ {
		eta := c.Interval + time.Duration(float64(most-c.Interval)*float64(i)/float64(steps))
		f := recurrence(n, want.DetectionTime, eta)
		if eta > c.Interval && eta <= most && !assert.Less(t, f, want.MistakeRecurrence.Seconds()*(1+1e-6), "%v reaches the target too, above %v", eta, c.Interval) {
			return
		}
	}
}

// f in exact arithmetic, for the procedures (b) and (c).
func exactRecurrence(t *testing.T, detection, interval time.Duration, loss, variance string) float64 {
	t.Helper()
	rat := func(s string) *big.Rat {
		r, ok := new(big.Rat).SetString(s)
		require.True(t, ok)
		return r
	}
	p, v := rat(loss), rat(variance)
	f := big.NewRat(int64(interval), 1e9)
	for rest := detection - interval; rest > 0; rest -= interval {
		x2 := big.NewRat(int64(rest), 1e9)
		x2.Mul(x2, x2)
		f.Mul(f, new(big.Rat).Add(v, x2))
		f.Quo(f, new(big.Rat).Add(v, new(big.Rat).Mul(p, x2)))
	}
	x, _ := f.Float64()
	return x
}

// gridStep is how far below the largest interval the vectors may be, as a share
// of the detection time: they were found on a grid, while exact arithmetic
// confirms the larger ones found here.
const gridStep = 5e-6

func assertLargest(t *testing.T, want, got, detection float64) {
	t.Helper()
	assert.GreaterOrEqual(t, got, want-0.5e-5, "η")
	assert.LessOrEqual(t, got, want+0.5e-5+gridStep*detection, "η")
}

func TestConfigureTable(t *testing.T) {
	for _, c := range []struct {
		detection, duration, recurrence float64
		loss, variance                  string
		most, eta, alpha                float64
	}{
		{30, 60, 2592000, "0.01", "0.02", 30, 9.71655, 20.28345},
		{29.98, 60, 2592000, "0.01", "0.02", 29.98, 9.70977, 20.27023},
		{30, 60, 8.5e6, "0.01", "0.02", 30, 7.48440, 22.51560},
		{10, 10, 2592000, "0.01", "0.0004", 9.89996, 3.19445, 6.80555},
		{5, 5, 86400, "0.001", "0.01", 4.993003, 2.00228, 2.99772},
		{1, 1, 604800, "0.001", "0.0001", 0.998900, 0.32741, 0.67259},
		{3, 2, 31536000, "0.05", "0.0025", 1.899472, 0.42279, 2.57721},
		{30, 60, 3600, "0.3", "0.25", 30, 4.88550, 25.11450},
		// The trap: bisection finds 7.49991 and 7.49908.
		{30, 60, 8.5e6, "0.01", "0.000001", 30, 9.99195, 20.00805},
		{30, 60, 8.5e6, "0.01", "0.0001", 30, 9.91875, 20.08125},
	} {
		loss, err := strconv.ParseFloat(c.loss, 64)
		require.NoError(t, err)
		variance, err := strconv.ParseFloat(c.variance, 64)
		require.NoError(t, err)
		n := qos.KnownSpread{Loss: loss, StdDev: math.Sqrt(variance)}
		want := qos.Target{DetectionTime: secs(c.detection), MistakeRecurrence: secs(c.recurrence), MistakeDuration: secs(c.duration)}
		got, err := n.Configure(want)
		require.NoError(t, err)
		assertLargest(t, c.eta, got.Interval.Seconds(), c.detection)
		assert.InDelta(t, c.detection-c.alpha, c.eta, 1e-9, "the vector's own sum")
		assert.GreaterOrEqual(t, exactRecurrence(t, want.DetectionTime, got.Interval, c.loss, c.variance), c.recurrence)
		assert.Less(t, exactRecurrence(t, want.DetectionTime, got.Interval+got.Interval/1e7, c.loss, c.variance), c.recurrence)
		checkLargest(t, n, want, got, secs(c.most), 5000)

		// η_max alone, where nothing is asked of the recurrence.
		want.MistakeRecurrence = 1
		got, err = n.Configure(want)
		require.NoError(t, err)
		assert.InDelta(t, c.most, got.Interval.Seconds(), 0.501e-5, "η_max")
	}
}

// The worked examples of the paper. It rounds: (a) is 9.9764, (b) 9.7098.
func TestConfigurePaper(t *testing.T) {
	want := qos.Target{DetectionTime: 30 * time.Second, MistakeRecurrence: month, MistakeDuration: time.Minute}
	for _, c := range []struct {
		name             string
		network          network
		interval, margin float64
		tolerance        float64
	}{
		{"a", paper, 9.97, 20.03, 0.01},
		{"a, gonum", qos.KnownLaw{Loss: 0.01, Survival: distuv.Exponential{Rate: 50}.Survival}, 9.97, 20.03, 0.01},
		{"b", qos.KnownMoments{Loss: 0.01, Mean: 0.02, StdDev: math.Sqrt(0.02)}, 9.71, 20.29, 0.005},
		{"b, to more digits", qos.KnownMoments{Loss: 0.01, Mean: 0.02, StdDev: math.Sqrt(0.02)}, 9.70977, 20.29023, gridStep * 30},
		{"b, from the command line", qos.KnownMoments{Loss: 0.01, Mean: 0.02, StdDev: 0.14142}, 9.71, 20.29, 0.005},
		{"c", qos.KnownSpread{Loss: 0.01, StdDev: math.Sqrt(0.02)}, 9.7165, 20.2835, gridStep * 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.network.Configure(want)
			require.NoError(t, err)
			assert.InDelta(t, c.interval, got.Interval.Seconds(), c.tolerance, "interval")
			assert.InDelta(t, c.margin, got.Margin.Seconds(), c.tolerance, "margin")
			checkLargest(t, c.network, want, got, want.DetectionTime, 5000)
			assert.InEpsilon(t, recurrence(c.network, want.DetectionTime, got.Interval), got.MistakeRecurrence, 1e-9)
		})
	}
}

// A law with steps makes f rise and fall many times within a branch.
func TestConfigureSteps(t *testing.T) {
	// The steps are off the nanoseconds, where rounding would decide.
	steps := func(x float64) float64 { return math.Pow(0.3, math.Floor(x/0.7+1e-10)) }
	n := qos.KnownLaw{Loss: 0.02, Survival: steps}
	for _, recurrence := range []float64{20, 100, 450, 3000, 1e5, 1e8} {
		want := qos.Target{DetectionTime: 10 * time.Second, MistakeRecurrence: secs(recurrence)}
		got, err := n.Configure(want)
		require.NoError(t, err)
		checkLargest(t, n, want, got, want.DetectionTime, 20000)
	}
}

// f is constant here from 0.5 s up: the case that takes longest.
func TestConfigurePlateau(t *testing.T) {
	n := qos.KnownLaw{Loss: 0.01, Survival: distuv.Uniform{Min: 0, Max: 0.99}.Survival}
	want := qos.Target{DetectionTime: time.Second, MistakeRecurrence: secs(1 / 0.99 * (1 + 1e-6))}
	got, err := n.Configure(want)
	require.NoError(t, err)
	checkLargest(t, n, want, got, want.DetectionTime, 1000)
}

func TestConfigureErrors(t *testing.T) {
	ok := qos.Target{DetectionTime: time.Second, MistakeRecurrence: time.Hour}
	spread := qos.KnownSpread{Loss: 0.01, StdDev: 0.02}
	for _, c := range []struct {
		network     network
		want        qos.Target
		unreachable bool
		err         string
	}{
		{qos.KnownSpread{Loss: 1.5}, ok, false, "qos: Loss is 1.5, want a number from 0 to below 1"},
		{qos.KnownSpread{Loss: 1}, ok, false, "qos: Loss is 1, want a number from 0 to below 1"},
		{spread, qos.Target{MistakeRecurrence: 1}, false, "qos: DetectionTime is 0s, want a duration from 1µs to 87600h0m0s"},
		{spread, qos.Target{DetectionTime: time.Second}, false, "qos: MistakeRecurrence is 0s, want a duration above 0"},
		{spread, qos.Target{time.Second, 1, -1}, false, "qos: MistakeDuration is -1ns, want a duration of at least 0"},
		{qos.KnownLaw{Survival: func(x float64) float64 { return x }}, qos.Target{DetectionTime: 2 * time.Second, MistakeRecurrence: 1}, false,
			"qos: Survival is 2, want a probability at 2 s"},
		{qos.KnownMoments{Mean: 1}, ok, true,
			"qos: no heartbeat arrives within DetectionTime 1s, which has to be longer than delays are; a DetectionTime of 2s can be reached"},
		{qos.KnownLaw{Survival: func(float64) float64 { return 1 }}, ok, true,
			"qos: no heartbeat arrives within DetectionTime 1s, which has to be longer than delays are"},
		{qos.KnownSpread{Loss: 0.5}, qos.Target{time.Second, time.Hour, 100 * time.Microsecond}, true,
			"qos: MistakeDuration is 100µs, want at least 200µs at DetectionTime 1s: a mistake lasts until the next heartbeat, and they may be 100µs apart at the least"},
		{qos.KnownSpread{Loss: 0.999, StdDev: 0.01}, qos.Target{DetectionTime: time.Second, MistakeRecurrence: time.Hour}, true,
			"qos: MistakeRecurrence is 1h0m0s, want at most 1.89 s, which is the most that heartbeats 100µs to 1s apart reach within DetectionTime 1s; a DetectionTime of 34m8s can be reached"},
	} {
		_, err := c.network.Configure(c.want)
		assert.EqualError(t, err, c.err)
		if c.unreachable {
			assert.ErrorIs(t, err, qos.ErrUnreachable)
		} else {
			assert.NotErrorIs(t, err, qos.ErrUnreachable)
		}
	}
}

func TestPhiThreshold(t *testing.T) {
	const day = 24 * time.Hour
	for recurrence, want := range map[time.Duration]float64{
		time.Hour: 3.556, day: 4.937, 7 * day: 5.782, month: 6.414, 365 * day: 7.499,
	} {
		phi, err := qos.PhiThreshold(1, recurrence, time.Second)
		require.NoError(t, err)
		assert.InDelta(t, want, phi, 0.5e-3, recurrence.String())
		tenth, err := qos.PhiThreshold(1, recurrence, time.Second/10)
		require.NoError(t, err)
		assert.InDelta(t, phi+1, tenth, 1e-14)
		fleet, err := qos.PhiThreshold(200, recurrence, time.Second)
		require.NoError(t, err)
		assert.InDelta(t, phi+math.Log10(200), fleet, 1e-14)
	}
	for err, f := range map[string]func() (float64, error){
		"qos: pairs is 0, want a number above 0":                                             func() (float64, error) { return qos.PhiThreshold(0, month, time.Second) },
		"qos: interval is 0s, want a duration from 1µs to 87600h0m0s":                        func() (float64, error) { return qos.PhiThreshold(1, month, 0) },
		"qos: recurrence is 1s, want a duration above 1s, the interval divided by the pairs": func() (float64, error) { return qos.PhiThreshold(1, time.Second, time.Second) },
	} {
		_, got := f()
		assert.EqualError(t, got, err)
	}
}

// Whatever is asked: an answer that reaches the target and that no larger
// interval of a grid beats, or a reason.
func FuzzConfigure(f *testing.F) {
	f.Add(uint8(0), 0.01, 0.02, 0.02, int64(30*time.Second), int64(month), int64(time.Minute))
	f.Add(uint8(1), 0.01, 0.02, 0.1414, int64(30*time.Second), int64(month), int64(time.Minute))
	f.Add(uint8(2), 0.01, 0.0, 0.001, int64(30*time.Second), int64(8.5e15), int64(time.Minute))
	f.Add(uint8(3), 0.3, 0.5, 1.5, int64(10*time.Second), int64(time.Hour), int64(0))
	f.Add(uint8(4), 0.0, 0.2, 0.1, int64(time.Second), int64(time.Hour), int64(time.Second))
	f.Add(uint8(4), 1.0/360, -7.94, -11.95, int64(30000000010), int64(month)+179, int64(59999999864))
	f.Add(uint8(1), 0.0, 0.0, 0.0, int64(1000), int64(math.MaxInt64), int64(1))
	f.Fuzz(func(t *testing.T, kind uint8, loss, mean, sd float64, detection, recurrence, duration int64) {
		var n network
		switch kind % 5 {
		case 0:
			n = qos.KnownLaw{Loss: loss, Survival: qos.Survival(liveness.Exponential{Mean: mean})}
		case 1:
			n = qos.KnownMoments{Loss: loss, Mean: mean, StdDev: sd}
		case 2:
			n = qos.KnownSpread{Loss: loss, StdDev: sd}
		case 3:
			n = qos.KnownLaw{Loss: loss, Survival: qos.Survival(liveness.LogNormal{Mu: math.Log(mean), Sigma: sd})}
		case 4:
			n = qos.KnownLaw{Loss: loss, Survival: qos.Survival(liveness.Gaussian{Mean: mean, StdDev: sd})}
		}
		want := qos.Target{DetectionTime: time.Duration(detection), MistakeRecurrence: time.Duration(recurrence), MistakeDuration: time.Duration(duration)}
		c, err := n.Configure(want)
		if err != nil {
			assert.Zero(t, c)
			return
		}
		assert.Positive(t, c.Interval)
		assert.GreaterOrEqual(t, c.Margin, time.Duration(0))
		for _, x := range []float64{c.MistakeRecurrence, c.MistakeDuration, c.QueryAccuracy} {
			assert.GreaterOrEqual(t, x, 0.0) // no NaN
		}
		assert.LessOrEqual(t, c.QueryAccuracy, 1.0)
		// η_max is where nothing is asked of the recurrence.
		easy := want
		easy.MistakeRecurrence = 1
		most, err := n.Configure(easy)
		if assert.NoError(t, err) {
			checkLargest(t, n, want, c, most.Interval, 300)
		}
	})
}
