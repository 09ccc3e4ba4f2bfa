package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func TestWatch(t *testing.T) {
	r := cli("a\nb 1\na 2\n\n", "watch")
	require.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stdout, "  a first heartbeat\n")
	assert.Contains(t, r.stdout, "  b first heartbeat\n")
	assert.Contains(t, r.stdout, "  a trusted, level 0.0")
	assert.Contains(t, r.stdout, "accuracy")
	narrow(t, r.stdout)
	assert.Equal(t, exitDone, cli("", "watch", "-detector", "fixed", "-timeout", "1s", "-threshold", "2").code)
}

// watching feeds heartbeats of a peer at the given times, and returns what a watcher said.
func watching(t *testing.T, w *watcher, at ...time.Duration) string {
	var out strings.Builder
	synctest.Test(t, func(t *testing.T) {
		w.out = &out
		w.factory = func() (liveness.Detector, error) { return liveness.NewFixedTimeout(time.Second) }
		reader, writer := io.Pipe()
		start := time.Now()
		go func() {
			for _, d := range at {
				time.Sleep(time.Until(start.Add(d))) // in the bubble, which does not wait
				fmt.Fprintln(writer, "peer")
			}
			writer.Close()
		}()
		require.NoError(t, w.run(context.Background(), reader))
	})
	return out.String()
}

// Suspected after 1 s, trusted again after 3: of 5 s 2 are wrong.
func TestWatchSuspects(t *testing.T) {
	text := watching(t, &watcher{}, 0, 500*time.Millisecond, 3500*time.Millisecond, 4250*time.Millisecond, 5*time.Second)
	var said []string
	for line := range strings.Lines(text) {
		_, rest, _ := strings.Cut(strings.TrimSpace(line), "  ")
		said = append(said, strings.Join(strings.Fields(rest), " "))
	}
	assert.Equal(t, []string{
		"peer first heartbeat",
		"peer trusted, level 0.50 at heartbeat 2 after 500 ms",
		"peer SUSPECTED, level 1.00 after 1 s of silence",
		"peer trusted again, level 3.00 at heartbeat 3 after 3 s",
		"peer trusted, level 0.75 at heartbeat 4 after 750 ms",
		"peer trusted, level 0.75 at heartbeat 5 after 750 ms",
		"",
		"state level silence heartbeats suspicions mean length accuracy",
		"trusted 0.00 0 s 5 1 2 s 60.00 %",
	}, said)
}

// The table does not disturb what is measured.
func TestWatchTable(t *testing.T) {
	text := watching(t, &watcher{table: true}, 0, 500*time.Millisecond, 3500*time.Millisecond, 5*time.Second)
	last := text[strings.LastIndex(text, "peer  "):]
	assert.Contains(t, strings.Join(strings.Fields(last), " "), "trusted 0.00 0 s 4 2")
	assert.Contains(t, text, "SUSPECTED")
	assert.Contains(t, text, "\x1b[2A\x1b[J")
}

func TestWatchIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	reader, writer := io.Pipe()
	defer writer.Close()
	var out strings.Builder
	assert.NoError(t, (&watcher{out: &out}).run(ctx, reader))
	assert.Contains(t, out.String(), "peer")
}

func TestWatchLineTooLong(t *testing.T) {
	r := cli(strings.Repeat("x", 100_000), "watch")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "token too long")
}

// Each answer to ping is a heartbeat of its host.
func TestWatchPing(t *testing.T) {
	r := cli(`PING example.org (192.0.2.1) 56(84) bytes of data.
64 bytes from host.example (192.0.2.1): icmp_seq=1 ttl=57 time=12 ms
[1700000001.010000] 64 bytes from 192.0.2.9: icmp_seq=2 ttl=57 time=10.0 ms
64 bytes from 192.0.2.9: icmp_seq=2 ttl=57 time=12.5 ms (DUP!)
no answer yet for icmp_seq=3
From 192.0.2.254 icmp_seq=4 Destination Host Unreachable
92 bytes from 192.0.2.254: Destination Host Unreachable
64 bytes from host.example (192.0.2.1): icmp_seq=5 ttl=57 time=12 ms

--- example.org ping statistics ---
6 packets transmitted, 4 received, +1 duplicates, 33% packet loss, time 5007ms
rtt min/avg/max/mdev = 0.045/8.9/12.0/0.1 ms
`, "watch")
	require.Equal(t, exitDone, r.code, r.stderr)
	said, quality, _ := strings.Cut(r.stdout, "\n\n")
	assert.Len(t, strings.Split(said, "\n"), 3)
	assert.Contains(t, said, "  host.example first heartbeat\n")
	assert.Contains(t, said, "  192.0.2.9 first heartbeat\n")
	assert.Contains(t, said, "  host.example trusted, level ")
	assert.Len(t, strings.Split(strings.TrimSpace(quality), "\n"), 3)
}
