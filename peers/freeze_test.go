//go:build linux || darwin

package peers_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

const (
	frozenPeers    = 1000
	frozenInterval = 500 * time.Millisecond
	frozenVariable = "PEERS_TEST_MONITOR" // its value is Doubt.MaxLateness
)

func TestMain(m *testing.M) {
	if lateness := os.Getenv(frozenVariable); lateness != "" {
		monitorProcess(lateness)
		return
	}
	os.Exit(m.Run())
}

// monitorProcess watches peers that send their numbers over UDP, and writes
// every event to its standard output, until its standard input is closed.
func monitorProcess(lateness string) {
	must := func(err error) {
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	maxLateness, err := time.ParseDuration(lateness)
	must(err)
	m, err := peers.New(peers.Config[uint32]{
		NewDetector: func(uint32) (liveness.Detector, error) {
			return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: 100, ExpectedInterval: frozenInterval})
		},
		Doubt: peers.Doubt{MaxLateness: maxLateness},
	})
	must(err)
	sub, err := m.Subscribe(peers.SubscriptionConfig{Buffer: 1 << 16})
	must(err)
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	must(err)
	for key := range uint32(frozenPeers) {
		must(m.Register(key, time.Now(), peers.Registration{}))
	}
	ctx, cancel := context.WithCancel(context.Background())
	go func() { _ = m.Run(ctx) }()
	go func() {
		buffer := make([]byte, 64)
		for {
			n, err := conn.Read(buffer)
			if err != nil || n < 4 {
				return
			}
			m.Heartbeat(binary.BigEndian.Uint32(buffer), time.Now())
		}
	}()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	fmt.Println("address:", conn.LocalAddr())
	for e := range sub.Events(ctx) {
		fmt.Println(e)
	}
}

// A monitor process with a thousand live peers is frozen for ten seconds and
// continued. It must accuse nobody, and notice a death after that all the same.
func TestFrozenMonitor(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute, as a process is really frozen for ten seconds")
	}
	t.Run("with doubt", func(t *testing.T) {
		t.Parallel()
		accused, stalled := freezeMonitor(t, "200ms")
		assert.Empty(t, accused, "live peers")
		assert.NotEmpty(t, stalled, "it says that it was stalled")
	})
	t.Run("without", func(t *testing.T) {
		t.Parallel()
		accused, stalled := freezeMonitor(t, "1h")
		t.Logf("without doubt of itself it accuses %d live peers", len(accused))
		assert.Empty(t, stalled)
	})
}

func freezeMonitor(t *testing.T, lateness string) (accused, stalled []string) {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), frozenVariable+"="+lateness)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = stdin.Close()
		_ = cmd.Wait()
	}()
	lines := make(chan string, 1<<16)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(stdout); s.Scan(); {
			lines <- s.Text()
		}
	}()
	address, found := strings.CutPrefix(<-lines, "address: ")
	require.True(t, found)

	// The live peers: their heartbeats are spread over the interval. What the
	// socket of a frozen process has no room for is lost, as with any.
	conn, err := net.Dial("udp", address)
	require.NoError(t, err)
	defer conn.Close()
	var mute atomic.Int64 // so many peers have died
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		const slices = 50
		ticker := time.NewTicker(frozenInterval / slices)
		defer ticker.Stop()
		for i := 0; ctx.Err() == nil; i = (i + 1) % slices {
			for key := i; key < frozenPeers; key += slices {
				if int64(key) >= mute.Load() {
					_, _ = conn.Write(binary.BigEndian.AppendUint32(nil, uint32(key)))
				}
			}
			select {
			case <-ctx.Done():
			case <-ticker.C:
			}
		}
	}()

	deadline := time.After(2 * time.Minute)
	next := func() string {
		select {
		case line, ok := <-lines:
			require.True(t, ok, "the monitor has ended")
			return line
		case <-deadline:
			require.Fail(t, "the monitor is silent")
		}
		return ""
	}
	for trusted := 0; trusted < frozenPeers; {
		if strings.Contains(next(), "first heartbeat") {
			trusted++
		}
	}
	pause(ctx, 8*time.Second) // it learns
	for len(lines) > 0 {      // a busy machine may stall anybody
		t.Logf("before: %s", <-lines)
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGSTOP))
	pause(ctx, 10*time.Second)
	require.NoError(t, cmd.Process.Signal(syscall.SIGCONT))
	pause(ctx, 8*time.Second)

	const deaths = 10
	mute.Store(deaths)
	dead := map[string]bool{}
	for key := range deaths {
		dead[fmt.Sprintf("%d: suspected (silent)", key)] = true
	}
	for len(dead) > 0 {
		switch line := next(); {
		case dead[line]:
			delete(dead, line)
		case strings.Contains(line, "suspected (silent)"):
			accused = append(accused, line)
		case strings.Contains(line, "stalled"):
			t.Log(line)
			stalled = append(stalled, line)
		}
	}
	return accused, stalled
}

// pause waits for real: a process is frozen meanwhile.
func pause(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}
