package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg/draw"
)

var replayFields = []string{
	"trace", "detector", "heartbeats", "lost", "mistakes", "mistake_rate_per_heartbeat", "mistake_rate_per_second",
	"mistake_recurrence_mean", "mistake_duration_mean", "detection_time_mean", "detection_time_p99",
	"detection_time_max", "query_accuracy",
}

// In ten gaps there is one of 300 ms, 100 ms longer than the timeout.
func TestReplay(t *testing.T) {
	got := answer(t, steady(1200), "replay", "-detector", "fixed", "-timeout", "200ms", "-")
	assert.ElementsMatch(t, replayFields, keys(got))
	for field, want := range map[string]any{
		"trace": "-", "detector": "fixed", "heartbeats": 1000., "lost": 0., "mistakes": 100.,
		"mistake_rate_per_heartbeat": 0.1, "mistake_rate_per_second": 100. / 120, "mistake_recurrence_mean": 1.2,
		"mistake_duration_mean": 0.1, "detection_time_mean": 0.2, "detection_time_max": 0.2, "query_accuracy": 1 - 10./120,
	} {
		if number, ok := want.(float64); ok {
			assert.InDelta(t, number, got[field], 1e-9, field)
		} else {
			assert.Equal(t, want, got[field], field)
		}
	}
	assert.InEpsilon(t, 0.2, got["detection_time_p99"], 0.005)
}

func TestReplayLeavesOutWhatIsUnknown(t *testing.T) {
	got := answer(t, steady(300), "replay", "-detector", "fixed", "-timeout", "1s", "-")
	assert.Equal(t, 0., got["mistakes"])
	assert.Equal(t, 1., got["query_accuracy"])
	assert.NotContains(t, got, "mistake_recurrence_mean")
	assert.NotContains(t, got, "mistake_duration_mean")
}

// The threshold of a fixed timeout is a multiple of it.
func TestReplayThreshold(t *testing.T) {
	for threshold, mistakes := range map[string]float64{"1": 100, "1.5": 0, "0.5": 100, "0.4": 1000} {
		got := answer(t, steady(1200), "replay", "-detector", "fixed", "-timeout", "200ms", "-threshold", threshold, "-")
		assert.Equal(t, mistakes, got["mistakes"], threshold)
	}
}

func TestReplayEveryDetector(t *testing.T) {
	for _, args := range [][]string{
		{"-detector", "phi"}, {"-detector", "phi", "-law", "lognormal"}, {"-detector", "phi:exponential"},
		{"-detector", "phi", "-min-stddev", "1ms", "-pause", "20ms", "-interval", "120ms", "-window", "50"},
		{"-detector", "fixed", "-timeout", "1s"}, {"-detector", "chen", "-interval", "120ms", "-margin", "1s"},
		{"-detector", "bertier", "-interval", "120ms"}, {"-detector", "bertier", "-interval", "120ms", "-margin", "1ms", "-window", "50"},
		{"-detector", "two-window", "-interval", "120ms", "-margin", "1s"},
		{"-detector", "rto"}, {"-detector", "rto", "-interval", "120ms", "-margin", "1ms", "-timeout", "200ms"},
		{"-detector", "quantile"}, {"-detector", "quantile", "-interval", "120ms", "-margin", "1ms", "-quantile", "90%", "-window", "50"},
		{"-detector", "satzger"}, {"-detector", "satzger", "-interval", "120ms", "-scale", "0.9", "-threshold", "2"},
		{"-detector", "loss-aware", "-interval", "100ms"},
		{"-detector", "loss-aware", "-interval", "100ms", "-min-stddev", "1ms", "-window", "50", "-threshold", "2"},
	} {
		got := answer(t, steady(500), append([]string{"replay", "-"}, args...)...)
		assert.Equal(t, 300., got["heartbeats"])
		assert.Greater(t, got["detection_time_mean"], 0.)
		r := cli(steady(500), append([]string{"replay", "-"}, args...)...)
		assert.Equal(t, exitDone, r.code)
		assert.Contains(t, r.stdout, "query accuracy")
		narrow(t, r.stdout)
	}
}

const pingLog = `PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=11.6 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12.4 ms
64 bytes from 192.0.2.1: icmp_seq=4 ttl=57 time=240 ms
64 bytes from 192.0.2.1: icmp_seq=5 ttl=57 time=12.0 ms
`

func TestPingLogAndTimestampsAreTraces(t *testing.T) {
	got := answer(t, pingLog, "replay", "-warmup", "1", "-detector", "fixed", "-timeout", "100ms", "-")
	assert.Equal(t, 3., got["heartbeats"])
	assert.Equal(t, 1., got["lost"])
	assert.Equal(t, 1., got["mistakes"])
	assert.Equal(t, 0.24, answer(t, pingLog, "size", "-false-positive", "0.2", "-")["timeout"])
	times := "timestamp,seq\n2026-01-01T00:00:00Z,1\n2026-01-01T00:00:01Z,2\n2026-01-01T00:00:05Z,3\n"
	got = answer(t, times, "replay", "-warmup", "1", "-detector", "fixed", "-timeout", "2s", "-")
	assert.Equal(t, 2., got["heartbeats"])
	assert.Equal(t, 1., got["mistakes"])
	assert.Equal(t, 4., answer(t, times, "size", "-false-positive", "0.34", "-")["timeout"])
}

func TestSweep(t *testing.T) {
	got := answer(t, steady(1200), "sweep", "-detectors", "fixed,phi:gaussian", "-timeout", "200ms", "-")
	assert.ElementsMatch(t, []string{"trace", "curves"}, keys(got))
	curves := got["curves"].([]any)
	require.Len(t, curves, 2)
	for i, name := range []string{"fixed", "phi:gaussian"} {
		curve := curves[i].(map[string]any)
		assert.Equal(t, name, curve["detector"])
		last := map[string]any{"detection_time_mean": 0., "mistake_rate_per_heartbeat": 1.}
		for _, p := range curve["points"].([]any) {
			point := p.(map[string]any)
			assert.ElementsMatch(t, []string{"threshold", "detection_time_mean", "mistake_rate_per_heartbeat", "query_accuracy"}, keys(point))
			assert.GreaterOrEqual(t, point["detection_time_mean"], last["detection_time_mean"])
			assert.LessOrEqual(t, point["mistake_rate_per_heartbeat"], last["mistake_rate_per_heartbeat"])
			last = point
		}
	}
	got = answer(t, steady(1200), "sweep", "-detector", "fixed", "-timeout", "1s", "-threshold", "0.2,0.5", "-")
	points := got["curves"].([]any)[0].(map[string]any)["points"].([]any)
	require.Len(t, points, 2)
	assert.Equal(t, 0.1, points[0].(map[string]any)["mistake_rate_per_heartbeat"])
	assert.Equal(t, 0., points[1].(map[string]any)["mistake_rate_per_heartbeat"])
	r := cli(steady(1200), "sweep", "-")
	assert.Contains(t, r.stdout, "detection time")
	narrow(t, r.stdout)
}

func TestCalibrate(t *testing.T) {
	path := file(t, "steady.csv", steady(1200))
	got := answer(t, steady(400), "calibrate", "-laws", "exponential,gaussian", "-phi", "3,1,2", path, "-")
	laws := got["laws"].([]any)
	require.Len(t, laws, 2)
	law := laws[0].(map[string]any)
	assert.ElementsMatch(t, []string{"law", "traces", "mean_abs_log10_error", "mean_signed_log10_error", "efficiency"}, keys(law))
	assert.Equal(t, "exponential", law["law"])
	traces := law["traces"].([]any)
	require.Len(t, traces, 2)
	trace := traces[0].(map[string]any)
	assert.ElementsMatch(t, []string{"trace", "judged", "phi", "observed", "timeout_mean", "hindsight"}, keys(trace))
	assert.Equal(t, path, trace["trace"])
	assert.Equal(t, 1000., trace["judged"])
	assert.Equal(t, []any{1., 2., 3.}, trace["phi"])
	// φ = 1 is 120 ms · ln 10 = 276 ms, φ = 2 twice that.
	observed, timeout := trace["observed"].([]any), trace["timeout_mean"].([]any)
	assert.Equal(t, []any{0.1, 0., 0.}, observed)
	assert.InEpsilon(t, 0.12*math.Ln10, timeout[0], 0.01)
	assert.InEpsilon(t, 0.1, trace["hindsight"].([]any)[0], 0.001)
	assert.Equal(t, 200., traces[1].(map[string]any)["judged"])
	// 10 and 2 mistakes are promised by φ = 2, of which the second scores no trace, nor does φ = 3 any.
	scores := law["mean_abs_log10_error"].([]any)
	require.Len(t, scores, 2)
	assert.InDelta(t, 0, scores[0], 0.01)
	assert.InDelta(t, math.Log10(20), scores[1], 1e-9)
	assert.InDelta(t, -math.Log10(20), law["mean_signed_log10_error"].([]any)[1], 1e-9)
	assert.Len(t, law["efficiency"], 2)

	r := cli(steady(400), "calibrate", "-laws", "exponential,gaussian", path, "-")
	require.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stdout, "standard input")
	narrow(t, r.stdout)
}

func TestSize(t *testing.T) {
	got := answer(t, "", "size", "-lognormal", "median=50ms,sigma=1", "-false-positive", "0.001")
	assert.ElementsMatch(t, []string{"timeout", "false_positive", "phi", "method"}, keys(got))
	assert.InDelta(t, 1.099, got["timeout"], 0.0005)
	assert.InDelta(t, 3, got["phi"], 1e-12)
	assert.Equal(t, "law", got["method"])
	for law, want := range map[string]float64{"-exponential=mean=1s": 3 * math.Ln10, "-gaussian=mean=1s,stddev=100ms": 1.309} {
		assert.InDelta(t, want, answer(t, "", "size", law, "-false-positive", "0.001")["timeout"], 1e-4)
	}

	got = answer(t, steady(1000), "size", "-false-positive", "0.05", "-")
	assert.ElementsMatch(t, []string{"timeout", "false_positive", "phi", "method", "lower", "upper"}, keys(got))
	assert.Equal(t, 0.3, got["timeout"])
	r := cli(steady(1000), "size", "-false-positive", "0.0005", "-")
	assert.Equal(t, exitDone, r.code)
	assert.Contains(t, r.stderr, "warning: ")
	assert.Contains(t, r.stdout, "unknown")
	narrow(t, r.stdout)
}

// The worked examples of Chen, Toueg and Aguilera, who print two decimals.
func TestConfigure(t *testing.T) {
	want := []string{"configure", "-detection-time", "30s", "-mistake-recurrence", "720h", "-mistake-duration", "60s", "-loss", "0.01"}
	for _, c := range []struct {
		network          []string
		interval, margin float64
	}{
		{[]string{"-delay-mean", "20ms", "-delay", "exponential"}, 9.97, 20.03},
		{[]string{"-delay-mean", "20ms", "-delay-stddev", "141.42ms", "-synchronized"}, 9.71, 20.29},
		{[]string{"-delay-stddev", "141.42ms"}, 9.7165, 20.2835},
	} {
		got := answer(t, "", append(want, c.network...)...)
		assert.ElementsMatch(t, []string{"interval", "margin", "detection_time", "mistake_recurrence", "mistake_duration"}, keys(got))
		assert.InDelta(t, c.interval, got["interval"], 0.01)
		assert.InDelta(t, c.margin, got["margin"], 0.01)
		assert.Equal(t, 30., got["detection_time"])
		assert.GreaterOrEqual(t, got["mistake_recurrence"], 2592000.)
		r := cli("", append(want, c.network...)...)
		assert.Contains(t, r.stdout, "if losses and delays are independent")
		narrow(t, r.stdout)
	}
	for _, law := range []string{"lognormal", "gaussian"} {
		got := answer(t, "", append(want, "-delay", law, "-delay-mean", "20ms", "-delay-stddev", "5ms")...)
		assert.InDelta(t, 9.99, got["interval"], 0.02)
	}
}

func TestConfigureRefuses(t *testing.T) {
	quick := []string{"configure", "-detection-time", "10ms", "-mistake-recurrence", "1h"}
	r := cli("", append(quick, "-delay-mean", "20ms", "-delay-stddev", "1s", "-synchronized", "-json")...)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "no heartbeat arrives within")
	var fields map[string]string
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &fields))
	assert.Contains(t, fields["reason"], "no heartbeat arrives within")

	for text, args := range map[string][]string{
		"it needs -delay-stddev, or -delay and -delay-mean": {},
		"-synchronized needs -delay-mean":                   {"-delay-stddev", "1s", "-synchronized"},
		"-delay exponential needs -delay-mean":              {"-delay", "exponential"},
		"leave out -delay-stddev":                           {"-delay", "exponential", "-delay-mean", "1s", "-delay-stddev", "2s"},
		"-delay lognormal needs -delay-stddev":              {"-delay", "lognormal", "-delay-mean", "1s"},
		"law \"cauchy\" is unknown":                         {"-delay", "cauchy"},
		"there are exponential, lognormal and gaussian":     {"-delay", "empirical", "-delay-mean", "1s"},
		"-delay-stddev is -1s":                              {"-delay-stddev", "-1s"},
		"Loss is 2":                                         {"-loss", "2", "-delay-stddev", "1s"},
	} {
		r := cli("", append(quick, args...)...)
		assert.Equal(t, exitUsage, r.code, text)
		assert.Contains(t, r.stderr, text)
	}
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	trace := file(t, "steady.csv", steady(1200))
	for name, head := range map[string]string{"a.svg": "<?xml", "a.png": "\x89PNG", "A.PNG": "\x89PNG"} {
		for command, args := range map[string][]string{
			"sweep":     {"-detectors", "phi,fixed,chen", "-timeout", "100ms", "-interval", "120ms", "-margin", "100ms", trace},
			"calibrate": {"-laws", "gaussian,exponential,lognormal", trace, trace},
		} {
			picture := filepath.Join(dir, command+name)
			r := cli("", append([]string{command, "-plot", picture}, args...)...)
			require.Equal(t, exitDone, r.code, r.stderr)
			content, err := os.ReadFile(picture)
			require.NoError(t, err)
			assert.True(t, strings.HasPrefix(string(content), head))
			if head == "<?xml" {
				assert.Contains(t, string(content), "in hindsight")
				assert.NotContains(t, string(content), "NaN")
			}
		}
	}
	for command, trace := range map[string]string{"sweep": "interarrival_ns\n" + strings.Repeat("0\n", 300), "calibrate": steady(201)} {
		r := cli(trace, command, "-plot", filepath.Join(dir, command+"poor.svg"), "-")
		assert.Equal(t, exitDone, r.code, "a trace that gives nothing to draw: "+r.stderr)
	}
	r := cli("", "sweep", "-plot", filepath.Join(dir, "absent", "a.svg"), trace)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "absent")
}

// The limit counts what each constant timeout would have done.
func TestHindsight(t *testing.T) {
	h := hindsight{buckets: map[int]int{}}
	for _, gap := range []float64{0, 0.1, 0.1, 0.2, 5} {
		h.add(gap)
	}
	timeouts, rates := h.curve()
	require.Len(t, timeouts, 3)
	for i, want := range []struct{ timeout, rate float64 }{{0.1, 0.4}, {0.2, 0.2}, {5, 0}} {
		assert.GreaterOrEqual(t, timeouts[i], want.timeout)
		assert.InEpsilon(t, want.timeout, timeouts[i], 0.0025)
		assert.Equal(t, want.rate, rates[i])
	}
}

func TestTicks(t *testing.T) {
	labels := func(ticks logTicks, low, high float64) []string {
		var labels []string
		for _, tick := range ticks.Ticks(math.Log10(low), math.Log10(high)) {
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
		}
		return labels
	}
	assert.Equal(t, []string{"100 µs", "1 ms", "10 ms", "100 ms", "1 s", "10 s"}, labels(logTicks{timeTick}, 1e-4, 10))
	assert.Equal(t, []string{"200 ms", "500 ms", "1 s", "2 s"}, labels(logTicks{timeTick}, 0.15, 4))
	assert.Equal(t, []string{"1e-05", "0.0001", "0.001", "0.01", "0.1", "1"}, labels(logTicks{shareTick}, 1e-5, 1))
}

// Of the gaps 10 % are 300 ms long, the others 100 ms.
func TestReplayOrderStatistics(t *testing.T) {
	for _, c := range []struct {
		args                []string
		detection, mistakes float64
	}{
		{[]string{"quantile", "-quantile", "89%"}, 0.25, 100},
		{[]string{"quantile"}, 0.75, 0},
		{[]string{"quantile", "-margin", "50ms", "-threshold", "2"}, 1.6, 0},
		{[]string{"satzger", "-threshold", "0.99"}, 0.1, 100},
		{[]string{"satzger", "-threshold", "1"}, 0.3, 0},
		{[]string{"satzger", "-threshold", "1", "-scale", "0.75"}, 0.4, 0},
	} {
		got := answer(t, steady(2200), append([]string{"replay", "-", "-warmup", "1200", "-interval", "100ms", "-detector"}, c.args...)...)
		assert.InDelta(t, c.detection, got["detection_time_mean"], 1e-6, "%v", c.args)
		assert.Equal(t, c.mistakes, got["mistakes"], "%v", c.args)
	}
}

// No mistake says little about their rate, and nothing about what they are like.
func TestReplayWithoutMistakes(t *testing.T) {
	r := cli(steady(601), "replay", "-detector", "fixed", "-timeout", "1s", "-")
	assert.Contains(t, r.stdout, "mistakes                0 of 401: below 0.74 % (95 %)\n")
	assert.Contains(t, r.stdout, "mistake recurrence      none\n")
	assert.Contains(t, r.stdout, "mistake duration        none\n")
	assert.NotContains(t, r.stdout, "unknown")
}

// The window of each detector is the library's.
func TestWindowByDefault(t *testing.T) {
	for _, args := range [][]string{
		{"-window", "32", "replay", "-detector", "chen", "-interval", "120ms", "-margin", "50ms", busy},
		{"-window", "1000", "replay", busy},
		{"-window", "1000", "replay", "-detector", "bertier", "-interval", "50ms", busy},
		{"-window", "1000", "replay", "-detector", "two-window", "-interval", "50ms", "-margin", "50ms", busy},
		{"-window", "1000", "replay", "-detector", "quantile", busy},
		{"-window", "1000", "replay", "-detector", "satzger", busy},
		{"-window", "1000", "replay", "-detector", "loss-aware", "-interval", "50ms", busy},
	} {
		window, args := args[:2], args[2:]
		assert.Equal(t, answer(t, "", slices.Concat(args, window)...), answer(t, "", args...))
	}
}

// What is in decades is swept over other levels than multiples.
func TestSweepLevels(t *testing.T) {
	got := answer(t, steady(500), "sweep", "-detectors", "phi,satzger,loss-aware,quantile", "-interval", "100ms", "-")
	for i, want := range []numbers{phiLevels, phiLevels, phiLevels, ratioLevels} {
		var levels numbers
		for _, p := range got["curves"].([]any)[i].(map[string]any)["points"].([]any) {
			levels = append(levels, p.(map[string]any)["threshold"].(float64))
		}
		assert.Equal(t, want, levels)
	}
}

// The empirical law is the default, and all have a name.
func TestLaws(t *testing.T) {
	path := file(t, "steady.csv", steady(1200))
	assert.Equal(t, answer(t, "", "replay", "-law", "empirical", path), answer(t, "", "replay", path))
	assert.Equal(t, answer(t, "", "calibrate", "-law", "empirical", path), answer(t, "", "calibrate", path))
	got := answer(t, "", "calibrate", "-laws", strings.Join(lawNames, ","), path)
	seen := map[string]bool{}
	for i, l := range got["laws"].([]any) {
		law := l.(map[string]any)
		assert.Equal(t, lawNames[i], law["law"])
		seen[fmt.Sprint(law["traces"])] = true
	}
	assert.Len(t, seen, len(lawNames), "each is another")
}

// Heartbeats that are lost are what loss-aware expects.
func TestCalibrateLossAware(t *testing.T) {
	path := file(t, "lossy.csv", lossy(3000, 5*time.Millisecond))
	got := answer(t, "", "calibrate", "-detector", "loss-aware", "-interval", "50.2ms", path)["laws"].([]any)
	require.Len(t, got, 1)
	law := got[0].(map[string]any)
	assert.Equal(t, "loss-aware", law["law"])
	scores := law["mean_abs_log10_error"].([]any)
	require.Len(t, scores, 2)
	for _, s := range scores {
		assert.Less(t, s, 0.35)
	}
	picture := filepath.Join(t.TempDir(), "a.svg")
	r := cli("", "calibrate", "-detector", "loss-aware", "-interval", "50.2ms", "-plot", picture, path)
	assert.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stdout, "\nloss-aware\n")
}

// Only the gaps are about time that passes.
func TestSeriesInWords(t *testing.T) {
	rtt := "rtt_ms\n" + strings.Repeat("20\n21\n19\n500\n", 100)
	got := answer(t, rtt, "replay", "-detector", "fixed", "-timeout", "100ms", "-")
	assert.Equal(t, 50., got["mistakes"])
	for _, field := range []string{"mistake_rate_per_second", "mistake_recurrence_mean", "query_accuracy"} {
		assert.NotContains(t, got, field)
	}
	r := cli(rtt, "replay", "-detector", "fixed", "-timeout", "100ms", "-")
	assert.Contains(t, r.stdout, "series             delay of each probe\n")
	assert.Contains(t, r.stdout, "heartbeats judged  200, 0 lost\n")
	assert.Contains(t, r.stdout, "mistakes           50: 0.25 per heartbeat\n")
	assert.NotContains(t, r.stdout, "recurrence")
	r = cli(rtt, "sweep", "-detectors", "phi,fixed", "-timeout", "100ms", "-")
	assert.NotContains(t, r.stdout, "accuracy")
	assert.NotContains(t, cli(rtt, "sweep", "-json", "-").stdout, "accuracy")

	r = cli("", "replay", busy)
	assert.Contains(t, r.stdout, "series                  gap between arrivals\n")
	const note = "note: -series delay sizes the delay of each probe instead"
	assert.Contains(t, cli("", "size", "-false-positive", "1%", busy).stdout, note)
	assert.NotContains(t, cli("", "size", "-false-positive", "1%", "-series", "gap", busy).stdout, note)
	assert.NotContains(t, cli(steady(100), "size", "-false-positive", "0.1", "-").stdout, note)
	assert.Contains(t, cli(rtt, "size", "-false-positive", "0.1", "-").stdout, "delay of each probe")
}

// What chen is told of the period is compared with the trace.
func TestPeriod(t *testing.T) {
	var b strings.Builder
	b.WriteString("send_ns,recv_ns\n")
	for i := range 400 {
		fmt.Fprintf(&b, "%d,%d\n", i*58_300_000, i*58_300_000+(i%2)*70_000_000)
	}
	args := []string{"-detector", "chen", "-margin", "150ms", "-"}
	for _, command := range []string{"replay", "sweep"} {
		r := cli(b.String(), append([]string{command, "-interval", "50ms"}, args...)...)
		assert.Equal(t, exitDone, r.code)
		assert.Equal(t, "warning: the trace's mean period is 58.3 ms, -interval is 50 ms\n", r.stderr)
		assert.Empty(t, cli(b.String(), append([]string{command, "-interval", "58ms"}, args...)...).stderr)
	}
	assert.Empty(t, cli(b.String(), "replay", "-interval", "50ms", "-").stderr, "phi learns it")
	assert.Empty(t, cli(steady(500), append([]string{"replay", "-interval", "50ms"}, args...)...).stderr, "who knows when it was sent")
}

// Of 1000 gaps 100 are 300 ms long, the others 100 ms.
func TestSweepAtEqualMistakes(t *testing.T) {
	r := cli(steady(1200), "sweep", "-detectors", "fixed,phi", "-timeout", "1s", "-threshold", "0.15,0.25,0.35,2", "-")
	_, equal, found := strings.Cut(r.stdout, "Smallest mean detection time at no more mistakes, of the thresholds above\n")
	require.True(t, found)
	lines := strings.Split(equal, "\n")
	assert.Equal(t, []string{"mistakes", "per", "heartbeat,", "at", "most", "0.1", "0.01", "0.001"}, strings.Fields(lines[0]))
	assert.Equal(t, []string{"fixed", "150", "ms", "350", "ms", "350", "ms"}, strings.Fields(lines[1]))
	assert.Regexp(t, `^best constant in hindsight +100(\.\d)? ms +300(\.\d)? ms +300(\.\d)? ms$`, lines[3])
	narrow(t, r.stdout)
	r = cli(steady(1200), "sweep", "-detectors", "fixed,phi", "-timeout", "1s", "-threshold", "0.15", "-")
	assert.Regexp(t, `fixed +150 ms +– +–`, r.stdout)
	r = cli(steady(210), "sweep", "-detectors", "fixed,phi", "-timeout", "1s", "-")
	assert.NotContains(t, r.stdout, "0.01  ", "the data do not reach so far")
	assert.NotContains(t, cli(steady(1200), "sweep", "-").stdout, "Smallest")
	assert.NotContains(t, cli(steady(205), "sweep", "-detectors", "fixed,phi", "-timeout", "1s", "-").stdout, "Smallest")
}

func TestCalibrateInWords(t *testing.T) {
	path, absent := file(t, "steady.csv", steady(1200)), filepath.Join(t.TempDir(), "absent.csv")
	r := cli("", "calibrate", path)
	assert.Contains(t, r.stdout, "floor of the standard deviation: 1µs, the law alone (-min-stddev default: the library's)\n")
	assert.Contains(t, r.stdout, "log10(obs/prom)")
	assert.Contains(t, r.stdout, "0.083…0.12", "the interval")
	assert.NotContains(t, r.stdout, "all traces")

	r = cli("", "calibrate", "-min-stddev", "default", path, absent)
	assert.Equal(t, exitDone, r.code)
	assert.Contains(t, r.stderr, "left out: open "+absent)
	assert.Contains(t, r.stdout, "floor of the standard deviation: the library's\n")
	assert.NotContains(t, r.stdout, "all traces")
	assert.Equal(t, answer(t, "", "replay", path), answer(t, "", "replay", "-min-stddev", "default", path))
	r = cli("", "calibrate", "-min-stddev", "20ms", path, path)
	assert.Contains(t, r.stdout, "floor of the standard deviation: 20ms\n")
	assert.Contains(t, r.stdout, "all traces")
	laws := answer(t, "", "calibrate", absent, path)["laws"].([]any)
	traces := laws[0].(map[string]any)["traces"].([]any)
	require.Len(t, traces, 1)
	assert.Equal(t, path, traces[0].(map[string]any)["trace"])
}

func TestConfigureInWords(t *testing.T) {
	want := []string{"configure", "-detection-time", "30s", "-mistake-recurrence", "30d", "-loss", "1%"}
	r := cli("", append(want, "-delay-stddev", "20ms", "-delay-mean", "20ms")...)
	assert.Contains(t, r.stdout, "30 s and the mean delay of 20 ms: 30.02 s at most")
	assert.Regexp(t, `liveness record -interval 9\.\d+s -o FILE\n  liveness replay -detector chen -interval 9\.\d+s -margin 20\.\d+s FILE\n`, r.stdout)
	assert.Empty(t, r.stderr)
	assert.Contains(t, cli("", append(want, "-delay-stddev", "20ms")...).stdout, "30 s at most, and the mean delay")

	// δ is 20.024 s, of which 2 s are the mean delay.
	r = cli("", append(want, "-delay", "exponential", "-delay-mean", "2s")...)
	got := answer(t, "", append(want, "-delay", "exponential", "-delay-mean", "2s")...)
	assert.Contains(t, r.stdout, "margin for chen     "+seconds(got["margin"].(float64)-2)+" after the expected arrival")
	assert.Contains(t, cli("", append(want, "-delay-stddev", "20ms", "-delay-mean", "20ms", "-synchronized")...).stdout, "margin for chen")

	few := []string{"configure", "-detection-time", "300ms", "-mistake-recurrence", "3000d", "-loss", "20%", "-delay", "exponential", "-delay-mean", "20ms"}
	r = cli("", few...)
	assert.Regexp(t, `^warning: the answer rests on 16 heartbeats, sent 18\.\d+ ms apart, failing independently\n$`, r.stderr)
	narrow(t, r.stderr)
	r = cli("", "configure", "-detection-time", "1s", "-mistake-recurrence", "365d", "-loss", "90%", "-delay-stddev", "1ms")
	assert.Contains(t, r.stderr, "failing independently")

	assert.Equal(t, "9.9759s", typed(9_975_987_654, 0))
	assert.Equal(t, "20.003s", typed(20_002_345_678, 1))
	assert.Equal(t, "2ms", typed(2_000_000, 1))
}

// A detector looks the same in every picture.
func TestStyles(t *testing.T) {
	require.Len(t, styles, len(styled))
	glyphs, lines := map[draw.GlyphDrawer]bool{}, map[string]bool{}
	for _, s := range styles {
		glyphs[s.glyph] = true
		lines[fmt.Sprint(s.color, s.dashes)] = true
	}
	assert.Len(t, glyphs, len(styled), "without colour")
	assert.Len(t, lines, len(styled))
	for _, name := range append(contenders(), "fixed") {
		assert.Contains(t, styled, name)
	}
	assert.Equal(t, styles[len(styles)-1], styleOf("phi:akka"))
	assert.Equal(t, styleOf("phi:lognormal"), styleOf(fullName("phi", "lognormal")))
	assert.Equal(t, styleOf("chen"), styleOf(fullName("chen", "lognormal")))
	picture := filepath.Join(t.TempDir(), "a.svg")
	require.Equal(t, exitDone, cli("", "sweep", "-detectors", "chen,phi", "-interval", "50ms", "-margin", "50ms", "-plot", picture, busy).code)
	content, err := os.ReadFile(picture)
	require.NoError(t, err)
	for _, text := range []string{"phi (empirical)", "φ 1", "φ 3", "φ 8"} {
		assert.Contains(t, string(content), text)
	}
	// Only the first is long enough for φ = 2.
	trace, short := file(t, "a.csv", steady(1200)), file(t, "b.csv", steady(300))
	require.Equal(t, exitDone, cli("", "calibrate", "-plot", picture, trace, short).code)
	content, err = os.ReadFile(picture)
	require.NoError(t, err)
	assert.Contains(t, string(content), "(n=1)")
	assert.NotContains(t, string(content), "of 2 traces")
}

// What lies between two lives of the process is no gap, nor a period.
func TestTwoLives(t *testing.T) {
	var b strings.Builder
	for run := range 2 {
		b.WriteString("PING h (192.0.2.1) 56(84) bytes of data.\n")
		for i := range 60 {
			fmt.Fprintf(&b, "[%d.5] 64 bytes from 192.0.2.1: icmp_seq=%d ttl=57 time=10 ms\n", 1700000000+run*5000+i, i+1)
		}
	}
	assert.Equal(t, 1., answer(t, b.String(), "size", "-false-positive", "0.02", "-")["timeout"])
	args := []string{"-warmup", "10", "-detectors", "chen,fixed", "-margin", "1s", "-timeout", "500ms", "-"}
	r := cli(b.String(), append([]string{"sweep", "-interval", "1s"}, args...)...)
	assert.Empty(t, r.stderr)
	assert.Regexp(t, `best constant in hindsight +1(\.\d+)? s +1(\.\d+)? s\n`, r.stdout)
	r = cli(b.String(), append([]string{"sweep", "-interval", "2s"}, args...)...)
	assert.Equal(t, "warning: the trace's mean period is 1 s, -interval is 2 s\n", r.stderr)
}
