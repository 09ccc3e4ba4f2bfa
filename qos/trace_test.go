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
		{Seq: 3, Sent: ns(200)},
		{Seq: 2, Sent: ns(100), At: ns(250)},
		{Seq: 1, Sent: ns(0), At: ns(500)},
		{Seq: 4, Sent: ns(300), At: ns(600)},
	}, beats)
	assert.True(t, beats[0].Lost())

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
		"Timestamp_ms;host\n1700000000000;a\n1700000000123;b\n",
		"at_s\tx\n1700000000\ty\n1700000000.123\tz\n",
		"\"ts\",\"x\"\n\"2023-11-14T22:13:20Z\",1\n\"2023-11-14T22:13:20.123Z\",2\n",
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
		{At: ns(11_600_000)}, {At: ns(23_600_000)}, {}, {}, {}, {At: ns(23_645_000)}, {At: ns(3_223_645_000)},
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
		"time\nyesterday\n":                                           `qos: trace.csv:2: the time is "yesterday", want RFC 3339 or Unix time`,
		"time\n1e9\n":                                                 `qos: trace.csv:2: the time is "1e9"`,
		"1700000000\n1/2\n":                                           `qos: trace.csv:2: the time is "1/2"`,
		"time\n9999-01-01T00:00:00Z\n":                                "qos: trace.csv:2: the time is 9999-01-01T00:00:00Z, want one between 1678 and 2262",
		"time_s\n99999999999\n":                                       "qos: trace.csv:2: the time is 99999999999, want one between 1678 and 2262",
		"PING x\n64 bytes from x: icmp_seq=y ttl=1 time=1 ms\n":       `qos: trace.csv:2: the sequence number is "y"`,
		"PING x\n64 bytes from x: icmp_seq=1 ttl=1 time=y ms\n":       "qos: trace.csv:2: the answer has no time in ms",
		"PING x\n64 bytes from x: ttl=1 time=1 ms\n":                  "qos: trace.csv:2: the answer has no sequence number",
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
		linuxPing, "interarrival_ns\n1\n", "send_ns,recv_ns\n1,2\n3,\n", "seq,rtt_ns\n1,2\n", "time_ms;x\n1.5;2\n",
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
