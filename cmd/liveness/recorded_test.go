package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The trace of our own: what is known of how it was made has to come out.
const busy = "testdata/loopback_busy.csv"

func TestReplayOfOurTrace(t *testing.T) {
	got := answer(t, "", "replay", "-detector", "fixed", "-timeout", "1s", busy)
	assert.Equal(t, 2904., got["heartbeats"])
	assert.Equal(t, 0., got["lost"])
	assert.Equal(t, 2., got["mistakes"], "it was frozen twice")
	assert.InDelta(t, ((3.02-1)+(1.23-1))/2, got["mistake_duration_mean"], 0.01)

	got = answer(t, "", "replay", "-law", "gaussian", "-interval", "50ms", busy)
	assert.Less(t, got["detection_time_max"], 0.5, "one outage does not make it blind")
	assert.InDelta(t, 5, got["mistakes"], 3)
	assert.Greater(t, got["query_accuracy"], 0.97)

	got = answer(t, "", "replay", "-threshold", "3", busy)
	assert.InDelta(t, 3, got["mistakes"], 3, "empirical: of 2904")

	got = answer(t, "", "replay", "-detector", "chen", "-interval", "50ms", "-margin", "150ms", busy)
	assert.InDelta(t, 6, got["mistakes"], 4)
	got = answer(t, "", "replay", "-series", "delay", "-detector", "fixed", "-timeout", "100ms", busy)
	assert.LessOrEqual(t, got["mistakes"], 5., "the frozen process was the sender: nothing was long on its way")
}

func TestSweepOfOurTrace(t *testing.T) {
	got := answer(t, "", "sweep", "-detector", "fixed", "-timeout", "1s", "-threshold", "0.06,0.4,2,4", busy)
	var mistakes []float64
	for _, p := range got["curves"].([]any)[0].(map[string]any)["points"].([]any) {
		mistakes = append(mistakes, 2904*p.(map[string]any)["mistake_rate_per_heartbeat"].(float64))
	}
	assert.InDeltaSlice(t, []float64{45, 2, 1, 0}, mistakes, 5)
	assert.InDeltaSlice(t, []float64{2, 1, 0}, mistakes[1:], 1e-9)
}

// The usual law breaks its promise here too: φ = 2 is wrong more than once in a
// hundred times. An exponential one is too careful by an order of magnitude.
func TestCalibrateOurTrace(t *testing.T) {
	got := answer(t, "", "calibrate", "-laws", "gaussian,exponential", busy)
	for i, want := range [][]float64{{-0.28, 0.32}, {-1.62, -0.86}} {
		law := got["laws"].([]any)[i].(map[string]any)
		scores := law["mean_signed_log10_error"].([]any)
		if assert.Len(t, scores, 2) {
			assert.InDelta(t, want[0], scores[0], 0.1)
			assert.InDelta(t, want[1], scores[1], 0.1)
		}
	}
}
