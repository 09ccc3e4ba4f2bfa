//go:build linux || darwin

package watchdog_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/watchdog"
)

// childEnv, when set, makes the test binary the process to freeze: "run" to
// watch as programs do, "kick" to have no timer at all, and "timer" to be the
// usual watchdog, whose kicks re-arm a timer.
const childEnv = "LIVENESS_WATCHDOG_CHILD"

const (
	limit = 300 * time.Millisecond
	every = 10 * time.Millisecond
)

func TestMain(m *testing.M) {
	if mode, ok := os.LookupEnv(childEnv); ok {
		kickForEver(mode)
	}
	os.Exit(m.Run())
}

// kickForEver ends with the watchdog or with its standard input, which the
// parent holds open: also a parent that was killed lets go of it.
func kickForEver(mode string) {
	go func() {
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	kick := newKick(mode)
	ticker := time.NewTicker(every)
	for at := time.Now(); kick(at); at = time.Now() {
		fmt.Println(at.UnixNano())
		<-ticker.C
	}
	select {} // Kill is at work in whichever goroutine noticed
}

func newKick(mode string) func(time.Time) bool {
	if mode == "timer" {
		timer := time.AfterFunc(limit, func() { watchdog.Kill(watchdog.Miss{Part: "work", Timeout: limit}) })
		return func(time.Time) bool {
			timer.Reset(limit)
			return true
		}
	}
	w, err := watchdog.New(watchdog.Config{OnMiss: watchdog.Kill})
	if err != nil {
		panic(err)
	}
	if mode == "run" {
		go w.Run(context.Background())
	}
	work, err := w.Add("work", limit, time.Now())
	if err != nil {
		panic(err)
	}
	return work.Kick
}

// pauses is how many processes of each mode are frozen. LIVENESS_PAUSES sets
// another number, and compares with the usual watchdog.
func pauses(t *testing.T) (n int, compare bool) {
	value, ok := os.LookupEnv("LIVENESS_PAUSES")
	if !ok {
		return 3, false
	}
	n, err := strconv.Atoi(value)
	require.NoError(t, err)
	return n, true
}

// TestFrozenProcessKillsItself stops real processes and lets them go on. However
// the race between its timer and its kick ends, none must survive.
func TestFrozenProcessKillsItself(t *testing.T) {
	if testing.Short() {
		t.Skip("freezes real processes for longer than their deadlines, which takes seconds")
	}
	n, compare := pauses(t)
	modes := []string{"run", "kick"}
	if compare {
		modes = append(modes, "timer")
	}
	for _, mode := range modes {
		t.Run(mode, func(t *testing.T) {
			var forgiven atomic.Int32
			t.Run("pauses", func(t *testing.T) {
				for range n {
					t.Run("", func(t *testing.T) {
						t.Parallel()
						if freezeOnce(t, mode) {
							forgiven.Add(1)
						}
					})
				}
			})
			t.Logf("%d of %d pauses were forgiven", forgiven.Load(), n)
			if mode != "timer" {
				assert.Zero(t, forgiven.Load())
			}
		})
	}
}

// freezeOnce reports whether the process did anything after it was frozen for
// twice its limit.
func freezeOnce(t *testing.T, mode string) (forgiven bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a test that hangs, child and all
	defer cancel()
	self, err := os.Executable()
	require.NoError(t, err)
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), childEnv+"="+mode)
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a stopped group that is orphaned gets SIGCONT
	var stderr strings.Builder
	child.Stderr = &stderr
	leash, err := child.StdinPipe()
	require.NoError(t, err)
	defer leash.Close()
	stdout, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())

	lines := bufio.NewScanner(stdout)
	for range 20 {
		require.True(t, lines.Scan(), "the child ended early: %s", &stderr)
	}
	require.NoError(t, child.Process.Signal(syscall.SIGSTOP))
	// The pause has to be a real one: nothing can be observed of a process that does nothing.
	<-time.After(2 * limit)
	thawed := time.Now()
	require.NoError(t, child.Process.Signal(syscall.SIGCONT))
	for lines.Scan() {
		kicked, err := strconv.ParseInt(lines.Text(), 10, 64)
		require.NoError(t, err)
		if kicked > thawed.UnixNano() {
			forgiven = true
			leash.Close() // it may live for ever
		}
	}
	require.NoError(t, ctx.Err(), "the child hangs")
	err = child.Wait()
	if forgiven {
		return true
	}
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	assert.Equal(t, syscall.SIGKILL, exit.Sys().(syscall.WaitStatus).Signal(), "%v, standard error: %s", err, &stderr)
	assert.Contains(t, stderr.String(), `watchdog: part "work" has not kicked for `)
	assert.Contains(t, stderr.String(), ": this process ends itself\n")
	return false
}
