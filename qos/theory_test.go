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

var paper = qos.KnownLaw{Loss: chenLoss, Survival: qos.Survival(liveness.Exponential{Mean: chenDelay})}

func exponential(mean float64) qos.Law {
	return func(src rand.Source) qos.Draw { return distuv.Exponential{Rate: 1 / mean, Src: src} }
}

func chenSetting(beats int, seed uint64) qos.Beats {
	return qos.Simulation{Seed: seed, Phases: []qos.Phase{{Beats: beats, Delay: exponential(chenDelay), Loss: chenLoss}}}.Beats()
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
			want, err := paper.Predict(time.Second, secs(deltas[i]))
			require.NoError(t, err)
			n := float64(r.Mistakes)
			t.Logf("%s T_D ≤ %.2f s: T_MR %.5g (%.5g), T_M %.4g (%.4g), P_A %.7f (%.7f), %d mistakes, worst T_D %.5g, any instant mean %.5g p99 %.5g",
				c.Name, 1+deltas[i], r.MistakeRecurrence.Mean, want.MistakeRecurrence, r.MistakeDuration.Mean, want.MistakeDuration, r.QueryAccuracy, want.QueryAccuracy, r.Mistakes, r.AfterHeartbeat.Max, r.AnyInstant.Mean, r.AnyInstant.P99)
			// Four standard errors of a mean of n values with the spread seen.
			within := func(expected, got, spread float64) {
				assert.InDelta(t, expected, got, 4*spread/math.Sqrt(n), "%s, δ = %v", c.Name, deltas[i])
			}
			within(want.MistakeRecurrence, r.MistakeRecurrence.Mean, r.MistakeRecurrence.StdDev)
			within(1/want.MistakeRecurrence, r.MistakeRate, r.MistakeRate)
			within(want.MistakeDuration, r.MistakeDuration.Mean, r.MistakeDuration.StdDev)
			within(1-want.QueryAccuracy, 1-r.QueryAccuracy, (1-want.QueryAccuracy)*math.Hypot(1, r.MistakeDuration.StdDev/r.MistakeDuration.Mean))
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
	want, err := paper.Predict(time.Second, 30*time.Millisecond)
	require.NoError(t, err)
	r, err := qos.Replay(chenSetting(200_000, 2), func() (liveness.Detector, error) {
		return liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: 10 * time.Millisecond, WindowSize: 1000})
	}, 2000)
	require.NoError(t, err)
	n := math.Sqrt(float64(r.Mistakes))
	assert.InDelta(t, want.MistakeRecurrence, r.MistakeRecurrence.Mean, 4*r.MistakeRecurrence.StdDev/n)
	assert.InDelta(t, want.MistakeDuration, r.MistakeDuration.Mean, 4*r.MistakeDuration.StdDev/n)
	spread := math.Hypot(1, r.MistakeDuration.StdDev/r.MistakeDuration.Mean)
	assert.InDelta(t, want.QueryAccuracy, r.QueryAccuracy, 4*(1-want.QueryAccuracy)*spread/n)
}
