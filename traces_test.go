package liveness_test

import (
	"bufio"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// readArrivals reads a trace as arrivals in their order, relative to its start.
// Series of latencies become arrivals one after the other.
func readArrivals(t *testing.T, path string) []time.Duration {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var arrivals []time.Duration
	var header string
	var at time.Duration
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "#"):
			continue
		case header == "":
			header = line
			continue
		}
		fields := strings.Split(line, ",")
		last := fields[len(fields)-1]
		if last == "" {
			continue // lost
		}
		ns, err := strconv.ParseInt(last, 10, 64)
		require.NoError(t, err, path)
		switch header {
		case "interarrival_ns", "seq,rtt_ns":
			at += time.Duration(ns)
			arrivals = append(arrivals, at)
		case "send_ns,recv_ns":
			arrivals = append(arrivals, time.Duration(ns))
		default:
			return nil // no series
		}
	}
	require.NoError(t, lines.Err())
	slices.Sort(arrivals)
	return arrivals
}

// TestTraces replays real traces, and logs the mistakes each law makes on them.
func TestTraces(t *testing.T) {
	folder := os.Getenv("LIVENESS_TRACES")
	if folder == "" {
		t.Skip("LIVENESS_TRACES names no folder of traces")
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*.csv"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, "no traces in LIVENESS_TRACES")
	replayed := 0
	for _, path := range paths {
		arrivals := readArrivals(t, path)
		if len(arrivals) == 0 {
			continue
		}
		replayed++
		for _, law := range []liveness.Distribution{liveness.Gaussian{}, liveness.Exponential{}, liveness.LogNormal{}} {
			// Each threshold has a detector of its own: what is learnt may depend on it.
			var mistakes [3]int
			for i, threshold := range []float64{1, 3, 8} {
				d := newPhi(t, liveness.PhiConfig{Threshold: threshold, Distribution: law, MinStdDev: time.Microsecond})
				for j, a := range arrivals {
					at := t0.Add(a)
					if j > 200 {
						due := d.Deadline(threshold)
						level := d.Suspicion(at)
						if level >= threshold {
							mistakes[i]++
						}
						if !(level >= 0 && level <= math.MaxFloat64) || (level >= threshold) != !at.Before(due) {
							t.Fatalf("%s, heartbeat %d: Suspicion is %v, deadline %v, arrival %v", path, j, level, due, at)
						}
						if mid := d.Suspicion(at.Add(-time.Millisecond)); mid > level {
							t.Fatalf("%s, heartbeat %d: Suspicion falls from %v to %v", path, j, mid, level)
						}
					}
					d.Heartbeat(at)
				}
			}
			t.Logf("%-36s %-20T %6d heartbeats, mistakes at 1, 3, 8: %5d %5d %5d", filepath.Base(path), law, len(arrivals), mistakes[0], mistakes[1], mistakes[2])
			assert.GreaterOrEqual(t, mistakes[0], mistakes[2], path)
		}
	}
	require.NotZero(t, replayed)
}
