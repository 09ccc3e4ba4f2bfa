package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// Probes that their clients gave up for reasons of their own tell nothing, and
// more are sent; probes that lost against hedges tell that it is still slow.
func TestProbesThatWereCancelled(t *testing.T) {
	for outcome, want := range map[gray.Outcome]gray.State{gray.Cancelled: gray.Probation, gray.HedgedAway: gray.Ejected} {
		s := begin(t, gray.Config{}, 10)
		s.eject(3)
		for s.State(name(3)) != gray.Probation {
			s.all(500, 20*ms, 3)
			s.tick()
		}
		s.all(500, 20*ms, 3)
		latency := 2 * ms
		if outcome == gray.HedgedAway {
			latency = 30 * ms
		}
		s.send(3, 5, outcome, latency)
		d := s.tick()
		assert.Equal(t, want, s.State(name(3)), "%v", outcome)
		if outcome == gray.HedgedAway {
			j, _ := d.Of(name(3))
			assert.Contains(t, j.String(), "slow median at least 29ms against 20ms, the median of 9 peers, threshold 61ms, 5 samples, most lost against hedges")
			continue
		}
		for i := range 5 {
			assert.Equal(t, gray.Probation, s.State(name(3)), "%d", i)
			assert.True(t, s.Admit(name(3), s.now), "%d", i)
			s.send(3, 1, gray.OK, 20*ms)
			s.all(500, 20*ms, 3)
			s.tick()
		}
		assert.Equal(t, gray.SlowStart, s.State(name(3)))
	}
}

// Where most of the peers' latencies were cut off their medians are lower bounds
// only, and no measure: a probe may be above three times the bounds and as fast as
// they. Where few peers' are, the others are the measure.
func TestProbesAgainstBounds(t *testing.T) {
	for hedged, want := range map[int]gray.State{9: gray.SlowStart, 5: gray.SlowStart, 4: gray.Ejected, 0: gray.Ejected} {
		s := begin(t, gray.Config{Backoff: gray.Backoff{Jitter: -1}}, 10)
		s.eject(9)
		s.all(500, 20*ms, 9)
		s.after(30 * time.Second)
		require.Equal(t, gray.Probation, s.State(name(9)))
		for i := range 9 {
			if i < hedged {
				s.send(i, 200, gray.OK, 10*ms)
				s.send(i, 300, gray.HedgedAway, 20*ms)
			} else {
				s.send(i, 500, gray.OK, 20*ms)
			}
		}
		s.send(9, 5, gray.OK, 100*ms)
		d := s.tick()
		assert.Equal(t, want, s.State(name(9)), "%d of 9", hedged)
		j, _ := d.Of(name(9))
		assert.Equal(t, map[bool]gray.Reason{true: gray.FewPeers}[want == gray.SlowStart], j.Tests[0].Reason)
	}
}

// Whoever sends nothing on probation waits for ever, and a yes that was not used is
// given again in the next interval.
func TestProbesThatWereNotSent(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.eject(3)
	for s.State(name(3)) != gray.Probation {
		s.tick()
	}
	for range 100 {
		for i := range 7 {
			assert.Equal(t, i < 5, s.Admit(name(3), s.now))
		}
		s.all(500, 20*ms, 3)
		d := s.tick()
		s.changed(d)
		assert.Equal(t, 1, d.Guard.Unhealthy)
	}
	s.send(3, 5, gray.OK, 20*ms)
	s.all(500, 20*ms, 3)
	s.changed(s.tick(), "s003 probation → slow start")
}
