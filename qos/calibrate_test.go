package qos_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// phiWith makes φ detectors with a law, and no floor or prior worth the name.
func phiWith(law liveness.Distribution) qos.Factory {
	return phi(liveness.PhiConfig{Distribution: law, MinStdDev: time.Microsecond, PriorWeight: 1e-100})
}

// gaps is a stream with the given gaps in seconds.
func gaps(n int, draw qos.Draw) qos.Beats {
	return func(yield func(qos.Beat, error) bool) {
		at := time.Unix(0, 0)
		for range n {
			at = at.Add(time.Duration(draw.Rand() * 1e9))
			if !yield(qos.Beat{At: at}, nil) {
				return
			}
		}
	}
}

// A law that is right is calibrated, and costs what the best constant costs.
func TestCalibrationOfTheRightLaw(t *testing.T) {
	src := func() rand.Source { return rand.NewPCG(1, 2) } // one for each: the order of a map is random
	for name, test := range map[string]struct {
		law  liveness.Distribution
		draw qos.Draw
	}{
		"Gaussian":    {liveness.Gaussian{}, distuv.Normal{Mu: 1, Sigma: 0.1, Src: src()}},
		"exponential": {liveness.Exponential{}, distuv.Exponential{Rate: 1, Src: src()}},
		"lognormal":   {liveness.LogNormal{}, distuv.LogNormal{Mu: 0, Sigma: 0.3, Src: src()}},
	} {
		t.Run(name, func(t *testing.T) {
			const n = 100_000
			results, err := qos.Calibrate(gaps(n, test.draw), phiWith(test.law), 1000)
			require.NoError(t, err)
			require.Len(t, results, 4)
			for i, c := range results {
				assert.Equal(t, float64(i+1), c.Level)
				assert.Equal(t, n-1000, c.Judged)
				assert.Equal(t, float64(c.Mistakes)/float64(c.Judged), c.Observed)
				// The window has 1000 samples, so the parameters are
				// off by some percent, and rare levels by more.
				noise := 4 / math.Sqrt(c.Promised*float64(c.Judged)) / math.Ln10
				assert.InDelta(t, 0, c.Log10Error, noise+0.02*c.Level, "φ = %v", c.Level)
				assert.InDelta(t, 1, c.Efficiency(), 0.03, "φ = %v", c.Level)
				assert.True(t, c.Low < c.Observed && c.Observed < c.High)
			}
		})
	}
}

// The score of a script that can be checked by hand: gaps of 1 s, 2 s and 3 s and a
// detector that always says φ = silence/second.
func TestCalibrationByHand(t *testing.T) {
	var beats []qos.Beat
	at := time.Unix(0, 0)
	for i := range 301 { // 300 gaps, of which the first 100 are learnt
		beats = append(beats, qos.Beat{At: at})
		gap := time.Second
		switch {
		case i%100 == 7:
			gap = 3 * time.Second
		case i%10 == 0:
			gap = 2 * time.Second
		}
		at = at.Add(gap)
	}
	results, err := qos.Calibrate(qos.Slice(beats), fixed(time.Second), 101, 1, 1.5, 2, 5)
	require.NoError(t, err)

	// Level 1: the deadline is the heartbeat plus 1 s; 20 gaps of 2 s and 2 of 3 s are later.
	assert.Equal(t, 200, results[0].Judged)
	assert.Equal(t, 22, results[0].Mistakes)
	assert.Equal(t, 0.11, results[0].Observed)
	assert.InDelta(t, math.Log10(22./20), results[0].Log10Error, 1e-15)
	assert.Equal(t, 1., results[0].TimeoutMean)
	assert.Equal(t, 1., results[0].Hindsight) // exceeded by 22
	assert.Equal(t, 1., results[0].Efficiency())

	// Level 1.5: the same mistakes at a price of 1.5 s.
	assert.Equal(t, 22, results[1].Mistakes)
	assert.InDelta(t, 1.5, results[1].Efficiency(), 1e-12)
	assert.InDelta(t, math.Log10(22/(200*math.Pow(10, -1.5))), results[1].Log10Error, 1e-12)

	// Level 2: a heartbeat at the deadline is in time. 2 mistakes are promised: too few for a score.
	assert.Equal(t, 2, results[2].Mistakes)
	assert.Equal(t, 2., results[2].Hindsight)
	assert.True(t, math.IsNaN(results[2].Log10Error))

	// Level 5: no mistake; a timeout of 3 s would have made none.
	assert.Zero(t, results[3].Mistakes)
	assert.Equal(t, 3., results[3].Hindsight)
	assert.Zero(t, results[3].Low)
	assert.InDelta(t, 1-math.Pow(0.025, 1./200), results[3].High, 1e-9) // the "rule of 3.7/n"

	scores, err := qos.Scores(results, results)
	require.NoError(t, err)
	assert.Equal(t, 2, scores[1].Traces)
	assert.InDelta(t, 1.5, scores[1].Efficiency, 1e-12)
	assert.InDelta(t, math.Abs(results[1].Log10Error), scores[1].MeanAbsLog10Error, 1e-15)
	assert.Zero(t, scores[2].Traces)
	assert.True(t, math.IsNaN(scores[2].Efficiency))

	_, err = qos.Scores(results, results[:2])
	assert.EqualError(t, err, "qos: traces[1] has other levels than traces[0], want the same")
}

func TestNoMistakeCountsAsHalfAOne(t *testing.T) {
	results, err := qos.Calibrate(gaps(1000, constant(1)), fixed(time.Minute), 0, 2)
	require.NoError(t, err)
	assert.Equal(t, 800, results[0].Judged)
	assert.InDelta(t, math.Log10(0.5/8), results[0].Log10Error, 1e-15)
}

type constant float64

func (c constant) Rand() float64 { return float64(c) }

// tracePath skips a test where there are no real traces.
func tracePath(t *testing.T) string {
	path := os.Getenv("LIVENESS_TRACES")
	if path == "" {
		t.Skip("LIVENESS_TRACES is not set: there are no real traces to read")
	}
	return path
}

func openTrace(t *testing.T, path, name string) *qos.Trace {
	f, err := os.Open(filepath.Join(path, name+".csv"))
	require.NoError(t, err)
	t.Cleanup(func() { f.Close() })
	trace, err := qos.Open(name, f)
	require.NoError(t, err)
	return trace
}

var (
	gapTraces = []string{
		"pam25_tmobile_drive", "cicv5g_urban_n78_20hz", "gc_neo4j_g1_pauses", "gc_neo4j_g1_hb100ms",
		"jhiccup_linux_2015_interarrival", "loki_block_arrivals", "itsgw_cable_loss",
	}
	// Without the pauses themselves, which are no heartbeats.
	arrivalTraces = []string{
		"pam25_tmobile_drive", "cicv5g_urban_n78_20hz", "gc_neo4j_g1_hb100ms",
		"jhiccup_linux_2015_interarrival", "loki_block_arrivals", "itsgw_cable_loss",
	}
	latencyTraces = []string{
		"pam25_tmobile_drive", "cicv5g_urban_n78_20hz",
		"nab_ec2_request_latency", "netlatency_seattle_node_median", "netlatency_seattle_node_slow",
	}
	delayTraces = []string{
		"pam25_tmobile_drive", "cicv5g_urban_n78_20hz", "gc_neo4j_g1_pauses",
		"nab_ec2_request_latency", "netlatency_seattle_node_median", "netlatency_seattle_node_slow",
	}
)

// calibrationOf scores a law on some of the real traces.
func calibrationOf(t *testing.T, path string, law liveness.Distribution, series qos.Series, names []string) []qos.Score {
	var all [][]qos.Calibration
	for _, name := range names {
		results, err := qos.Calibrate(openTrace(t, path, name).Beats(series), phi(liveness.PhiConfig{Distribution: law, MinStdDev: time.Microsecond}), 0)
		require.NoError(t, err, name)
		for _, c := range results {
			t.Logf("%T %v %s φ %v: %d of %d, log10 error %.2f, efficiency %.2f", law, series, name, c.Level, c.Mistakes, c.Judged, c.Log10Error, c.Efficiency())
			assert.True(t, c.Low <= c.Observed && c.Observed <= c.High)
		}
		all = append(all, results)
	}
	scores, err := qos.Scores(all...)
	require.NoError(t, err)
	for _, s := range scores {
		t.Logf("%T %v φ %v: %d traces, mean |log10| %.3f, signed %+.2f, efficiency %.2f", law, series, s.Level, s.Traces, s.MeanAbsLog10Error, s.MeanSignedLog10Error, s.Efficiency)
	}
	return scores
}

// The usual laws are off by factors on real traces: how far is published, not asserted.
func TestCalibrationOnRealTraces(t *testing.T) {
	path := tracePath(t)
	for _, law := range []liveness.Distribution{
		liveness.Gaussian{}, liveness.Exponential{}, liveness.LogNormal{}, liveness.Logistic{},
		liveness.StudentT{}, liveness.Lomax{}, liveness.LogStudentT{}, liveness.ShiftedExponential{},
	} {
		calibrationOf(t, path, law, qos.Gap, gapTraces)
		calibrationOf(t, path, law, qos.Delay, delayTraces)
	}
}

// The promise is kept on real traces, within what was wanted of the law that is
// the default: mean |log10(observed/promised)| at φ = 1, 2, 3, 4 and the price as a
// multiple of the best constant timeout in hindsight, to two digits. At φ = 4 a single trace is
// long enough to be scored.
func TestEmpiricalOnRealTraces(t *testing.T) {
	path := tracePath(t)
	for _, c := range []struct {
		series     qos.Series
		names      []string
		off, price []float64
	}{
		{qos.Gap, arrivalTraces, []float64{0.05, 0.10, 0.18, 0.25}, []float64{1.05, 1.0, 1.05, 1.15}},
		{qos.Delay, latencyTraces, []float64{0.05, 0.10, 0.18}, []float64{1.05, 1.0, 1.055}},
	} {
		scores := calibrationOf(t, path, liveness.Empirical{}, c.series, c.names)
		for i, off := range c.off {
			assert.LessOrEqual(t, scores[i].MeanAbsLog10Error, off, "%v φ %v", c.series, scores[i].Level)
			assert.LessOrEqual(t, scores[i].Efficiency, c.price[i], "%v φ %v", c.series, scores[i].Level)
		}
	}
}
