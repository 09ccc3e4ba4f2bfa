package qos_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/qos"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func at(seconds float64) time.Time { return t0.Add(secs(seconds)) }

// meter observes from 0 to end, with transitions that alternate, suspicion first.
func meter(t *testing.T, end float64, transitions ...float64) qos.Metrics {
	t.Helper()
	var m qos.Meter
	require.NoError(t, m.Begin(at(0), false))
	for i, x := range transitions {
		require.NoError(t, m.Transition(at(x), i%2 == 0))
	}
	require.NoError(t, m.End(at(end)))
	return m.Metrics()
}

func TestMetricsByHand(t *testing.T) {
	// trust [0,10) suspect [10,11) trust [11,20) suspect [20,23) trust [23,40)
	m := meter(t, 40, 10, 11, 20, 23)
	assert.Equal(t, 40., m.Observed)
	assert.Equal(t, 2, m.Mistakes)
	assert.Equal(t, 0.05, m.MistakeRate)
	assert.Equal(t, qos.Moments{Count: 1, Mean: 10, Max: 10}, m.MistakeRecurrence)
	assert.Equal(t, qos.Moments{Count: 2, Mean: 2, StdDev: 1, Max: 3}, m.MistakeDuration)
	assert.Equal(t, qos.Moments{Count: 1, Mean: 9, Max: 9}, m.GoodPeriod)
	assert.Equal(t, 0.9, m.QueryAccuracy)
	assert.Equal(t, 4.5, m.ForwardGoodPeriod)
}

func TestMetricsThatAreUnknown(t *testing.T) {
	var none qos.Meter
	m := none.Metrics()
	assert.Zero(t, m.Observed)
	assert.True(t, math.IsNaN(m.MistakeRate) && math.IsNaN(m.QueryAccuracy) && math.IsNaN(m.MistakeRecurrence.Mean))

	m = meter(t, 10)
	assert.Zero(t, m.MistakeRate)
	assert.Equal(t, 1., m.QueryAccuracy)
	assert.True(t, math.IsNaN(m.MistakeDuration.Mean) && math.IsNaN(m.ForwardGoodPeriod))

	m = meter(t, 10, 9) // a mistake that has not ended
	assert.Equal(t, 1, m.Mistakes)
	assert.Equal(t, 0.9, m.QueryAccuracy)
	assert.Zero(t, m.MistakeDuration.Count)

	m = meter(t, 10, 2, 3, 3, 4) // trust for no time at all
	assert.Equal(t, 2, m.Mistakes)
	assert.Zero(t, m.GoodPeriod.Mean)
	assert.Zero(t, m.ForwardGoodPeriod)
}

func TestMeterWithSeveralObservations(t *testing.T) {
	var m qos.Meter
	require.NoError(t, m.Begin(at(0), true)) // when this suspicion began was not seen
	require.NoError(t, m.Transition(at(1), false))
	require.NoError(t, m.Transition(at(2), false)) // no transition
	require.NoError(t, m.Transition(at(4), true))
	require.NoError(t, m.End(at(5)))
	require.NoError(t, m.Begin(at(100), false))
	require.NoError(t, m.Transition(at(101), true))
	require.NoError(t, m.Transition(at(103), false))
	require.NoError(t, m.End(at(105)))
	q := m.Metrics()
	assert.Equal(t, 10., q.Observed)
	assert.Equal(t, 2, q.Mistakes)
	assert.InDelta(t, 0.6, q.QueryAccuracy, 1e-15)
	assert.Equal(t, qos.Moments{Count: 1, Mean: 2, Max: 2}, q.MistakeDuration)
	assert.Equal(t, qos.Moments{Count: 1, Mean: 3, Max: 3}, q.GoodPeriod)
	assert.Zero(t, q.MistakeRecurrence.Count) // not from one observation into the next
}

func TestMeterRefuses(t *testing.T) {
	var m qos.Meter
	assert.ErrorContains(t, m.Transition(at(0), true), "want Begin first")
	assert.ErrorContains(t, m.End(at(0)), "want Begin first")
	require.NoError(t, m.Begin(at(1), false))
	assert.ErrorContains(t, m.Begin(at(2), false), "want the observation before to End first")
	assert.ErrorContains(t, m.Transition(at(0), true), "want one not before the last")
	assert.ErrorContains(t, m.End(at(0)), "want one not before the last")
	require.NoError(t, m.End(at(3)))
	assert.ErrorContains(t, m.Begin(at(2), false), "want one not before the last")
}

// Theorem 1, on random histories of any shape: the law of the periods does not matter.
func TestTheorem1(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := 2 + rng.IntN(2000)
		heavy := 1 + 3*rng.Float64()
		period := func() float64 { return math.Exp(heavy*rng.NormFloat64() - 3) }
		now, bad, good, squares, last := 0., 0., 0., 0., 0.
		var transitions []float64
		var trusting [][2]float64
		for i := range n {
			start := now
			now += period()
			if i > 0 {
				g := now - start
				good += g
				squares += g * g
				trusting = append(trusting, [2]float64{start, now})
			}
			transitions = append(transitions, now)
			start = now
			last = period()
			now += last
			bad += now - start
			transitions = append(transitions, now)
		}
		tail := period()
		m := meter(t, now+tail, transitions...)
		require.Equal(t, n, m.Mistakes)

		// 1. T_G = T_MR − T_M, over the mistakes that are part of a recurrence: all but the last.
		duration := (m.MistakeDuration.Mean*float64(n) - last) / float64(n-1)
		assert.InEpsilon(t, m.GoodPeriod.Mean+duration, m.MistakeRecurrence.Mean, 1e-6)

		// 2. λ_M = 1/E(T_MR) and P_A = 1 − E(T_M)/E(T_MR), over what lies
		// between the first mistake and the last.
		between := transitions[2*n-2] - transitions[0]
		assert.InEpsilon(t, float64(n-1)/between, 1/m.MistakeRecurrence.Mean, 1e-6)
		edges := transitions[0] + last + tail
		accuracy := (m.QueryAccuracy*m.Observed - transitions[0] - tail) / (m.Observed - edges)
		assert.InDelta(t, 1-duration/m.MistakeRecurrence.Mean, accuracy, 1e-6)
		// With the edges in, they differ by no more than the edges' share.
		share := edges / m.Observed
		assert.InDelta(t, 1-duration/m.MistakeRecurrence.Mean, m.QueryAccuracy, share+1e-6)

		// 3. E(T_FG) is the mean over random instants of trust, not half of E(T_G).
		assert.InEpsilon(t, squares/(2*good), m.ForwardGoodPeriod, 1e-6)
		assert.GreaterOrEqual(t, m.ForwardGoodPeriod, m.GoodPeriod.Mean/2*(1-1e-12))
		if n > 1000 && heavy < 2 {
			assert.InEpsilon(t, byInstants(rng, trusting, good), m.ForwardGoodPeriod, 0.1)
		}
	}
}

// byInstants estimates E(T_FG) as it is defined.
func byInstants(rng *rand.Rand, trusting [][2]float64, good float64) float64 {
	const draws = 20000
	sum, i, passed := 0., 0, 0.
	for k := range draws { // stratified
		x := (float64(k) + rng.Float64()) / draws * good
		for i < len(trusting)-1 && passed+trusting[i][1]-trusting[i][0] < x {
			passed += trusting[i][1] - trusting[i][0]
			i++
		}
		sum += trusting[i][1] - trusting[i][0] - (x - passed)
	}
	return sum / draws
}
