package main

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// regular is a trace of n heartbeats, one a second.
func regular(n int) string {
	return "interarrival_ns\n" + strings.Repeat("1000000000\n", n)
}

// The silence at which each system suspects a process that beats every second.
func TestPresets(t *testing.T) {
	const z8, z10 = 5.22598664409, 5.79902471473 // where the logistic approximation reaches them
	for _, c := range []struct {
		flags string
		want  float64
	}{
		{"-preset akka", 1 + 0.1*z8},
		{"-preset akka -pause 3s -threshold 10 -window 300 -interval 2s", 4 + 0.1*z10},
		{"-preset cassandra", 8 * math.Ln10},
		{"-preset cassandra -threshold 12 -interval 500ms -window 10", 12 * math.Ln10 * 0.5}, // no gap above 500 ms is learnt
		{"-preset cassandra -threshold 12 -interval 1s -window 10", 12 * math.Ln10},
		{"-preset hazelcast", 61 + 0.1*z10},
		{"-preset hazelcast -threshold 8 -pause 20s", 21 + 0.1*z8},
	} {
		got := answer(t, regular(1500), append([]string{"replay", "-"}, strings.Fields(c.flags)...)...)
		assert.InDelta(t, c.want, got["detection_time_mean"], 1e-8, c.flags)
		assert.Equal(t, 0., got["mistakes"], c.flags)
	}
}

func TestPresetsElsewhere(t *testing.T) {
	got := answer(t, regular(1500), "sweep", "-preset", "akka", "-detectors", "phi,phi:lognormal", "-threshold", "8", "-")
	curves := got["curves"].([]any)
	require.Len(t, curves, 2)
	for i, want := range []float64{1.522598664, 4.16} { // the second with the floor of the library
		point := curves[i].(map[string]any)["points"].([]any)[0].(map[string]any)
		assert.InDelta(t, want, point["detection_time_mean"], 0.2*float64(i)+1e-8)
	}

	for _, preset := range presetNames {
		r := cli(steady(1200), "calibrate", "-preset", preset, "-phi", "1", "-")
		require.Equal(t, exitDone, r.code, r.stderr)
		assert.Contains(t, r.stdout, "settings and floor of the standard deviation: those of "+preset+"\n\n"+preset+"\n")
		assert.Equal(t, exitDone, cli("a\na\n", "watch", "-preset", preset).code)
	}
}
