package peers_test

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/peers"
)

// A backlog that never empties, in a monitor that is stalled again and again.
func TestBacklogForEver(t *testing.T) {
	s := begin(t, peers.Config[string]{Doubt: peers.Doubt{Backlog: func() bool { return true }, MaxFactor: 1}}).register("a", "b").beat("a", "b")
	for now := 0.0; now < 100; now += 5 {
		s.to(now).beat("b")
		s.to(now + 2).beat("b")
		s.stalledTo(now + 2.9) // 0.8 s late
	}
	assert.Contains(t, s.events(), "13.9 a: suspected (silent)")
}

// A Resolution longer than a round may be late is no stall.
func TestCoarseResolution(t *testing.T) {
	for _, resolution := range []time.Duration{200 * time.Millisecond, 250 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			m := newMonitor(t, peers.Config[string]{Resolution: resolution, Guard: peers.Guard{MaxShare: 100}})
			defer running(t, m)()
			for i := range 50 {
				require.NoError(t, m.Register(strconv.Itoa(i), time.Now(), peers.Registration{FirstBeat: time.Duration(i*37+50) * time.Millisecond}))
			}
			time.Sleep(20 * time.Second)
			assert.Zero(t, m.Status(time.Now()).Stalls, "%v", resolution)
		})
	}
}

// A monitor that is stalled more often than not convicts a dead peer, and no
// other, in bounded time: what it has worked decides.
func TestStalledAgainAndAgain(t *testing.T) {
	for _, stall := range []float64{0.5, 2, 5, 60} {
		s := begin(t, peers.Config[string]{Doubt: peers.Doubt{MaxFactor: 1}}).register("a", "b").beat("a", "b")
		s.events()
		for range 60 {
			s.to(s.now.Sub(t0).Seconds() + 0.25).beat("b")
			s.to(s.now.Sub(t0).Seconds() + 0.25).beat("b")
			s.stalledTo(s.now.Sub(t0).Seconds() + stall)
			s.beat("b")
		}
		var suspected []string
		for _, e := range s.events() {
			if strings.Contains(e, "suspected") {
				suspected = append(suspected, e)
			}
		}
		require.Len(t, suspected, 1, "%v s", stall)
		assert.Contains(t, suspected[0], "a: suspected")
	}
}
