package main

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.csv")
	r := cli("", "record", "-interval", "1ms", "-count", "20", "-o", path)
	require.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stderr, "20 heartbeats")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(content), "# made by: liveness record, UDP over the loopback device within one process\n")
	assert.Contains(t, string(content), "# interval: 1ms\nsend_ns,recv_ns\n0,")
	got := answer(t, "", "replay", "-warmup", "5", "-detector", "fixed", "-timeout", "10s", path)
	assert.Equal(t, 20., got["heartbeats"].(float64)+got["lost"].(float64)+5)
	assert.Equal(t, 0., got["mistakes"])

	r = cli("", "record", "-interval", "1ms", "-duration", "20ms")
	require.Equal(t, exitDone, r.code, r.stderr)
	assert.Contains(t, r.stdout, "send_ns,recv_ns\n")
}

// Two processes, by their parts.
func TestRecordBetween(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer conn.Close()
	sent := make(chan result, 1)
	go func() {
		sent <- cli("", "record", "-send", conn.LocalAddr().String(), "-interval", "1ms", "-count", "10")
	}()
	rec, err := (&recorder{now: clock()}).exchange(context.Background(), conn)
	require.NoError(t, err)
	assert.Equal(t, exitDone, (<-sent).code)
	assert.EqualValues(t, 10, rec.sent())
}

// A listener who hears nothing says so.
func TestRecordNothing(t *testing.T) {
	r := cli("", "record", "-listen", "127.0.0.1:0", "-duration", "1ms")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stderr, "listening on 127.0.0.1:")
	assert.Contains(t, r.stderr, "liveness record: no heartbeat arrived")
	for _, flag := range []string{"-listen", "-send"} {
		assert.Equal(t, exitFailed, cli("", "record", flag, "127.0.0.1:notaport").code)
	}
}

// An interrupt keeps what there is.
func TestRecordInterrupted(t *testing.T) {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	defer conn.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rec, err := (&recorder{now: clock()}).exchange(ctx, conn)
	require.NoError(t, err)
	assert.Zero(t, rec.sent())
}

// failing is a network that takes nothing.
type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

func TestRecordCannotSend(t *testing.T) {
	r := recorder{now: clock(), interval: time.Millisecond, count: 2}
	assert.ErrorIs(t, r.sendAll(context.Background(), failing{net.ErrClosed}), net.ErrClosed)
}

func TestRecording(t *testing.T) {
	var r recording
	for _, d := range []struct {
		datagram
		received int64
		done     bool
	}{
		{datagram{run: 7, seq: 2, sent: 1100}, 1110, false},
		{datagram{run: 7, seq: 1, sent: 1000}, 1120, false}, // overtaken
		{datagram{run: 9, seq: 9, sent: 9}, 9, false},       // a stranger
		{datagram{run: 7, seq: 5, sent: 1400}, 1410, false},
		{datagram{run: 7, seq: 5, sent: 1400}, 1490, false}, // repeated
		{datagram{run: 7, seq: 6, end: true}, 1500, false},  // the sixth is missing
	} {
		assert.Equal(t, d.done, r.add(d.datagram, d.received))
	}
	var b strings.Builder
	require.NoError(t, r.write(&b, []string{"how"}))
	assert.Equal(t, "# how\nsend_ns,recv_ns\n0,120\n100,110\n200,\n300,\n400,410\n400,\n", b.String())

	assert.False(t, r.add(datagram{run: 7, seq: 3}, 1))
	assert.False(t, r.add(datagram{run: 7, seq: 4}, 1))
	assert.True(t, r.add(datagram{run: 7, seq: 6}, 1))
}

func TestDatagram(t *testing.T) {
	for _, d := range []datagram{{run: 1<<64 - 1, seq: 1<<64 - 1, sent: time.Now().UnixNano()}, {run: 1, seq: 3, end: true}} {
		text := d.encode()
		assert.LessOrEqual(t, len(text), maxSize)
		got, ok := decode(text)
		assert.True(t, ok)
		assert.Equal(t, d, got)
	}
	for _, text := range []string{"", "hello", "liveness-heartbeat 1", "liveness-heartbeat 1 0 5", "liveness-heartbeat -1 2 3"} {
		_, ok := decode([]byte(text))
		assert.False(t, ok, text)
	}
}
