package qos_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// The setting of Chen, Toueg and Aguilera's simulations: a heartbeat a second, one in
// a hundred lost, exponential delays of 20 ms.
const (
	chenDelay = 0.02
	chenLoss  = 0.01
)

func exponential(mean float64) qos.Law {
	return func(src rand.Source) qos.Draw { return distuv.Exponential{Rate: 1 / mean, Src: src} }
}

func chenSetting(beats int, seed uint64) qos.Beats {
	return qos.Simulation{Seed: seed, Phases: []qos.Phase{{Beats: beats, Delay: exponential(chenDelay), Loss: chenLoss}}}.Beats()
}

// nfds is the analysis of NFD-S (their theorem 5) for η = 1 s.
func nfds(delta float64) (recurrence, duration, accuracy float64) {
	late := func(x float64) float64 { // P(D > x)
		if x <= 0 {
			return 1
		}
		return math.Exp(-x / chenDelay)
	}
	u := func(x float64) float64 {
		product := 1.0
		for j := 0; j <= int(math.Ceil(delta)); j++ {
			product *= chenLoss + (1-chenLoss)*late(delta+x-float64(j))
		}
		return product
	}
	q0 := (1 - chenLoss) * (1 - late(delta+1))
	wrong := q0 * u(0)
	integral, steps := 0.0, 200000
	for i := range steps {
		integral += u((float64(i)+0.5)/float64(steps)) / float64(steps)
	}
	return 1 / wrong, integral / wrong, 1 - integral
}

func TestAnalysisIsThePublishedTable(t *testing.T) {
	for _, row := range []struct{ bound, recurrence, duration, accuracy float64 }{
		{1.05, 11.0679, 0.12520, 0.98868797},
		{1.10, 60.5919, 0.565933, 0.99065992},
		{1.16, 97.7633, 0.842776, 0.99137942},
		{1.50, 101.010, 0.530101, 0.99475200},
		{2.00, 101.010, 0.030101, 0.99970200},
		{2.05, 1106.79, 0.1252, 0.99988688},
		{2.10, 6059.19, 0.565933, 0.99990660},
	} {
		recurrence, duration, accuracy := nfds(row.bound - 1)
		assert.InEpsilon(t, row.recurrence, recurrence, 1e-5)
		assert.InEpsilon(t, row.duration, duration, 1e-4)
		assert.InDelta(t, row.accuracy, accuracy, 1e-8)
	}
}

// A simulated stream through NFD-S and NFD-E agrees with the analysis within
// sampling error, at margins below the spread of the delay as well as above, and
// at once for all margins: level L of a detector with a margin of 1 s is what
// another with a margin of L seconds would do.
func TestChenDetectorsAgreeWithTheAnalysis(t *testing.T) {
	deltas := []float64{0.03, 0.05, 0.10, 0.16, 0.5, 1, 1.05, 1.10}
	alphas := make([]float64, len(deltas))
	for i, d := range deltas {
		alphas[i] = d - chenDelay
	}
	const beats = 250_000
	curves, err := qos.Sweep(chenSetting(beats, 1), 2000,
		qos.Candidate{Name: "NFD-S", Levels: deltas, New: func() (liveness.Detector, error) {
			// Heartbeat 1 is sent at the epoch.
			return qos.NewNFDS(qos.NFDSConfig{Start: time.Unix(-1, 0), Interval: time.Second, Margin: time.Second})
		}},
		qos.Candidate{Name: "NFD-E", Levels: alphas, New: func() (liveness.Detector, error) {
			return liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: time.Second, WindowSize: 1000})
		}},
	)
	require.NoError(t, err)
	for _, c := range curves {
		for i, r := range c.Points {
			recurrence, duration, accuracy := nfds(deltas[i])
			n := float64(r.Mistakes)
			t.Logf("%s T_D ≤ %.2f s: T_MR %.5g (%.5g), T_M %.4g (%.4g), P_A %.7f (%.7f), %d mistakes, worst T_D %.5g, any instant mean %.5g p99 %.5g",
				c.Name, 1+deltas[i], r.MistakeRecurrence.Mean, recurrence, r.MistakeDuration.Mean, duration, r.QueryAccuracy, accuracy, r.Mistakes, r.AfterHeartbeat.Max, r.AnyInstant.Mean, r.AnyInstant.P99)
			// Four standard errors of a mean of n values with the spread seen.
			within := func(want, got, spread float64) {
				assert.InDelta(t, want, got, 4*spread/math.Sqrt(n), "%s, δ = %v", c.Name, deltas[i])
			}
			within(recurrence, r.MistakeRecurrence.Mean, r.MistakeRecurrence.StdDev)
			within(1/recurrence, r.MistakeRate, r.MistakeRate)
			within(duration, r.MistakeDuration.Mean, r.MistakeDuration.StdDev)
			within(1-accuracy, 1-r.QueryAccuracy, (1-accuracy)*math.Hypot(1, r.MistakeDuration.StdDev/r.MistakeDuration.Mean))
			// T_D ≤ η + δ, and a crash just after a heartbeat has arrived
			// comes one delay after it was sent.
			slack := 0.0
			if c.Name == "NFD-E" {
				slack = 6 * chenDelay / math.Sqrt(1000) // of the estimate of E(D)
			}
			assert.LessOrEqual(t, r.AfterHeartbeat.Max, 1+deltas[i]+slack)
			if deltas[i] >= 0.5 {
				assert.InDelta(t, 1+deltas[i]-chenDelay, r.AfterHeartbeat.Mean, 0.001)
			}
		}
	}
}

func TestChenWithASmallMarginOfItsOwn(t *testing.T) {
	recurrence, duration, accuracy := nfds(0.03)
	r, err := qos.Replay(chenSetting(200_000, 2), func() (liveness.Detector, error) {
		return liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: 10 * time.Millisecond, WindowSize: 1000})
	}, 2000)
	require.NoError(t, err)
	n := math.Sqrt(float64(r.Mistakes))
	assert.InDelta(t, recurrence, r.MistakeRecurrence.Mean, 4*r.MistakeRecurrence.StdDev/n)
	assert.InDelta(t, duration, r.MistakeDuration.Mean, 4*r.MistakeDuration.StdDev/n)
	spread := math.Hypot(1, r.MistakeDuration.StdDev/r.MistakeDuration.Mean)
	assert.InDelta(t, accuracy, r.QueryAccuracy, 4*(1-accuracy)*spread/n)
}
