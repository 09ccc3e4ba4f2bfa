package compat_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/compat"
)

// An original keeps the rules of one of the systems as its own code has them, in
// seconds, for heartbeats in order.
type original struct {
	window       int
	seeds        []float64
	learns       func(o *original, gap float64) bool
	threshold    float64
	floor, pause float64
	exponential  bool

	gaps []float64
}

func (o *original) gap(x float64) {
	if o.gaps == nil {
		o.gaps = append(o.gaps, o.seeds...)
	}
	if o.learns(o, x) {
		o.gaps = append(o.gaps, x)
		o.gaps = o.gaps[max(0, len(o.gaps)-o.window):]
	}
}

func (o *original) moments() (mean, stdDev float64) {
	gaps := o.gaps
	if gaps == nil {
		gaps = o.seeds
	}
	for _, x := range gaps {
		mean += x / float64(len(gaps))
	}
	for _, x := range gaps {
		stdDev += (x - mean) * (x - mean) / float64(len(gaps))
	}
	return mean, max(math.Sqrt(stdDev), o.floor)
}

func (o *original) phi(silence float64) float64 {
	mean, stdDev := o.moments()
	if o.exponential {
		return 1 / math.Log(10) * silence / mean
	}
	y := (silence - mean - o.pause) / stdDev
	e := math.Exp(-y * (1.5976 + 0.070566*y*y))
	if y > 0 {
		return -math.Log10(e / (1 + e))
	}
	return -math.Log10(1 - 1/(1+e))
}

// wait returns the silence at which the threshold is reached.
func (o *original) wait() float64 {
	mean, stdDev := o.moments()
	if o.exponential {
		return o.threshold * math.Log(10) * mean
	}
	return liveness.Logistic{Mean: mean + o.pause, StdDev: stdDev}.Quantile(o.threshold)
}

func akka(threshold float64, window int, floor, pause, first float64) *original {
	return &original{window: window, seeds: []float64{first * 3 / 4, first * 5 / 4}, threshold: threshold, floor: floor, pause: pause,
		learns: func(o *original, gap float64) bool { return o.phi(gap) < o.threshold }}
}

func hazelcast(threshold float64, window int, floor, pause, first float64) *original {
	o := akka(threshold, window, floor, pause, first)
	o.learns = func(o *original, _ float64) bool { return o.phi(0) < o.threshold } // the last heartbeat is this one by then
	return o
}

func cassandra(threshold float64, window int, initial, longest float64) *original {
	return &original{window: window, seeds: []float64{initial}, threshold: threshold, exponential: true,
		learns: func(_ *original, gap float64) bool { return gap <= longest }}
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func seconds(x float64) time.Duration { return time.Duration(math.Round(x * 1e9)) }

// A system is a detector of this package beside the original.
type system struct {
	d        liveness.Detector
	original *original
	interval float64 // seconds
}

// systems are the three, with their own defaults and with others.
func systems(t *testing.T) map[string]system {
	t.Helper()
	phi := func(d *liveness.Phi, err error) liveness.Detector {
		require.NoError(t, err)
		return d
	}
	detector := func(d liveness.Detector, err error) liveness.Detector {
		require.NoError(t, err)
		return d
	}
	return map[string]system{
		"akka": {phi(compat.Akka{}.New()), akka(8, 1000, 0.1, 0, 1), 1},
		"akka cluster": {phi(compat.Akka{AcceptableHeartbeatPause: 3 * time.Second}.New()),
			akka(8, 1000, 0.1, 3, 1), 1},
		"akka remote": {phi(compat.Akka{Threshold: 10, MaxSampleSize: 200, AcceptableHeartbeatPause: 10 * time.Second}.New()),
			akka(10, 200, 0.1, 10, 1), 1},
		"akka, slower": {phi(compat.Akka{MinStdDeviation: time.Second, FirstHeartbeatEstimate: 10 * time.Second}.New()),
			akka(8, 1000, 1, 0, 10), 10},
		"cassandra": {detector(compat.Cassandra{}.New()), cassandra(8, 1000, 2, 2), 1},
		"cassandra, other": {detector(compat.Cassandra{PhiConvictThreshold: 12, SampleSize: 50, InitialValue: time.Second, MaxInterval: 5 * time.Second}.New()),
			cassandra(12, 50, 1, 5), 1},
		"hazelcast": {phi(compat.Hazelcast{}.New()), hazelcast(10, 200, 0.1, 60, 5), 5},
		"hazelcast, other": {phi(compat.Hazelcast{Threshold: 8, SampleSize: 100, MinStdDev: time.Second, MaxNoHeartbeat: time.Microsecond, HeartbeatInterval: time.Second}.New()),
			hazelcast(8, 100, 1, 1e-6, 1), 1},
	}
}

// TestAsTheOriginal compares the silence that is waited for with the original's,
// on heartbeats with ±10 % of jitter.
func TestAsTheOriginal(t *testing.T) {
	for name, s := range systems(t) {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 2))
			at := start
			s.d.Heartbeat(at)
			worst, later := 0.0, 0.0
			for i := range 3000 {
				gap := seconds(s.interval * (0.9 + 0.2*rng.Float64()))
				at = at.Add(gap)
				s.d.Heartbeat(at)
				s.original.gap(gap.Seconds())
				off := math.Abs(s.d.Deadline(s.d.Threshold()).Sub(at).Seconds()/s.original.wait() - 1)
				worst = max(worst, off)
				if i >= s.original.window {
					later = max(later, off)
				}
			}
			t.Logf("off by %.2g at most, and by %.2g once the window was full", worst, later)
			assert.Less(t, worst, 0.02)
			assert.Less(t, later, 1e-8, "a nanosecond")
		})
	}
}

// TestOutage: what an outage of ten minutes adds to the silence that is waited for.
func TestOutage(t *testing.T) {
	originally := map[string]float64{"akka": 0, "cassandra": 0, "hazelcast": 245.8} // seconds
	for name, s := range systems(t) {
		at := start
		s.d.Heartbeat(at)
		gap := func(x float64) {
			at = at.Add(seconds(x))
			s.d.Heartbeat(at)
			s.original.gap(x)
		}
		wait := func() float64 { return s.d.Deadline(s.d.Threshold()).Sub(at).Seconds() }
		for range 1200 {
			gap(s.interval)
		}
		before, originalBefore := wait(), s.original.wait()
		gap(600)
		assert.Less(t, wait(), 1.1*before, name)
		if added, ok := originally[name]; ok {
			assert.InDelta(t, added, s.original.wait()-originalBefore, 0.1, name)
		}
	}
}

// TestSlower: a process that becomes slower than its deadline is followed, where
// Akka suspects it at each heartbeat for ever.
func TestSlower(t *testing.T) {
	s := systems(t)["akka"]
	at := start
	s.d.Heartbeat(at)
	suspicions, original := 0, 0
	for i := range 2000 {
		gap := 1.0
		if i >= 1000 {
			gap = 3
		}
		if s.original.gaps != nil && s.original.phi(gap) >= 8 {
			original++
		}
		s.original.gap(gap)
		at = at.Add(seconds(gap))
		if liveness.Suspected(s.d, at) {
			suspicions++
		}
		s.d.Heartbeat(at)
	}
	assert.Equal(t, 1000, original)
	assert.Less(t, suspicions, 60)
}

// TestMaxInterval: Cassandra drops gaps above its maximum, and counts the others.
func TestMaxInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	s := systems(t)["cassandra, other"]
	at := start
	s.d.Heartbeat(at)
	for i := range 1000 {
		gap := seconds(1 + 8*rng.Float64()*rng.Float64()) // some above 5 s, none that is suspected
		at = at.Add(gap)
		s.d.Heartbeat(at)
		s.original.gap(gap.Seconds())
		now := at.Add(seconds(20 * rng.Float64()))
		if i > 100 {
			assert.InEpsilon(t, s.original.phi(now.Sub(at).Seconds()), s.d.Suspicion(now), 1e-9)
			assert.InDelta(t, s.original.wait(), s.d.Deadline(12).Sub(at).Seconds(), 2e-9)
		}
	}
}
