package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// result is what the program left behind.
type result struct {
	code           int
	stdout, stderr string
}

func cli(stdin string, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := run(args, strings.NewReader(stdin), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// answer runs a command with -json that must succeed.
func answer(t *testing.T, stdin string, args ...string) map[string]any {
	t.Helper()
	r := cli(stdin, append(args, "-json")...)
	require.Equal(t, exitDone, r.code, r.stderr)
	var fields map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.stdout), &fields))
	assert.NotContains(t, r.stdout, "null")
	return fields
}

func keys(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return names
}

// steady is a trace of n gaps of 100 ms, every tenth of them 300 ms.
func steady(n int) string {
	var b strings.Builder
	b.WriteString("# made for tests\ninterarrival_ns\n")
	for i := range n {
		gap := 100_000_000
		if i%10 == 9 {
			gap = 300_000_000
		}
		fmt.Fprintln(&b, gap)
	}
	return b.String()
}

func file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestHelp(t *testing.T) {
	for _, arg := range []string{"help", "-h", "--help"} {
		r := cli("", arg)
		assert.Equal(t, exitDone, r.code)
		for _, c := range commands() {
			assert.Contains(t, r.stdout, c.name)
		}
		assert.Contains(t, r.stdout, exitNote)
	}
	for _, c := range commands() {
		r := cli("", c.name, "-h")
		assert.Equal(t, exitDone, r.code)
		assert.Contains(t, r.stdout, "usage: liveness "+c.name)
		assert.Contains(t, r.stdout, exitNote)
		assert.Empty(t, r.stderr)
		narrow(t, r.stdout)
	}
}

// narrow checks that a text fits a terminal.
func narrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		assert.LessOrEqual(t, len([]rune(strings.TrimRight(line, "\n"))), 100, line)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"fly"}, `liveness: there is no command "fly"; liveness help lists them`},
		{[]string{"replay"}, "it takes a file, or - for standard input"},
		{[]string{"replay", "a", "b"}, "it takes one file, got 2"},
		{[]string{"replay", "-colour", "a"}, "flag provided but not defined: -colour"},
		{[]string{"replay", "-detector", "crystal", "-"}, `detector "crystal" is unknown; there are phi, fixed, chen, bertier, two-window, rto, quantile, satzger and loss-aware`},
		{[]string{"replay", "-detector", "fixed:gaussian", "-"}, "only phi has a law"},
		{[]string{"replay", "-detector", "fixed", "-"}, "fixed needs -timeout"},
		{[]string{"replay", "-detector", "chen", "-interval", "1s", "-"}, "chen needs -interval, the period at which the process sends, and -margin"},
		{[]string{"replay", "-detector", "two-window", "-margin", "1s", "-"}, "two-window needs -interval, the period at which the process sends, and -margin"},
		{[]string{"replay", "-detector", "bertier", "-"}, "bertier needs -interval, the period at which the process sends ("},
		{[]string{"replay", "-detector", "bertier", "-interval", "1s", "-timeout", "1s", "-"}, "-timeout is not used by bertier"},
		{[]string{"replay", "-detector", "rto", "-window", "9", "-"}, "-window is not used by rto"},
		{[]string{"replay", "-detector", "rto", "-timeout", "-1s", "-"}, "-timeout is -1s"},
		{[]string{"replay", "-detector", "quantile", "-quantile", "2", "-"}, "Quantile is 2, want a number above 0, at most"},
		{[]string{"replay", "-detector", "quantile", "-quantile", "0", "-"}, "-quantile is 0, want a number above 0"},
		{[]string{"replay", "-detector", "quantile", "-scale", "2", "-"}, "-scale is not used by quantile"},
		{[]string{"replay", "-detector", "satzger", "-scale", "NaN", "-"}, "-scale is NaN, want a number above 0"},
		{[]string{"replay", "-detector", "satzger", "-margin", "1s", "-"}, "-margin is not used by satzger"},
		{[]string{"replay", "-law", "cauchy", "-"}, `law "cauchy" is unknown; there are empirical, gaussian, exponential, lognormal, logistic, student, logstudent, lomax and shifted`},
		{[]string{"replay", "-detector", "loss-aware", "-"}, "loss-aware needs -interval, the period at which the process sends ("},
		{[]string{"replay", "-detector", "loss-aware", "-interval", "1s", "-margin", "1s", "-"}, "-margin is not used by loss-aware"},
		{[]string{"replay", "-detector", "loss-aware:gaussian", "-interval", "1s", "-"}, "only phi has a law"},
		{[]string{"replay", "-preset", "zookeeper", "-"}, `preset "zookeeper" is unknown; there are akka, cassandra and hazelcast`},
		{[]string{"replay", "-preset", "", "-"}, `preset "" is unknown`},
		{[]string{"replay", "-preset", "akka", "-law", "gaussian", "-"}, "-law and -preset akka exclude each other, got both"},
		{[]string{"watch", "-preset", "hazelcast", "-min-stddev", "default"}, "-min-stddev and -preset hazelcast exclude each other"},
		{[]string{"sweep", "-preset", "cassandra", "-pause", "1s", "-"}, "-pause and -preset cassandra exclude each other"},
		{[]string{"replay", "-preset", "hazelcast", "-pause", "0s", "-"}, "-pause is 0s, want a duration from 1µs"},
		{[]string{"calibrate", "-preset", "akka", "-laws", "gaussian,lognormal", "-"}, "-laws and -preset akka exclude each other"},
		{[]string{"calibrate", "-preset", "akka", "-law", "lognormal", "-"}, "-law and -preset akka exclude each other"},
		{[]string{"replay", "-preset", "akka", "-detector", "phi:lognormal", "-"}, "-preset is not used by phi:lognormal"},
		{[]string{"replay", "-preset", "akka", "-detector", "fixed", "-timeout", "1s", "-"}, "-preset is not used by fixed"},
		{[]string{"replay", "-preset", "akka", "-window", "9999999", "-"}, "phi: MaxSampleSize is 9999999"},
		{[]string{"size", "-preset", "akka", "-false-positive", "0.1", "-"}, "flag provided but not defined: -preset"},
		{[]string{"replay", "-margin", "1s", "-"}, "-margin is not used by phi"},
		{[]string{"replay", "-timeout", "1s", "-"}, "-timeout is not used by phi"},
		{[]string{"replay", "-detector", "phi:lognormal", "-law", "gaussian", "-"}, "-law is not used by phi:lognormal"},
		{[]string{"replay", "-detector", "fixed", "-timeout", "1s", "-window", "9", "-"}, "-window is not used by fixed"},
		{[]string{"replay", "-detector", "chen", "-interval", "1s", "-margin", "1s", "-min-stddev", "default", "-"}, "-min-stddev is not used by chen"},
		{[]string{"sweep", "-detectors", "phi,fixed", "-timeout", "1s", "-margin", "1s", "-"}, "-margin is not used by phi, fixed"},
		{[]string{"sweep", "-detectors", "phi", "-detector", "phi", "-"}, "two ways to say one thing"},
		{[]string{"watch", "-margin", "1s"}, "-margin is not used by phi"},
		{[]string{"calibrate", "-margin", "1s", "-"}, "flag provided but not defined: -margin"},
		{[]string{"calibrate", "-timeout", "1s", "-"}, "flag provided but not defined: -timeout"},
		{[]string{"calibrate", "-threshold", "1", "-"}, "flag provided but not defined: -threshold"},
		{[]string{"calibrate", "-law", "gaussian", "-laws", "gaussian", "-"}, "two ways to say one thing"},
		{[]string{"configure", "-detection-time", "1 day"}, "want a duration such as 30d or 1d12h"},
		{[]string{"configure", "-detection-time", "99999999999d"}, "want a duration such as 30d or 1d12h"},
		{[]string{"configure", "-detection-time", "30"}, "want a duration such as 50ms, 1.5s, 12h or 30d"},
		{[]string{"configure", "-loss", "x%"}, "want a number such as 0.01, or 1%"},
		{[]string{"replay", "-threshold", "NaN", "-"}, "-threshold is NaN, want a finite number above 0"},
		{[]string{"replay", "-threshold", "-1", "-"}, "-threshold is -1"},
		{[]string{"replay", "-threshold", "0", "-"}, "-threshold is 0, want a finite number above 0"},
		{[]string{"replay", "-detector", "fixed", "-timeout", "1s", "-threshold", "NaN", "-"}, "-threshold is NaN"},
		{[]string{"replay", "-timeout", "-1s", "-interval", "-1s", "-margin", "-1s", "-"}, "-timeout is -1s"},
		{[]string{"replay", "-window", "0", "-"}, `"0" for flag -window: want a number from 1`},
		{[]string{"replay", "-window", "9999999", "-"}, "WindowSize is 9999999"},
		{[]string{"replay", "-pause", "-1s", "-"}, "AcceptablePause is -1s"},
		{[]string{"replay", "-min-stddev", "0s", "-"}, `"0s" for flag -min-stddev: want a duration above 0, or default`},
		{[]string{"replay", "-warmup", "0", "-"}, `"0" for flag -warmup: want a number from 1`},
		{[]string{"replay", "-series", "speed", "-"}, "want gap, delay or auto"},
		{[]string{"sweep", "-plot", "x.pdf", "-"}, `"x.pdf" for flag -plot: want a file that ends in .svg or .png`},
		{[]string{"sweep", "-detectors", "phi,phi", "-"}, `detector "phi" is named twice`},
		{[]string{"sweep", "-threshold", "1,zero", "-"}, `"zero" is no finite number above 0`},
		{[]string{"calibrate", "-detector", "fixed", "-"}, "only phi and loss-aware have a level that promises a rate of mistakes"},
		{[]string{"calibrate", "-laws", "gaussian,cauchy", "-"}, `law "cauchy" is unknown`},
		{[]string{"calibrate", "-detector", "loss-aware", "-"}, "loss-aware needs -interval"},
		{[]string{"calibrate", "-detector", "loss-aware", "-interval", "1s", "-laws", "gaussian", "-"}, "-laws is not used by loss-aware"},
		{[]string{"calibrate", "-detector", "loss-aware", "-interval", "1s", "-law", "gaussian", "-"}, "-law is not used by loss-aware"},
		{[]string{"calibrate", "-detector", "loss-aware", "-interval", "1s", "-pause", "1s", "-"}, "-pause is not used by loss-aware"},
		{[]string{"compare"}, "it takes a file, or - for standard input"},
		{[]string{"compare", "-law", "gaussian", "-"}, "flag provided but not defined: -law"},
		{[]string{"compare", "-interval", "1s", "-"}, "flag provided but not defined: -interval"},
		{[]string{"calibrate", "-laws", "gaussian,gaussian", "-"}, `law "gaussian" is named twice`},
		{[]string{"calibrate", "-phi", "1,-2", "-"}, `"-2" is no finite number above 0`},
		{[]string{"size", "-"}, "it needs -false-positive"},
		{[]string{"size", "-false-positive", "1", "-"}, "-false-positive is 1, want a number above 0 and below 1"},
		{[]string{"size", "-false-positive", "NaN", "-"}, "-false-positive is NaN"},
		{[]string{"size", "-false-positive", "0.1"}, "it takes a trace, or a law"},
		{[]string{"size", "-false-positive", "0.1", "-exponential", "mean=1s", "-"}, "a trace or a law, got both"},
		{[]string{"size", "-exponential", "mean=1s", "-gaussian", "mean=1s,stddev=1s"}, "there is one law already, -exponential"},
		{[]string{"size", "-lognormal", "median=50ms"}, "sigma is missing"},
		{[]string{"size", "-lognormal", "median=50ms,sigma=0"}, `sigma is "0", want a number above 0`},
		{[]string{"size", "-lognormal", "median=50,sigma=1"}, `median is "50", want a duration above 0, such as 50ms`},
		{[]string{"size", "-exponential", "mean=1s,stddev=1s"}, "want mean and no more"},
		{[]string{"size", "-exponential", "1s"}, `"1s" is no name=value`},
		{[]string{"configure", "x"}, `it takes no file, got "x"`},
		{[]string{"configure"}, "it needs -detection-time"},
		{[]string{"configure", "-detection-time", "1s"}, "it needs -mistake-recurrence"},
		{[]string{"record", "-interval", "1us"}, "-interval is 1µs, want at least 1ms"},
		{[]string{"record", "-count", "-1"}, "-count is -1"},
		{[]string{"record", "-duration", "-1s"}, "-duration is -1s"},
		{[]string{"record", "-send", "127.0.0.1:9", "-o", "x"}, "-send alone receives nothing to write into -o x"},
		{[]string{"watch", "-detector", "nobody"}, `detector "nobody" is unknown`},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			r := cli("", c.args...)
			assert.Equal(t, exitUsage, r.code)
			assert.Contains(t, r.stderr, c.want)
			assert.Empty(t, r.stdout)
		})
	}
	r := cli("")
	assert.Equal(t, exitUsage, r.code)
	assert.Contains(t, r.stderr, "usage: liveness COMMAND")
}

func TestDataThatCannotBeServed(t *testing.T) {
	broken := file(t, "broken.csv", "interarrival_ns\n100\n100\nnever\n")
	short := file(t, "short.csv", steady(20))
	bare := file(t, "bare.txt", "27.214\n19.943\n20.1\n19.8\n22\n")
	hosts := file(t, "hosts.csv", "time,host\n1,a\n")
	latencies := file(t, "rtt.csv", "seq,rtt_ns\n1,100\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"replay", broken}, broken + `:4: interarrival_ns is "never", want an integer number of nanoseconds`},
		{[]string{"sweep", broken}, broken + ":4: "},
		{[]string{"calibrate", broken}, broken + ":4: "},
		{[]string{"calibrate", broken, short}, "none of the traces can be scored"},
		{[]string{"calibrate", "-detector", "loss-aware", "-interval", "1s", latencies}, latencies + ": loss-aware expects a heartbeat every -interval"},
		{[]string{"compare", broken}, broken + ":4: "},
		{[]string{"compare", short}, short + ": stream has too few heartbeats: 20, want more than the warm-up, 200; -warmup sets another"},
		{[]string{"compare", broken, short}, "none of the traces can be scored"},
		{[]string{"replay", "-detector", "chen", "-interval", "1s", "-margin", "1s", latencies}, latencies + ": chen expects a heartbeat every -interval, which the series delay has not"},
		{[]string{"sweep", "-detectors", "phi,chen", "-interval", "1s", "-margin", "1s", latencies}, "chen expects a heartbeat every -interval"},
		{[]string{"size", "-false-positive", "0.1", bare}, bare + ":4: the time is 19.8, after 20.1 in the line before"},
		{[]string{"sweep", "-detectors", "phi,bertier", "-interval", "1s", latencies}, "bertier expects a heartbeat every -interval"},
		{[]string{"replay", hosts}, hosts + `:1: the header has the columns "host" too`},
		{[]string{"size", "-false-positive", "0.1", broken}, broken + ":4: "},
		{[]string{"replay", short}, short + ": stream has too few heartbeats: 20, want more than the warm-up, 200; -warmup sets another"},
		{[]string{"replay", "-"}, "standard input: there is no data"},
		{[]string{"replay", filepath.Join(t.TempDir(), "absent")}, "absent"},
		{[]string{"replay", t.TempDir()}, "is a folder, want a file"},
		{[]string{"replay", "-series", "gap", latencies}, "it has no arrival times, want the series delay"},
		{[]string{"size", "-false-positive", "1e-9", short}, "or a law"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			r := cli("", c.args...)
			assert.Equal(t, exitFailed, r.code)
			assert.Contains(t, r.stderr, c.want)
			assert.NotContains(t, r.stderr, "qos: ")
			assert.Empty(t, r.stdout)
		})
	}
}

// Also if its name is part of what there is to say.
func TestErrorsNameTheFile(t *testing.T) {
	t.Chdir(filepath.Dir(file(t, "few", steady(20))))
	for _, command := range []string{"replay", "sweep", "calibrate", "compare"} {
		assert.Contains(t, cli("", command, "few").stderr, "liveness "+command+": few: stream has too few heartbeats")
	}
}

func TestDurationsAndShares(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30d": 720 * time.Hour, "1d12h": 36 * time.Hour, "0.5d": 12 * time.Hour, "-1d1h": -25 * time.Hour, "1.5s": 1500 * time.Millisecond,
	} {
		got, err := parseDuration(text)
		require.NoError(t, err, text)
		assert.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "d", "1", "1d2", "1d-1h", "NaNd", "1e9d", "1h1d"} {
		_, err := parseDuration(text)
		assert.Error(t, err, text)
	}
	for text, want := range map[string]float64{"0.01": 0.01, "1%": 0.01, "2.5 %": 0.025} {
		var s share
		require.NoError(t, s.Set(text))
		assert.InDelta(t, want, float64(s), 1e-15)
	}
}

func TestFlagsMayStandAfterFiles(t *testing.T) {
	name := file(t, "-odd.csv", steady(300))
	r := cli("", "replay", name, "-json")
	assert.Equal(t, exitDone, r.code)
	assert.True(t, json.Valid([]byte(r.stdout)))
	t.Chdir(filepath.Dir(name))
	r = cli("", "replay", "--", "-odd.csv")
	assert.Equal(t, exitDone, r.code, r.stderr)
}

func TestNumbersForPeople(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0 s", 2.5e-8: "25 ns", 1.5e-5: "15 µs", 0.0123456: "12.35 ms", 1.0991: "1.099 s",
		600: "10 min", 7200: "2 h", 2592000: "30 d", math.Inf(1): "never",
	} {
		assert.Equal(t, want, seconds(x))
	}
	assert.Equal(t, "unknown", seconds(math.NaN()))
	assert.Equal(t, "99.99970 %", percent(0.999997))
	assert.Equal(t, "100.00 %", percent(1))
	assert.Equal(t, "unknown", percent(math.NaN()))
	assert.Equal(t, "unknown", rate(math.NaN()))
}
