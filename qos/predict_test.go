package qos_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness/qos"
)

// half is half a unit of the last of six significant digits.
func half(x float64) float64 { return 0.5 * math.Pow(10, math.Floor(math.Log10(x))-5) }

func TestPredictTable(t *testing.T) {
	for _, c := range []struct {
		detection                      time.Duration
		recurrence, duration, accuracy float64
	}{
		{1050 * time.Millisecond, 11.0679, 0.12520, 0.98868797},
		{1100 * time.Millisecond, 60.5919, 0.565933, 0.99065992},
		{1160 * time.Millisecond, 97.7633, 0.842776, 0.99137942},
		{1500 * time.Millisecond, 101.010, 0.530101, 0.99475200},
		{2000 * time.Millisecond, 101.010, 0.030101, 0.99970200},
		{2050 * time.Millisecond, 1106.79, 0.1252, 0.99988688},
		{2100 * time.Millisecond, 6059.19, 0.565933, 0.99990660},
		{2500 * time.Millisecond, 10101.0, 0.530101, 0.99994752},
		{3000 * time.Millisecond, 10101.0, 0.030101, 0.99999702},
		{3050 * time.Millisecond, 110679, 0.1252, 0.99999887},
		{3500 * time.Millisecond, 1.0101e6, 0.530101, 0.99999948},
	} {
		t.Run(c.detection.String(), func(t *testing.T) {
			for name, n := range map[string]qos.KnownLaw{
				"liveness": paper,
				"gonum":    {Loss: 0.01, Survival: distuv.Exponential{Rate: 50}.Survival},
			} {
				p, err := n.Predict(time.Second, c.detection-time.Second)
				require.NoError(t, err, name)
				assert.Equal(t, c.detection, p.DetectionTime)
				assert.InDelta(t, c.recurrence, p.MistakeRecurrence, half(c.recurrence), "E(T_MR)")
				assert.InDelta(t, c.duration, p.MistakeDuration, 0.5e-6+0.5e-6, "E(T_M)")
				assert.InDelta(t, c.accuracy, p.QueryAccuracy, 0.5e-8, "P_A")
			}
		})
	}
}

// Theorem 1: P_A = 1 − E(T_M)/E(T_MR); and the integral against the closed form
// it has for one heartbeat in the margin.
func TestPredictRelations(t *testing.T) {
	for _, margin := range []time.Duration{0, time.Millisecond, 300 * time.Millisecond, time.Second, 2700 * time.Millisecond, 9 * time.Second} {
		for _, mean := range []float64{1e-6, 0.02, 0.5, 30} {
			n := qos.KnownLaw{Loss: 0.05, Survival: distuv.Exponential{Rate: 1 / mean}.Survival}
			p, err := n.Predict(time.Second, margin)
			require.NoError(t, err)
			wrong := p.MistakeDuration / p.MistakeRecurrence
			assert.InDelta(t, 1-wrong, p.QueryAccuracy, 1e-15+1e-14*wrong)
			if margin > 0 && margin <= time.Second {
				// u(x) = (p + a e^(−x/μ)), times 1 before the next heartbeat is
				// sent at k = η − δ and p + (1−p) e^(−(x−k)/μ) after.
				a, k := 0.95*math.Exp(-margin.Seconds()/mean), (time.Second - margin).Seconds()
				e := func(x float64) float64 { return -mean * math.Expm1(-x/mean) }
				rest := 1 - k
				before := 0.05*k + a*e(k)
				b := a * math.Exp(-k/mean) // what is left of a at k
				after := 0.05*0.05*rest + 0.05*(0.95+b)*e(rest) + 0.95*b*e(2*rest)/2
				u0 := 0.05 + a
				q0 := 0.95 * -math.Expm1(-(1+margin.Seconds())/mean)
				assert.InEpsilon(t, (before+after)/(q0*u0), p.MistakeDuration, 1e-8, "margin %v, mean %v", margin, mean)
				assert.InEpsilon(t, 1/(q0*u0), p.MistakeRecurrence, 1e-12)
			}
		}
	}
}

// Bounds from moments hold for the laws that have them, and are what the exact
// ones are where nothing but loss is left.
func TestPredictBounds(t *testing.T) {
	const mean, sd = 0.05, 0.05
	exact := qos.KnownLaw{Loss: 0.1, Survival: distuv.Exponential{Rate: 1 / mean}.Survival}
	for margin := 0 * time.Second; margin <= 3*time.Second; margin += 70 * time.Millisecond {
		e, err := exact.Predict(time.Second, margin)
		require.NoError(t, err)
		b, err := qos.KnownMoments{Loss: 0.1, Mean: mean, StdDev: sd}.Predict(time.Second, margin)
		require.NoError(t, err)
		assert.LessOrEqual(t, b.MistakeRecurrence, e.MistakeRecurrence)
		assert.GreaterOrEqual(t, b.MistakeDuration, e.MistakeDuration)
		assert.LessOrEqual(t, b.QueryAccuracy, e.QueryAccuracy)
		if margin > 50*time.Millisecond { // NFD-U is NFD-S with δ = E(D) + α
			u, err := qos.KnownSpread{Loss: 0.1, StdDev: sd}.Predict(time.Second, margin-50*time.Millisecond)
			require.NoError(t, err)
			assert.InEpsilon(t, b.MistakeRecurrence, u.MistakeRecurrence, 1e-12)
			assert.InEpsilon(t, b.MistakeDuration, u.MistakeDuration, 1e-12)
			assert.Equal(t, b.DetectionTime-50*time.Millisecond, u.DetectionTime)
		}
	}
	for _, n := range []interface {
		Predict(interval, margin time.Duration) (qos.Prediction, error)
	}{
		qos.KnownLaw{Loss: 0.01, Survival: func(float64) float64 { return 0 }},
		qos.KnownMoments{Loss: 0.01},
		qos.KnownSpread{Loss: 0.01},
	} {
		p, err := n.Predict(time.Second, 1500*time.Millisecond)
		require.NoError(t, err)
		assert.InEpsilon(t, 1e4, p.MistakeRecurrence, 0.011)
	}
}

func TestPredictSpecialCases(t *testing.T) {
	constant := func(d float64) func(float64) float64 {
		return func(x float64) float64 {
			if x < d {
				return 1
			}
			return 0
		}
	}
	p, err := qos.KnownLaw{Survival: constant(0.1)}.Predict(time.Second, time.Second/2)
	require.NoError(t, err)
	assert.Equal(t, qos.Prediction{DetectionTime: 1500 * time.Millisecond, MistakeRecurrence: math.Inf(1), QueryAccuracy: 1}, p, "no mistakes")

	p, err = qos.KnownLaw{Survival: constant(10)}.Predict(time.Second, time.Second/2)
	require.NoError(t, err)
	assert.Equal(t, qos.Prediction{DetectionTime: 1500 * time.Millisecond, MistakeRecurrence: math.Inf(1), MistakeDuration: math.Inf(1)}, p, "no heartbeat in time")

	// A mistake begins at τ = 0.05 s after sending and ends 0.05 s later, always.
	p, err = qos.KnownLaw{Survival: constant(0.1)}.Predict(time.Second, 50*time.Millisecond)
	require.NoError(t, err)
	assert.InEpsilon(t, 1, p.MistakeRecurrence, 1e-9)
	assert.InEpsilon(t, 0.05, p.MistakeDuration, 1e-8)
	assert.InEpsilon(t, 0.95, p.QueryAccuracy, 1e-9)

	// A constant product, next to a jump.
	p, err = qos.KnownLaw{Loss: 1.0 / 360, Survival: constant(1e-9)}.Predict(10*time.Second, 20*time.Second+10)
	require.NoError(t, err)
	assert.InEpsilon(t, 10*360*360*360/(1-1.0/360), p.MistakeRecurrence, 1e-12)
	assert.InEpsilon(t, 1-p.MistakeDuration/p.MistakeRecurrence, p.QueryAccuracy, 1e-12)

	// So many heartbeats in the margin that mistakes are beyond float64.
	p, err = paper.Predict(time.Second, 1000*time.Second)
	require.NoError(t, err)
	assert.True(t, math.IsInf(p.MistakeRecurrence, 1))
	assert.InDelta(t, 0.030101, p.MistakeDuration, 1e-6)
	assert.Equal(t, 1.0, p.QueryAccuracy)
}

func TestPredictErrors(t *testing.T) {
	for want, f := range map[string]func() (qos.Prediction, error){
		"qos: interval is 500ns, want a duration from 1µs to 87600h0m0s": func() (qos.Prediction, error) { return paper.Predict(500, time.Second) },
		"qos: margin is -1ns, want a duration from 0s to 87600h0m0s":     func() (qos.Prediction, error) { return paper.Predict(time.Second, -1) },
		"qos: margin is 10s, want at most 10000 intervals of 1µs":        func() (qos.Prediction, error) { return paper.Predict(time.Microsecond, 10*time.Second) },
		"qos: Loss is NaN, want a number from 0 to below 1": func() (qos.Prediction, error) {
			return qos.KnownSpread{Loss: math.NaN()}.Predict(time.Second, time.Second)
		},
		"qos: Mean is -1, want seconds from 0 to 3.1536e+08": func() (qos.Prediction, error) { return qos.KnownMoments{Mean: -1}.Predict(time.Second, time.Second) },
		"qos: StdDev is NaN, want seconds from 0 to 3.1536e+08": func() (qos.Prediction, error) {
			return qos.KnownMoments{StdDev: math.NaN()}.Predict(time.Second, time.Second)
		},
		"qos: Survival is nil, want a function": func() (qos.Prediction, error) { return qos.KnownLaw{}.Predict(time.Second, time.Second) },
		"qos: Survival is NaN, want a probability at 2 s": func() (qos.Prediction, error) {
			return qos.KnownLaw{Survival: func(float64) float64 { return math.NaN() }}.Predict(time.Second, time.Second)
		},
	} {
		_, err := f()
		assert.EqualError(t, err, want)
	}
}
