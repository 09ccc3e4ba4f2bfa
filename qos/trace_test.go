package qos_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/qos"
)

// read returns the heartbeats of a trace up to the first error.
func read(text string, s qos.Series) ([]qos.Beat, error) {
	trace, err := qos.Open("trace.csv", strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	return collect(trace.Beats(s))
}

func collect(stream qos.Beats) (beats []qos.Beat, err error) {
	for b, err := range stream {
		if err != nil {
			return beats, err
		}
		beats = append(beats, b)
	}
	return beats, nil
}

func ns(n int64) time.Time { return time.Unix(0, n).UTC() }

func TestInterarrivals(t *testing.T) {
	beats, err := read("# a comment\r\ninterarrival_ns\r\n100\r\n\r\n200\r\n# another\r\n0\r\n", qos.Auto)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(100)}, {At: ns(300)}, {At: ns(300)}}, beats)
}

func TestSendRecv(t *testing.T) {
	// 2 overtakes 1, 3 is lost.
	text := "send_ns,recv_ns\n0,500\n100, 250\n200,\n300,600\n"
	beats, err := read(text, qos.Gap)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{
		{Seq: 2, Sent: ns(100), At: ns(250)},
		{Seq: 1, Sent: ns(0), At: ns(500)},
		{Seq: 3, Sent: ns(200)},
		{Seq: 4, Sent: ns(300), At: ns(600)},
	}, beats)
	assert.True(t, beats[2].Lost())

	beats, err = read(text, qos.Delay)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(500)}, {At: ns(650)}, {}, {At: ns(950)}}, beats)
}

func TestRoundTripTimes(t *testing.T) {
	beats, err := read("seq,rtt_ns\n0,5\n1,\n2,7\n", qos.Auto)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(5)}, {}, {At: ns(12)}}, beats)
}

func TestTimestamps(t *testing.T) {
	want := []qos.Beat{{At: ns(1700000000_000000000)}, {At: ns(1700000000_123000000)}}
	for _, text := range []string{
		"1700000000\n1700000000.123\n",
		"1700000000000\n1700000000123\n",
		"1700000000000.0\n1700000000123.0\n",
		"1700000000000000\n1700000000123000\n",
		"1700000000000000000\n1700000000123000000\n",
		"2023-11-14T22:13:20Z\n2023-11-14T23:13:20.123+01:00\n",
		"time\n1700000000\n1700000000.123\n",
		"Timestamp_ms;seq\n1700000000000;1\n1700000000123;2\n",
		"seq\tat_s\n7\t1700000000\n8\t1700000000.123\n",
		"\"ts\",\"seq\"\n\"2023-11-14T22:13:20Z\",1\n\"2023-11-14T22:13:20.123Z\",2\n",
		"\ufefftime\n1700000000.123\n1700000000\n", // out of order
	} {
		beats, err := read(text, qos.Auto)
		require.NoError(t, err, text)
		assert.Equal(t, want, beats, text)
	}
	// Fractions are exact, and a unit that is given counts.
	beats, err := read("time_us\n1\n1.5\n", qos.Gap)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(1000)}, {At: ns(1500)}}, beats)
	beats, err = read("1700000000.123456789\n", qos.Gap)
	require.NoError(t, err)
	assert.Equal(t, ns(1700000000_123456789), beats[0].At)
}

func TestLatencies(t *testing.T) {
	for _, text := range []string{
		"rtt_ms\n27.214\n19.943\n3\n", "Latency_us\n27214\n19943\n3000\n", "duration_s\n0.027214\n0.019943\n0.003\n",
		"seq,rtt_ms\n1,27.214\n2,19.943\n3,3\n", "time;latency_ns\nx;27214000\ny;19943000\nz;3000000\n",
		"rtt\n27.214ms\n19943µs\n3ms\n", "\"rtt_ms\"\tseq\n27.214\t1\n19.943\t2\n3\t3\n",
	} {
		beats, err := read(text, qos.Auto)
		require.NoError(t, err, text)
		assert.Equal(t, []qos.Beat{{At: ns(27_214_000)}, {At: ns(47_157_000)}, {At: ns(50_157_000)}}, beats, text)
	}
	beats, err := read("seq,rtt_ms\n1,5\n2,\n3,7\n", qos.Delay)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(5e6)}, {}, {At: ns(12e6)}}, beats)
	_, err = read("time,rtt_ms\n1,2\n", qos.Gap)
	assert.EqualError(t, err, "qos: trace.csv: it has no arrival times but latencies, want the series delay")
}

// What is not in order has not arrived so.
func TestLatenciesAreNotTakenForArrivals(t *testing.T) {
	_, err := read("27.214\n19.943\n20.1\n19.8\n22\n", qos.Auto)
	assert.EqualError(t, err, "qos: trace.csv:4: the time is 19.8, after 20.1 in the line before, and 2 of 3 lines go back so: "+
		"these are no arrivals as they came; if they are latencies, give them the header seq,rtt_ns or one such as rtt_ms, and if arrivals, sort them")
	_, err = read("time\n1700000100\n1700000039\n", qos.Auto)
	assert.ErrorContains(t, err, "qos: trace.csv:3: the time is 1700000039, after 1700000100 in the line before: these are no arrivals")
	_, err = read("-9223372036.8\n9223372036.8\n-9223372036.8\n", qos.Auto)
	assert.ErrorContains(t, err, "these are no arrivals")

	// One in 25 overtakes: that happens.
	var text strings.Builder
	for i := range 1000 {
		at := 1700000000 + i
		if i%50 == 30 {
			at += 2
		}
		fmt.Fprintln(&text, at)
	}
	beats, err := read(text.String(), qos.Auto)
	require.NoError(t, err)
	assert.Len(t, beats, 1000)
}

// TestLostWhateverTheClock: the clock of the sender has no say in when a heartbeat was lost.
func TestLostWhateverTheClock(t *testing.T) {
	for _, ahead := range []int{-3600, 0, 3600} {
		var text strings.Builder
		text.WriteString("send_ns,recv_ns\n")
		for i := range 1000 {
			if i%10 == 9 {
				fmt.Fprintf(&text, "%d,\n", i*1e8)
			} else {
				fmt.Fprintf(&text, "%d,%d\n", i*1e8, i*1e8+2e7+ahead*1e9)
			}
		}
		beats, err := read(text.String(), qos.Gap)
		require.NoError(t, err)
		for i, b := range beats {
			require.Equal(t, i%10 == 9, b.Lost(), "row %d, monitor %d s ahead", i, ahead)
		}
	}
}

// TestPingDoubts: what ping calls unanswered at first is not lost if the answer comes.
func TestPingDoubts(t *testing.T) {
	answer := func(seq int) string {
		return fmt.Sprintf("64 bytes from 192.0.2.1: icmp_seq=%d ttl=57 time=1100 ms\n", seq)
	}
	for what, line := range map[string]func(i int) string{
		"-O":         func(i int) string { return fmt.Sprintf("no answer yet for icmp_seq=%d\n", i) + answer(i) },
		"macOS":      func(i int) string { return fmt.Sprintf("Request timeout for icmp_seq %d\n", i) + answer(i) },
		"overtaking": func(i int) string { return answer(i ^ 1) },
		"redirect":   func(i int) string { return fmt.Sprintf("From 192.168.1.1: icmp_seq=%d Redirect Host\n", i) + answer(i) },
	} {
		var text strings.Builder
		text.WriteString("PING example.org (192.0.2.1) 56(84) bytes of data.\n")
		for i := range 400 {
			text.WriteString(line(i))
		}
		beats, err := read(text.String(), qos.Auto)
		require.NoError(t, err)
		assert.Len(t, beats, 400, what)
		for _, b := range beats {
			assert.False(t, b.Lost(), what)
		}
	}
}

// TestBrokenPing: the probes before a broken line are not kept back with it.
func TestBrokenPing(t *testing.T) {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "64 bytes from 192.0.2.1: icmp_seq=%d ttl=57 time=10 ms\n", i)
	}
	text.WriteString("64 bytes from 192.0.2.1: icmp_seq=x ttl=57 time=10 ms\n")
	beats, err := read(text.String(), qos.Auto)
	assert.ErrorContains(t, err, ":1001: ")
	assert.Len(t, beats, 1000)
}

// TestTwoRunsOfPing: the second numbers anew, and the time between them is nobody's fault.
func TestTwoRunsOfPing(t *testing.T) {
	var text strings.Builder
	for run := range 2 {
		text.WriteString("PING example.org (192.0.2.1) 56(84) bytes of data.\n")
		for i := range 50 {
			text.WriteString(fmt.Sprintf("[%d.5] 64 bytes from 192.0.2.1: icmp_seq=%d ttl=57 time=10 ms\n", 1700000000+run*500+i, i+1))
		}
	}
	beats, err := read(text.String(), qos.Auto)
	require.NoError(t, err)
	require.Len(t, beats, 100)
	assert.Equal(t, 0, beats[49].Life)
	assert.Equal(t, 1, beats[50].Life)
	assert.EqualValues(t, 2, beats[50].Seq)
}

const linuxPing = `PING example.org (192.0.2.1) 56(84) bytes of data.
64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=11.6 ms
64 bytes from host.example (192.0.2.1): icmp_seq=2 ttl=57 time=12 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12.5 ms (DUP!)
no answer yet for icmp_seq=3
From 192.0.2.254 icmp_seq=4 Destination Host Unreachable
64 bytes from 192.0.2.1: icmp_seq=6 ttl=57 time=0.045 ms
64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=3200 ms

--- example.org ping statistics ---
6 packets transmitted, 4 received, +1 duplicates, 33% packet loss, time 5007ms
rtt min/avg/max/mdev = 0.045/8.9/12.0/0.1 ms
`

func TestPingOfLinux(t *testing.T) {
	beats, err := read(linuxPing, qos.Auto)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{
		// The answer to 3 came after all; 4 and 5 were lost.
		{At: ns(11_600_000)}, {At: ns(23_600_000)}, {}, {}, {At: ns(23_645_000)}, {At: ns(3_223_645_000)},
	}, beats)
	_, err = read(linuxPing, qos.Gap)
	assert.EqualError(t, err, "qos: trace.csv: it has no arrival times (ping prints them with -D, on macOS with --apple-time), want the series delay")
}

func TestPingOfLinuxWithTimes(t *testing.T) {
	beats, err := read(`PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
[1700000000.100000] no answer yet for icmp_seq=1
[1700000001.010000] 64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=10.0 ms
[1700000003.020000] 64 bytes from 192.0.2.1: icmp_seq=4 ttl=57 time=20.0 ms
`, qos.Auto)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{
		{Seq: 2},
		{Seq: 3, Sent: ns(1700000001_000000000), At: ns(1700000001_010000000)},
		{Seq: 4},
		{Seq: 5, Sent: ns(1700000003_000000000), At: ns(1700000003_020000000)},
	}, beats)
}

func TestPingOfMacOS(t *testing.T) {
	beats, err := read(`PING example.org (192.0.2.1): 56 data bytes
64 bytes from 192.0.2.1: icmp_seq=0 ttl=57 time=11.600 ms
Request timeout for icmp_seq 1
Request timeout for icmp_seq 2
92 bytes from 192.0.2.254: Destination Host Unreachable
Vr HL TOS  Len   ID Flg  off TTL Pro  cks      Src      Dst
 4  5  00 5400 1234   0 0000  40  01 abcd 192.0.2.9  192.0.2.1

64 bytes from 192.0.2.1: icmp_seq=3 ttl=57 time=9.4 ms

--- example.org ping statistics ---
4 packets transmitted, 2 packets received, 50.0% packet loss
round-trip min/avg/max/stddev = 9.4/10.5/11.6/1.1 ms
`, qos.Auto)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(11_600_000)}, {}, {}, {At: ns(21_000_000)}}, beats)

	// --apple-time, across midnight.
	beats, err = read(`PING example.org (192.0.2.1): 56 data bytes
23:59:59.500000 64 bytes from 192.0.2.1: icmp_seq=0 ttl=57 time=1 ms
00:00:00.500000 64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=1 ms
`, qos.Gap)
	require.NoError(t, err)
	require.Len(t, beats, 2)
	assert.Equal(t, time.Second, beats[1].At.Sub(beats[0].At))
}

// The numbers of ping start again at 65536.
func TestPingForALongTime(t *testing.T) {
	text := "64 bytes from h: seq=65534 ttl=1 time=1 ms\n64 bytes from h: seq=65535 ttl=1 time=1 ms\n64 bytes from h: seq=1 ttl=1 time=1 ms\n"
	beats, err := read(text, qos.Auto)
	require.NoError(t, err)
	assert.Equal(t, []qos.Beat{{At: ns(1e6)}, {At: ns(2e6)}, {}, {At: ns(3e6)}}, beats)
}

func TestBrokenTracesNameFileLineAndReason(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "qos: trace.csv: there is no data",
		"# only\n":                    "qos: trace.csv: there is no data",
		"#\nnode,n\n1,2\n":            `qos: trace.csv:2: the trace begins with "node,n", want one of the headers`,
		"interarrival_ns\n1\nx\n":     `qos: trace.csv:3: interarrival_ns is "x", want an integer number of nanoseconds`,
		"interarrival_ns\n-1\n":       "qos: trace.csv:2: interarrival_ns is -1, want a number from 0",
		"interarrival_ns\n#\n\n1.5\n": `qos: trace.csv:4: interarrival_ns is "1.5"`,
		"interarrival_ns\n9223372036854775807\n1\n":                   "qos: trace.csv:3: the sum of the gaps is beyond 292 years",
		"send_ns,recv_ns\n1\n":                                        "qos: trace.csv:2: the line has 1 columns, want 2",
		"send_ns,recv_ns\n1,2,3\n":                                    "qos: trace.csv:2: the line has 3 columns, want 2",
		"send_ns,recv_ns\n,2\n":                                       `qos: trace.csv:2: send_ns is ""`,
		"send_ns,recv_ns\n1,y\n":                                      `qos: trace.csv:2: recv_ns is "y"`,
		"send_ns,recv_ns\n-9223372036854775807,9223372036854775807\n": "qos: trace.csv:2: recv_ns − send_ns is beyond 292 years",
		"seq,rtt_ns\n-1,2\n":                                          `qos: trace.csv:2: seq is "-1", want a number from 0`,
		"seq,rtt_ns\n1,-2\n":                                          "qos: trace.csv:2: the delay is -2ns, want one from 0",
		"time,host\n1,a\n":                                            `qos: trace.csv:1: the header has the columns "host" too, want but one of times or latencies`,
		"rtt_ms,host,x\n1\n":                                          `the header has the columns "host", "x" too`,
		"rtt_ms,rtt_us\n1\n":                                          `the header has the columns "rtt_us" too`,
		"0,27.2\n1,19.9\n":                                            "qos: trace.csv:1: there are 2 columns and no header, want one that names them",
		"rtt\n27.2\n":                                                 "qos: trace.csv:2: rtt is 27.2 without a unit, want it in the header, such as rtt_ms, or in each value, such as 27.2ms",
		"rtt\nfast\n":                                                 `qos: trace.csv:2: rtt is "fast", want a duration such as 27.2ms`,
		"rtt\n-1ms\n":                                                 "qos: trace.csv:2: rtt is -1ms, want one from 0",
		"rtt_ms\n-1\n":                                                `qos: trace.csv:2: rtt_ms is "-1", want a decimal number from 0`,
		"rtt_s\n99999999999\n":                                        "qos: trace.csv:2: rtt_s is 99999999999, want one below 292 years",
		"seq,rtt_ms\n1\n":                                             "qos: trace.csv:2: the line has 1 columns, want 2",
		"seq,time\n1\n":                                               "qos: trace.csv:2: the line has 1 columns, want 2",
		"time\nyesterday\n":                                           `qos: trace.csv:2: the time is "yesterday", want RFC 3339 or Unix time`,
		"time\n1e9\n":                                                 `qos: trace.csv:2: the time is "1e9"`,
		"1700000000\n1/2\n":                                           `qos: trace.csv:2: the time is "1/2"`,
		"time\n9999-01-01T00:00:00Z\n":                                "qos: trace.csv:2: the time is 9999-01-01T00:00:00Z, want one between 1678 and 2262",
		"time_s\n99999999999\n":                                       "qos: trace.csv:2: the time is 99999999999, want one between 1678 and 2262",
		"PING x\n64 bytes from x: icmp_seq=y ttl=1 time=1 ms\n": `qos: trace.csv:2: the sequence number is "y"`,
		"PING x\n64 bytes from x: icmp_seq=1 ttl=1 time=y ms\n": "qos: trace.csv:2: the answer has no time in ms",
		"PING x\n64 bytes from x: ttl=1 time=1 ms\n":            "qos: trace.csv:2: the answer has no sequence number",
	} {
		_, err := read(text, qos.Auto)
		assert.ErrorContains(t, err, want, text)
	}
	_, err := read("interarrival_ns\n1\n", qos.Delay)
	assert.EqualError(t, err, "qos: trace.csv: it has no delays, want the series gap")
	_, err = read("seq,rtt_ns\n1,1\n", qos.Gap)
	assert.EqualError(t, err, "qos: trace.csv: it has no arrival times, want the series delay")
	_, err = read("seq,rtt_ns\n1,1\n", 7)
	assert.EqualError(t, err, "qos: series is 7, want Auto, Gap or Delay")
	_, err = read("interarrival_ns\n"+strings.Repeat("1", 1<<17), qos.Auto)
	assert.ErrorContains(t, err, "qos: trace.csv:2: ")
}

func TestReaderThatFails(t *testing.T) {
	broken := errors.New("disk on fire")
	trace, err := qos.Open("x", io.MultiReader(strings.NewReader("interarrival_ns\n1\n"), failing{broken}))
	require.NoError(t, err)
	beats, err := collect(trace.Beats(qos.Auto))
	assert.Len(t, beats, 1)
	assert.ErrorContains(t, err, "disk on fire")
	_, err = collect(trace.Beats(qos.Auto))
	assert.EqualError(t, err, "qos: x: it has been read before, want a trace opened anew")
	_, err = qos.Open("x", failing{broken})
	assert.ErrorContains(t, err, "disk on fire")
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// Whoever stops early gets nothing more.
func TestStoppingEarly(t *testing.T) {
	for _, text := range []string{
		"interarrival_ns\n1\n2\nx\n", "send_ns,recv_ns\n1,\n2,3\nx\n", "seq,rtt_ns\n1,\n2,3\nx\n", linuxPing,
	} {
		for _, s := range []qos.Series{qos.Gap, qos.Delay} {
			trace, err := qos.Open("x", strings.NewReader(text))
			require.NoError(t, err)
			for range trace.Beats(s) {
				break
			}
		}
	}
	for range qos.Slice(make([]qos.Beat, 3)) {
		break
	}
	for range chenSetting(10, 1) {
		break
	}
}

// Heartbeats are put in order over 4096 lines, and no more is held.
func TestOrderAndMemory(t *testing.T) {
	r, w := io.Pipe()
	const n = 300_000
	go func() {
		rng := rand.New(rand.NewPCG(1, 1))
		fmt.Fprintln(w, "send_ns,recv_ns")
		var line bytes.Buffer
		for i := range n {
			line.Reset()
			fmt.Fprintf(&line, "%d,%d\n", i*1000, i*1000+rng.IntN(4_000_000))
			w.Write(line.Bytes())
		}
		w.Close()
	}()
	trace, err := qos.Open("pipe", r)
	require.NoError(t, err)
	var last time.Time
	count, most := 0, uint64(0)
	for b, err := range trace.Beats(qos.Gap) {
		require.NoError(t, err)
		require.False(t, b.At.Before(last))
		last = b.At
		if count++; count%50_000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	assert.Equal(t, n, count)
	assert.Less(t, most, uint64(16<<20))

	var text strings.Builder
	text.WriteString("send_ns,recv_ns\n")
	for i := range 10_000 {
		fmt.Fprintf(&text, "%d,%d\n", i, i+10)
	}
	text.WriteString("10000,3\n")
	_, err = read(text.String(), qos.Gap)
	assert.ErrorContains(t, err, "qos: trace.csv:10002: the arrival lies before one more than 4096 lines earlier")
}

func TestRealTraces(t *testing.T) {
	path := tracePath(t)
	for _, name := range gapTraces {
		trace := openTrace(t, path, name)
		assert.Equal(t, qos.Gap, trace.Series())
		beats, err := collect(trace.Beats(qos.Auto))
		require.NoError(t, err)
		assert.Greater(t, len(beats), 3000)
	}
	for _, name := range delayTraces {
		beats, err := collect(openTrace(t, path, name).Beats(qos.Delay))
		require.NoError(t, err)
		assert.Greater(t, len(beats), 3000)
	}
}

func FuzzTrace(f *testing.F) {
	for _, text := range []string{
		linuxPing, "interarrival_ns\n1\n", "send_ns,recv_ns\n1,2\n3,\n", "seq,rtt_ns\n1,2\n", "time_ms;seq\n1.5;2\n", "rtt_ms\n1.5\n", "rtt\n1ms\n",
		"[1.5] 64 bytes from x: icmp_seq=0 time=1 ms\n", "12:00:00 Request timeout for icmp_seq 70000\n", "2026-01-01T00:00:00Z\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range []qos.Series{qos.Gap, qos.Delay} {
			beats, _ := read(text, s)
			var last time.Time
			for _, b := range beats {
				if !b.Lost() {
					require.False(t, b.At.Before(last))
					last = b.At
				}
			}
		}
	})
}
