//go:build unix

package systemd_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/integrations/systemd"
	"example.com/liveness/watchdog"
)

// listen stands in for systemd: a real socket, named as systemd names it.
func listen(t *testing.T, watchdogUsec string) *net.UnixConn {
	t.Helper()
	folder, err := os.MkdirTemp("", "sd") // t.TempDir may be too long for the address of a socket
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	path := filepath.Join(folder, "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", watchdogUsec)
	t.Setenv("WATCHDOG_PID", "")
	return conn
}

// next returns the next datagram, which has been sent: nobody waits for it.
func next(t *testing.T, conn *net.UnixConn) string {
	t.Helper()
	buf := make([]byte, 256)
	n, err := conn.Read(buf)
	require.NoError(t, err)
	return string(buf[:n])
}

// end sends a mark, and returns what came before it and was not read.
func end(t *testing.T, conn *net.UnixConn) (left []string) {
	t.Helper()
	mark, err := net.DialUnix("unixgram", nil, conn.LocalAddr().(*net.UnixAddr))
	require.NoError(t, err)
	defer mark.Close()
	_, err = mark.Write([]byte("mark"))
	require.NoError(t, err)
	for {
		datagram := next(t, conn)
		if datagram == "mark" {
			return left
		}
		left = append(left, datagram)
	}
}

func always(time.Time) bool { return true }

// TestHalfOfTheInterval: READY=1, then WATCHDOG=1 at once and every half of
// WATCHDOG_USEC, here 2 s of a time that is made up, and STOPPING=1.
func TestHalfOfTheInterval(t *testing.T) {
	conn := listen(t, "2000000")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- systemd.Run(ctx, always) }()
		synctest.Wait()
		assert.Equal(t, []string{"READY=1", "WATCHDOG=1"}, end(t, conn))
		for range 3 {
			time.Sleep(time.Second - time.Nanosecond)
			synctest.Wait()
			assert.Empty(t, end(t, conn), "not before half of it is over")
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			assert.Equal(t, []string{"WATCHDOG=1"}, end(t, conn))
		}
		cause := errors.New("told to stop")
		stop(cause)
		assert.Equal(t, cause, <-ended)
		assert.Equal(t, []string{"STOPPING=1"}, end(t, conn))
	})
}

// TestWatchdogMisses: one hung part, and systemd is told at the next sign of life.
func TestWatchdogMisses(t *testing.T) {
	conn := listen(t, "2000000")
	synctest.Test(t, func(t *testing.T) {
		w, err := watchdog.New(watchdog.Config{OnMiss: func(watchdog.Miss) {}})
		require.NoError(t, err)
		_, err = w.Add("hangs", 2500*time.Millisecond, time.Now())
		require.NoError(t, err)
		start := time.Now()
		assert.Equal(t, systemd.ErrUnwell, systemd.Run(t.Context(), w.Check))
		assert.Equal(t, 3*time.Second, time.Since(start))
		assert.Equal(t, []string{"READY=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=trigger"}, end(t, conn))

		assert.Equal(t, systemd.ErrUnwell, systemd.Run(t.Context(), w.Check))
		assert.Equal(t, []string{"WATCHDOG=trigger"}, end(t, conn), "never ready")
	})
}

func TestNoWatchdogWanted(t *testing.T) {
	for name, set := range map[string]func(*testing.T){
		"not set":     func(*testing.T) {},
		"for another": func(t *testing.T) { t.Setenv("WATCHDOG_USEC", "1000"); t.Setenv("WATCHDOG_PID", "1") },
	} {
		t.Run(name, func(t *testing.T) {
			conn := listen(t, "")
			set(t)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- systemd.Run(ctx, always) }()
			assert.Equal(t, "READY=1", next(t, conn))
			cancel()
			assert.Equal(t, context.Canceled, <-ended)
			assert.Equal(t, []string{"STOPPING=1"}, end(t, conn))
		})
	}
}

func TestOutsideSystemd(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", "")
	t.Setenv("WATCHDOG_USEC", "")
	assert.NoError(t, systemd.Run(t.Context(), always))
	assert.NoError(t, systemd.Run(t.Context(), func(time.Time) bool { return false }), "nobody asks")
}

func TestErrors(t *testing.T) {
	conn := listen(t, "soon")
	assert.ErrorContains(t, systemd.Run(t.Context(), always), "systemd: error converting WATCHDOG_USEC")
	assert.Empty(t, end(t, conn))

	t.Setenv("WATCHDOG_USEC", "2000000")
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	assert.ErrorContains(t, systemd.Run(t.Context(), always), "systemd: READY=1: dial unixgram")
	err := systemd.Run(t.Context(), func(time.Time) bool { return false })
	assert.ErrorIs(t, err, systemd.ErrUnwell)
	assert.ErrorContains(t, err, "dial unixgram")
}

func Example() {
	w, err := watchdog.New(watchdog.Config{OnMiss: watchdog.Kill})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go w.Run(ctx)
	fmt.Println(systemd.Run(ctx, w.Check)) // at once, since this is no service of systemd's
	// Output: <nil>
}
