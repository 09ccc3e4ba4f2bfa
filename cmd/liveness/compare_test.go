package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/qos"
)

// latencies is a trace of n probes, of which every tenth takes 300 ms and the others 20.
func latencies(n int) string {
	var b strings.Builder
	b.WriteString("rtt_ms\n")
	for i := range n {
		if i%10 == 9 {
			fmt.Fprintln(&b, 300)
		} else {
			fmt.Fprintln(&b, 20)
		}
	}
	return b.String()
}

// lossy is a trace of n heartbeats of which some are lost, and some overtake others
// if their delays are spread far enough.
func lossy(n int, spread time.Duration) string {
	var b strings.Builder
	b.WriteString("send_ns,recv_ns\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		sent := i * 50_200_000
		if rng.IntN(20) == 0 {
			fmt.Fprintf(&b, "%d,\n", sent)
		} else {
			fmt.Fprintf(&b, "%d,%d\n", sent, sent+10_000_000+int(float64(spread)*rng.ExpFloat64()))
		}
	}
	return b.String()
}

// lives is the output of two runs of ping.
func lives(n int) string {
	var b strings.Builder
	rng := rand.New(rand.NewPCG(3, 4))
	for run := range 2 {
		b.WriteString("PING h (192.0.2.1) 56(84) bytes of data.\n")
		for i := range n {
			fmt.Fprintf(&b, "[%d.%06d] 64 bytes from 192.0.2.1: icmp_seq=%d ttl=57 time=10 ms\n", 1700000000+run*9000+i, rng.IntN(1e6), i+1)
		}
	}
	return b.String()
}

// Of 3000 gaps 300 are 300 ms long, the others 100 ms.
func TestCompare(t *testing.T) {
	gaps, delays := file(t, "gaps.csv", steady(3200)), file(t, "delays.csv", latencies(3200))
	got := answer(t, "", "compare", gaps, delays, filepath.Join(t.TempDir(), "absent"))
	assert.ElementsMatch(t, []string{"traces", "laws", "detectors"}, keys(got))

	traces := got["traces"].([]any)
	require.Len(t, traces, 2)
	for i, want := range []struct {
		name, series string
		interval     float64
	}{{gaps, "gap", 0.1}, {delays, "delay", 0.02}} {
		trace := traces[i].(map[string]any)
		assert.ElementsMatch(t, []string{"trace", "series", "judged", "interval", "best_constant"}, keys(trace))
		assert.Equal(t, want.name, trace["trace"])
		assert.Equal(t, want.series, trace["series"])
		assert.Equal(t, 3000., trace["judged"])
		assert.Equal(t, want.interval, trace["interval"])
		best := trace["best_constant"].([]any)
		require.Len(t, best, 9, "from 10^-1 to 10^-3, where 3 mistakes are allowed")
		for k, b := range best {
			constant := b.(map[string]any)
			assert.InDelta(t, math.Pow(10, -1-float64(k)/4), constant["mistake_rate_per_heartbeat"], 1e-15)
			timeout := 0.3
			if k == 0 {
				timeout = want.interval
			}
			assert.InEpsilon(t, timeout, constant["timeout"], 0.0021)
		}
	}

	var laws []string
	for i, l := range got["laws"].([]any) {
		law := l.(map[string]any)
		laws = append(laws, law["law"].(string))
		if i < len(lawNames) {
			assert.Len(t, law["traces"], 2)
			alone := answer(t, "", "calibrate", "-law", laws[i], gaps, delays)["laws"].([]any)[0]
			assert.Equal(t, alone, l, "as calibrate has it")
		} else {
			assert.Len(t, law["traces"], 1)
		}
	}
	assert.Equal(t, append(append([]string{}, lawNames...), "loss-aware"), laws)

	var detectors []string
	for _, d := range got["detectors"].([]any) {
		detector := d.(map[string]any)
		name := detector["detector"].(string)
		detectors = append(detectors, name)
		judged := 2
		if isChen(name) {
			judged = 1
		}
		assert.Len(t, detector["traces"], judged)
		rates := detector["rates"].([]any)
		require.Len(t, rates, 3*9, "all, gap and delay")
		for i, r := range rates {
			rate := r.(map[string]any)
			assert.Equal(t, []string{"all", "gap", "delay"}[i/9], rate["series"])
			assert.Equal(t, []float64{2, 1, 1}[i/9], rate["traces"])
			_, known := rate["ratio"]
			assert.Equal(t, judged == 2 || i/9 == 1, known, "%s %v", name, rate)
		}
		if name == "quantile" || name == "phi:exponential" { // what a constant does too
			for _, i := range []int{9 + 0, 9 + 4, 9 + 8} {
				assert.InDelta(t, 1, rates[i].(map[string]any)["ratio"], 0.01, name)
			}
		}
	}
	assert.Equal(t, contenders(), detectors)
	assert.Equal(t, "phi:empirical", detectors[0])
	assert.NotContains(t, detectors, "fixed")
}

// Each goal is reached at the least threshold that does.
func TestGoalsAreReachedExactly(t *testing.T) {
	traces := map[string]string{"lossy": file(t, "lossy.csv", lossy(1500, 30*time.Millisecond))}
	if !testing.Short() {
		traces["recorded"] = busy
		traces["lives"] = file(t, "lives.txt", lives(700))
		traces["steady"] = file(t, "steady.csv", steady(1200))
	}
	for name, path := range traces {
		c, err := newContest(newSource(env{}, path), qos.Auto, 200)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(c.goals), 5)
		set := &settings{flags: newFlags(env{}, ""), floor: rawFloor}
		for _, detector := range contenders() {
			e, err := c.enter(set, detector, 200)
			require.NoError(t, err, detector)
			require.True(t, e.judged)
			require.Len(t, e.reached, len(c.goals))
			factory, err := c.settings(set, detector).detector(detector)
			require.NoError(t, err)
			var levels []float64 // each threshold, and the next one below
			var which []int
			for i, r := range e.reached {
				if !math.IsNaN(r.threshold) && math.Nextafter(r.threshold, 0) > 0 {
					levels, which = append(levels, r.threshold, math.Nextafter(r.threshold, 0)), append(which, i)
				}
			}
			require.NotEmpty(t, levels)
			late, err := qos.Calibrate(qos.Slice(c.beats), factory, 200, levels...)
			require.NoError(t, err)
			last := 0.0
			for k, i := range which {
				g, r, what := c.goals[i], e.reached[i], fmt.Sprintf("%s, %s at %v", name, detector, c.goals[i].rate)
				assert.Equal(t, c.judged, late[2*k].Judged)
				assert.LessOrEqual(t, late[2*k].Mistakes, g.mistakes, what)
				assert.Greater(t, late[2*k+1].Mistakes, g.mistakes, what)
				assert.Equal(t, late[2*k].TimeoutMean, r.timeout, what)
				assert.GreaterOrEqual(t, r.timeout, last, what)
				assert.InDelta(t, r.timeout/g.best, r.ratio, 1e-12, what)
				last = r.timeout
			}
		}
	}
}

func TestCompareInWords(t *testing.T) {
	gaps, delays, absent := file(t, "gaps.csv", steady(1300)), file(t, "delays.csv", latencies(1300)), filepath.Join(t.TempDir(), "absent")
	r := cli("", "compare", gaps, delays, absent)
	require.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stderr, "left out: open "+absent)
	assert.Contains(t, r.stdout, "floor of the standard deviation: 1µs, the law alone")
	assert.Contains(t, r.stdout, "1  gaps    gap     1100    100 ms\n2  delays  delay   1100    –\n")
	for _, text := range []string{
		"and cost: 2 traces\n", "and cost: one trace of the series gap\n",
		"\n–: not on the series delay, which has no heartbeat every interval\n", "the least): 2 traces\n",
	} {
		assert.Contains(t, r.stdout, text)
	}
	assert.Regexp(t, `(?m)^traces scored +2 +2 +0 +0$`, r.stdout)
	assert.Regexp(t, `(?m)^loss-aware +– `, r.stdout)
	assert.Regexp(t, `(?m)^empirical +\d\.\d\d[ *] +\d\.\d\d[ *]$`, r.stdout)
	assert.Regexp(t, `(?m)^ 2 +[-a-z]+ \d\.\d\d/\d\.\d\d +[-a-z]+ \d\.\d\d/\d\.\d\d$`, r.stdout)
	assert.Contains(t, r.stdout, "*")
	narrow(t, r.stdout)

	r = cli(steady(1300), "compare", "-min-stddev", "default", "-")
	assert.Empty(t, r.stderr)
	assert.Contains(t, r.stdout, "floor of the standard deviation: the library's\n")
	assert.Contains(t, r.stdout, "and cost: one trace\n")
	assert.NotContains(t, r.stdout, "the series")

	many := slices.Repeat([]string{file(t, "delays.csv", latencies(250))}, 12)
	r = cli("", append([]string{"compare", "-series", "delay"}, many...)...)
	assert.Regexp(t, `(?m)^law +11 +12$`, r.stdout)
	narrow(t, r.stdout)
}

func TestPictureOfAComparison(t *testing.T) {
	picture := filepath.Join(t.TempDir(), "a.svg")
	gaps, delays := file(t, "gaps.csv", steady(1300)), file(t, "delays.csv", latencies(1300))
	require.Equal(t, exitDone, cli("", "compare", "-plot", picture, gaps, delays, busy).code)
	content, err := os.ReadFile(picture)
	require.NoError(t, err)
	for _, name := range contenders() {
		assert.Contains(t, string(content), "> "+shortDetector(name)+"</text>")
	}
	for _, text := range []string{"gaps between arrivals: 2 traces", "delays: one trace", "promises: 3 traces", "best constant"} {
		assert.Contains(t, string(content), text)
	}
	assert.NotContains(t, string(content), "NaN")
	assert.NotContains(t, string(content), "Inf")

	require.Equal(t, exitDone, cli("", "compare", "-plot", picture, delays).code)
	content, err = os.ReadFile(picture)
	require.NoError(t, err)
	assert.NotContains(t, string(content), "> chen</text>")

	for name, poor := range map[string]string{
		"nothing to score":  steady(205),
		"no gap above 0":    "interarrival_ns\n" + strings.Repeat("0\n", 1300),
		"gaps of a few ns":  "interarrival_ns\n" + strings.Repeat("5\n7\n", 700),
		"all gaps the same": regular(1300),
	} {
		r := cli(poor, "compare", "-plot", picture, "-")
		assert.Equal(t, exitDone, r.code, name+": "+r.stderr)
		content, err = os.ReadFile(picture)
		require.NoError(t, err)
		assert.NotContains(t, string(content), "NaN", name)
		assert.NotContains(t, r.stdout, "NaN", name)
		assert.NotContains(t, cli(poor, "compare", "-json", "-").stdout, "null", name)
	}
	r := cli("interarrival_ns\n"+strings.Repeat("5\n7\n", 700), "compare", "-")
	assert.Contains(t, r.stderr, "left out: chen on -: the median interval is 7ns, want at least 1µs\n")
}

func TestUsualInterval(t *testing.T) {
	for _, c := range []struct {
		exact, want time.Duration
	}{
		{200_852_000, 201 * time.Millisecond}, {1_332_005, 1_332_000}, {100 * time.Millisecond, 100 * time.Millisecond},
		{999_600_000, time.Second}, {7, 7}, {0, 0}, {123_456_789, 123_500_000},
	} {
		assert.Equal(t, c.want, rounded(c.exact))
	}
	c, err := newContest(newSource(env{}, file(t, "lossy.csv", lossy(500, 30*time.Millisecond))), qos.Auto, 200)
	require.NoError(t, err)
	assert.Equal(t, 50_200*time.Microsecond, c.interval, "as sent")
	c, err = newContest(newSource(env{}, file(t, "gaps.csv", steady(500))), qos.Auto, 200)
	require.NoError(t, err)
	assert.Equal(t, 100*time.Millisecond, c.interval, "as arrived")
}

func TestFolders(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.csv", "b.csv", "notes.txt"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(steady(1200)), 0o644))
	}
	r := cli("", "calibrate", "-json", "-laws", "gaussian", folder)
	require.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stdout, "a.csv")
	assert.Contains(t, r.stdout, "b.csv")
	assert.NotContains(t, r.stdout, "notes.txt")
	empty := t.TempDir()
	r = cli("", "compare", empty)
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "the folder has no CSV files")
}
