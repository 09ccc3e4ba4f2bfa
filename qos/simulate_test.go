package qos_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness/qos"
)

func always(seconds float64) qos.Law {
	return func(rand.Source) qos.Draw { return constant(seconds) }
}

func simulate(t *testing.T, phases ...qos.Phase) []qos.Beat {
	t.Helper()
	beats, err := collect(qos.Simulation{Start: t0, Phases: phases}.Beats())
	require.NoError(t, err)
	return beats
}

func TestSimulationWithoutChance(t *testing.T) {
	assert.Equal(t, []qos.Beat{
		{Seq: 1, Sent: at(0), At: at(0.1)},
		{Seq: 2, Sent: at(1), At: at(1.1)},
	}, simulate(t, qos.Phase{Beats: 2, Delay: always(0.1)}))
}

func TestSimulationIsReproducible(t *testing.T) {
	s := qos.Simulation{Seed: 7, Phases: []qos.Phase{{Beats: 500, Delay: exponential(1), Loss: 0.1, Burst: 3, Pauses: 0.01, Pause: exponential(5)}}}
	a, err := collect(s.Beats())
	require.NoError(t, err)
	b, err := collect(s.Beats())
	require.NoError(t, err)
	assert.Equal(t, a, b)
	s.Seed++
	b, err = collect(s.Beats())
	require.NoError(t, err)
	assert.NotEqual(t, a, b)

	// Delays of one interval reorder: yet all arrive in order, and each once.
	seen := map[uint64]bool{}
	last, overtaken := time.Time{}, 0
	highest := uint64(0)
	for _, beat := range a {
		require.False(t, seen[beat.Seq])
		seen[beat.Seq] = true
		if !beat.Lost() {
			require.False(t, beat.At.Before(last))
			require.False(t, beat.At.Before(beat.Sent))
			last = beat.At
			if beat.Seq < highest {
				overtaken++
			}
			highest = max(highest, beat.Seq)
		}
	}
	assert.Len(t, seen, 500)
	assert.Greater(t, overtaken, 50)
}

func TestSimulatedDelaysFollowTheLaw(t *testing.T) {
	const n = 100_000
	sum := 0.0
	for _, b := range simulate(t, qos.Phase{Beats: n, Delay: func(src rand.Source) qos.Draw {
		return distuv.LogNormal{Mu: -4, Sigma: 0.5, Src: src}
	}}) {
		sum += b.At.Sub(b.Sent).Seconds()
	}
	law := distuv.LogNormal{Mu: -4, Sigma: 0.5}
	assert.InDelta(t, law.Mean(), sum/n, 4*law.StdDev()/math.Sqrt(n))
}

func TestSimulatedLosses(t *testing.T) {
	const n = 400_000
	for _, p := range []qos.Phase{{Loss: 0.05}, {Loss: 0.05, Burst: 1}, {Loss: 0.05, Burst: 8}, {Loss: 0.6, Burst: 1.6}} {
		p.Beats = n
		lost, bursts, before := 0., 0., false
		for _, b := range simulate(t, p) {
			if b.Lost() {
				lost++
				if !before {
					bursts++
				}
			}
			before = b.Lost()
		}
		burst := p.Burst
		if burst == 0 {
			burst = 1 / (1 - p.Loss)
		}
		// Bursts are independent, and their length geometric.
		assert.InEpsilon(t, burst, lost/bursts, 4/math.Sqrt(bursts), "%+v", p)
		assert.InEpsilon(t, p.Loss, lost/n, 8/math.Sqrt(bursts), "%+v", p)
	}
}

// A paused sender sends what is due when it wakes, and skips what it slept through.
func TestSimulatedPauses(t *testing.T) {
	beats := simulate(t, qos.Phase{Beats: 1}, qos.Phase{Beats: 1, Pauses: 1, Pause: always(2.5)}, qos.Phase{Beats: 2})
	var sent []time.Time
	for i, b := range beats {
		assert.Equal(t, uint64(i+1), b.Seq)
		sent = append(sent, b.Sent)
	}
	assert.Equal(t, []time.Time{at(0), at(3.5), at(4), at(5)}, sent)
}

func TestSimulatedShiftRestartAndSilence(t *testing.T) {
	beats := simulate(t,
		qos.Phase{Beats: 2, Delay: always(0.1)},
		qos.Phase{Beats: 1, Delay: always(0.5)},
		qos.Phase{Beats: 2, Interval: 2 * time.Second, Silence: 10 * time.Second, Restart: true})
	assert.Equal(t, []qos.Beat{
		{Seq: 1, Sent: at(0), At: at(0.1)},
		{Seq: 2, Sent: at(1), At: at(1.1)},
		{Seq: 3, Sent: at(2), At: at(2.5)},
		{Seq: 1, Sent: at(13), At: at(13), Life: 1},
		{Seq: 2, Sent: at(15), At: at(15), Life: 1},
	}, beats)
}

func TestSimulatedDrift(t *testing.T) {
	beats, err := collect(qos.Simulation{Start: t0, Drift: 1e-3, Phases: []qos.Phase{{Beats: 3, Interval: 1000 * time.Second, Delay: always(0.25)}}}.Beats())
	require.NoError(t, err)
	assert.Equal(t, at(2000), beats[2].Sent)
	assert.Equal(t, at(2002.25), beats[2].At)
}

func TestSimulationWithoutEnd(t *testing.T) {
	n := 0
	for b, err := range (qos.Simulation{Phases: []qos.Phase{{}}}.Beats()) {
		require.NoError(t, err)
		if n++; n == 1000 {
			assert.Equal(t, time.Unix(999, 0).UTC(), b.At)
			break
		}
	}
	// But time has one.
	_, err := collect(qos.Simulation{Phases: []qos.Phase{{Interval: 300 * 24 * time.Hour}}}.Beats())
	assert.ErrorContains(t, err, "has come to its end")
}

func TestSimulationRefuses(t *testing.T) {
	for want, s := range map[string]qos.Simulation{
		"qos: Phases is empty, want at least one":             {},
		"qos: Drift is -1, want a number above -1, at most 1": {Drift: -1, Phases: []qos.Phase{{}}},
		"qos: Phases[0].Beats is -1, want":                    phase(qos.Phase{Beats: -1}),
		"qos: Phases[0].Interval is 1ns, want":                phase(qos.Phase{Interval: 1}),
		"qos: Phases[0].Loss is 1, want":                      phase(qos.Phase{Loss: 1}),
		"qos: Phases[0].Loss is NaN, want":                    phase(qos.Phase{Loss: math.NaN()}),
		"qos: Phases[0].Burst is 0.5, want":                   phase(qos.Phase{Burst: 0.5}),
		"qos: Phases[0].Burst is +Inf, want":                  phase(qos.Phase{Burst: math.Inf(1)}),
		"qos: Phases[0].Burst is 1, want at least":            phase(qos.Phase{Burst: 1, Loss: 0.75}),
		"qos: Phases[0].Pauses is 2, want a probability":      phase(qos.Phase{Pauses: 2}),
		"qos: Phases[0].Pause is nil, want a law":             phase(qos.Phase{Pauses: 1}),
		"qos: Phases[0].Silence is -1ns, want":                phase(qos.Phase{Silence: -1}),
		"qos: Delay drew -1, want":                            phase(qos.Phase{Delay: always(-1)}),
		"qos: Delay drew NaN, want":                           phase(qos.Phase{Delay: always(math.NaN())}),
		"qos: Pause drew +Inf, want":                          phase(qos.Phase{Pauses: 1, Pause: always(math.Inf(1))}),
	} {
		_, err := collect(s.Beats())
		assert.ErrorContains(t, err, want)
	}
}

func phase(p qos.Phase) qos.Simulation { return qos.Simulation{Phases: []qos.Phase{p}} }
