package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// small is a study that takes seconds.
var small = []string{"-peers", "2000", "-interval", "100ms", "-duration", "1s", "-window", "20", "-deaths", "20"}

func TestJSON(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run(append(small, "-json"), &stdout, &stderr), "%s", &stderr)
	var got map[string]float64
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &got))
	for _, key := range []string{
		"peers", "heartbeats_per_second_per_core", "bytes_per_peer", "detection_lag_p50", "detection_lag_p99", "allocs_per_heartbeat", "idle_cpu_fraction",
	} {
		assert.Contains(t, got, key)
	}
	assert.Len(t, got, 7)
	assert.Equal(t, 2000.0, got["peers"])
	assert.Greater(t, got["heartbeats_per_second_per_core"], 1000.0)
	assert.GreaterOrEqual(t, got["detection_lag_p99"], got["detection_lag_p50"])
	assert.Less(t, got["allocs_per_heartbeat"], 0.01)
}

func TestTable(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds, as TestJSON does")
	}
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run(small, &stdout, &stderr), "%s", &stderr)
	for _, want := range []string{"2000 PEERS", "heartbeats/s a core", "THE CURVE", "WHAT FITS", "ON PAPER", "20 of 20"} {
		assert.Contains(t, stdout.String(), want)
	}
}

func TestWrongUsage(t *testing.T) {
	for args, want := range map[string]string{
		"-peers 10":        "million: peers is 10, want a number from 1000 to 100000000 (-h explains the flags)\n",
		"-window 1":        "million: window is 1, want a number from 10 to 10000 (-h explains the flags)\n",
		"-senders 0":       "million: senders is 0, want a number from 1 to 1024 (-h explains the flags)\n",
		"-batch 0":         "million: batch is 0, want a number from 1 to 65536 (-h explains the flags)\n",
		"-deaths 0":        "million: deaths is 0, want a number above 0 (-h explains the flags)\n",
		"-interval 1ms":    "million: interval is 1ms, want a duration from 10ms to 1m (-h explains the flags)\n",
		"-duration 1ms":    "million: duration is 1ms, want a duration from 1s to 1h (-h explains the flags)\n",
		"-peers 1000 more": "million: unexpected argument \"more\" (-h explains the flags)\n",
		"-nonsense":        "million: flag provided but not defined: -nonsense (-h explains the flags)\n",
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, run(strings.Fields(args), &stdout, &stderr))
		assert.Equal(t, want, stderr.String())
		assert.Empty(t, stdout.String())
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, run([]string{"-h"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "-peers")
}

func TestQuantile(t *testing.T) {
	_, ok := (&point{}).late(0.5)
	assert.False(t, ok)
	p := point{lag: []time.Duration{1, 2, 3, 4}, missed: 4}
	got, ok := p.late(0.25)
	assert.True(t, ok)
	assert.Equal(t, time.Duration(3), got)
	_, ok = p.late(0.5)
	assert.False(t, ok, "half of the deaths were not found")
	assert.Nil(t, p.lateSeconds(0.5))
	assert.Equal(t, "-", p.lateText(0.5))
	assert.Equal(t, 3.0, binomial(3, 2))
}
