package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// An ejection has an end, a probation and a slow start.
func TestLife(t *testing.T) {
	s := begin(t, gray.Config{Backoff: gray.Backoff{Jitter: -1}}, 10)
	s.eject(3)
	state := func(want gray.State) {
		t.Helper()
		assert.Equal(t, want, s.State("s003"), "%v", s.now.Sub(t0))
	}
	state(gray.Ejected)
	assert.Zero(t, s.Weight("s003", s.now))
	s.slowRound(500, 3) // late completions do not matter
	s.slowRound(500, 3)
	state(gray.Ejected)
	s.slowRound(500, 3)
	state(gray.Probation)
	admitted := 0
	for range 100 {
		if s.Admit("s003", s.now) {
			admitted++
		}
	}
	assert.Equal(t, 5, admitted)
	s.all(500, 20*ms, 3)
	s.tick()
	state(gray.Probation) // no evidence, no return
	s.all(500, 20*ms, 3)
	s.send(3, 5, gray.OK, 200*ms)
	d := s.tick()
	state(gray.Ejected) // still slow: away for twice as long
	j, _ := d.Of("s003")
	assert.Equal(t, s.now.Add(time.Minute), j.Until)
	for range 6 {
		state(gray.Ejected)
		s.slowRound(500)
	}
	state(gray.Probation)
	s.all(500, 20*ms, 3)
	s.send(3, 3, gray.OK, 20*ms)
	s.tick()
	state(gray.Probation) // evidence adds up
	s.all(500, 20*ms, 3)
	s.send(3, 2, gray.OK, 20*ms)
	s.tick()
	state(gray.SlowStart)
	assert.InDelta(t, 0.1, s.Weight("s003", s.now), 1e-9)
	assert.InDelta(t, 0.5, s.Weight("s003", s.now.Add(15*time.Second)), 1e-9)
	admitted = 0
	for range 1000 {
		if s.Admit("s003", s.now.Add(15*time.Second)) {
			admitted++
		}
	}
	assert.InDelta(t, 500, admitted, 1)
	for range 3 {
		s.slowRound(500)
	}
	state(gray.Active)
	j, _ = s.Evaluate(s.now).Of("s003")
	assert.Equal(t, 1, j.Times)
	{ // evidence of health
		s.slowRound(500)
	}
	j, _ = s.Evaluate(s.now).Of("s003")
	assert.Zero(t, j.Times)
	c := s.Counters()
	assert.EqualValues(t, 1, c.Returned)
	assert.EqualValues(t, 1, c.FailedProbes)
	assert.EqualValues(t, 1, c.Enforced[gray.SlowTail])
}

// The last latency of an ejected server is not in the median of its peers.
func TestEjectedLeaveThePeers(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.eject(3)
	d := s.slowRound(500, 3)
	for _, j := range d.Servers {
		if j.Server == "s003" {
			assert.Equal(t, gray.Away, j.Reason)
			continue
		}
		assert.Equal(t, 8, j.Tests[0].Peers)
	}
	assert.Equal(t, 9, d.Group.Judged)
}

func TestRestore(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.eject(3)
	s.Restore("s003")
	assert.Equal(t, gray.Active, s.State("s003"))
	j, _ := s.Evaluate(s.now).Of("s003")
	assert.Zero(t, j.Times)
}
