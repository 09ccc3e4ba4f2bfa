package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// A life as the changes tell it: each step once, at the Advance that sees it.
func TestChangesOfALife(t *testing.T) {
	s := begin(t, gray.Config{Backoff: gray.Backoff{Jitter: -1}}, 10)
	s.changed(s.slowRound(500, 3))
	s.changed(s.slowRound(500, 3))
	d := s.slowRound(500, 3)
	s.changed(d, "s003 active → ejected")
	assert.Equal(t, []string{"s003"}, d.Ejections())
	assert.Equal(t, gray.Change{Server: "s003", From: gray.Active, To: gray.Ejected, Rule: gray.SlowTail, Until: s.now.Add(30 * time.Second)}, d.Changes[0])
	s.changed(s.slowRound(500, 3))
	s.changed(s.slowRound(500, 3))
	s.changed(s.Evaluate(s.now.Add(10*time.Second)), "s003 ejected → probation") // looking ahead changes nothing
	s.changed(s.after(10*time.Second), "s003 ejected → probation")
	s.changed(s.after(0))

	// Its probation fails: it is ejected again, by no verdict.
	s.all(500, 20*ms, 3)
	s.send(3, 5, gray.OK, 200*ms)
	d = s.tick()
	s.changed(d, "s003 probation → ejected")
	assert.Empty(t, d.Ejections())
	assert.Equal(t, gray.SlowMedian, d.Changes[0].Rule)
	assert.Equal(t, s.now.Add(time.Minute), d.Changes[0].Until)
	j, _ := d.Of("s003")
	assert.Equal(t, "s003: probation failed, ejected until 2026-03-01T12:02:10Z, slow median 200ms against 20ms, the median of 9 peers, threshold 61ms, 5 samples", j.String())
	assert.Equal(t, "s003: probation → ejected until 2026-03-01T12:02:10Z (slow median)", d.Changes[0].String())

	// One failure is enough, and is named.
	s.changed(s.after(60*time.Second), "s003 ejected → probation")
	s.all(500, 20*ms, 3)
	s.send(3, 4, gray.OK, 20*ms)
	s.send(3, 1, gray.Error, 20*ms)
	d = s.tick()
	s.changed(d, "s003 probation → ejected")
	assert.Equal(t, gray.ManyErrors, d.Changes[0].Rule)
	j, _ = d.Of("s003")
	assert.Contains(t, j.String(), "many errors 20 %, threshold 20 %, 5 samples")

	// Time brings it on probation also in an interval that is not judged.
	d = s.after(91 * time.Second)
	assert.Equal(t, gray.Late, d.Reason)
	s.changed(d, "s003 ejected → probation")
	s.all(500, 20*ms, 3)
	s.send(3, 5, gray.OK, 20*ms)
	s.changed(s.tick(), "s003 probation → slow start")
	s.changed(s.after(29 * time.Second))
	d = s.after(time.Second)
	assert.Equal(t, gray.Early, d.Reason)
	s.changed(d, "s003 slow start → active")
	assert.Equal(t, "s003: slow start → active", d.Changes[0].String())
	s.changed(s.slowRound(500))
}

// Several at once come in the order of Servers.
func TestChangesInOrder(t *testing.T) {
	s := begin(t, gray.Config{Backoff: gray.Backoff{Jitter: -1}}, 20)
	s.eject(7, 3)
	s.after(10 * time.Second)
	for range 2 {
		s.all(500, 20*ms, 3, 5, 7, 9)
		s.send(5, 500, gray.OK, 200*ms)
		s.send(9, 500, gray.OK, 400*ms)
		s.after(9800 * ms) // an interval is over a little early
	}
	s.all(500, 20*ms, 3, 5, 7, 9)
	s.send(5, 500, gray.OK, 200*ms)
	s.send(9, 500, gray.OK, 400*ms)
	s.changed(s.after(400*ms), "s003 ejected → probation", "s007 ejected → probation")
	s.changed(s.after(9800*ms), "s009 active → ejected", "s005 active → ejected")
}

// What an operator does between two decisions is told by the next one.
func TestChangesByHand(t *testing.T) {
	s := begin(t, gray.Config{Hits: 1}, 10)
	s.slowRound(500, 3)
	s.Restore("s003")
	s.changed(s.Evaluate(s.now), "s003 ejected → active")
	s.changed(s.slowRound(500), "s003 ejected → active")

	// Restored and ejected again at once: its time is another.
	s.slowRound(500, 3)
	s.Restore("s003")
	d := s.slowRound(500, 3)
	s.changed(d, "s003 ejected → ejected")
	assert.Equal(t, []string{"s003"}, d.Ejections())

	// Who is removed is told no more, and who is added begins active.
	s.Remove("s003")
	s.changed(s.after(0))
	s.Add("s003")
	s.changed(s.slowRound(500))
	s.changed(s.slowRound(500, 3), "s003 active → ejected")
}

// Without probes and slow start, and with Envoy's rules, a return is one step.
func TestChangesOfAShortLife(t *testing.T) {
	for want, cfg := range map[string]gray.Config{
		"s003 ejected → slow start": {Probes: -1},
		"s003 ejected → active":     {Probes: -1, SlowStart: -1},
	} {
		cfg.Hits, cfg.Backoff.Jitter = 1, -1
		s := begin(t, cfg, 10)
		s.changed(s.slowRound(500, 3), "s003 active → ejected")
		s.changed(s.after(30*time.Second), want)
		assert.EqualValues(t, 1, s.Counters().Returned)
	}
	s := begin(t, gray.Config{Envoy: &gray.Envoy{}, Backoff: gray.Backoff{Jitter: -1}}, 10)
	s.tick()
	s.send(3, 5, gray.Error, ms)
	d := s.after(time.Second) // failures in a row are acted on at once
	s.changed(d, "s003 active → ejected")
	assert.Equal(t, gray.AllFailures, d.Changes[0].Rule)
	s.changed(s.after(30*time.Second), "s003 ejected → active")
	assert.EqualValues(t, 1, s.Counters().Returned)
}

// In the shadow, and with an open guard, nothing changes.
func TestNoChanges(t *testing.T) {
	shadow, open := begin(t, gray.Config{Shadow: true}, 10), begin(t, gray.Config{}, 10)
	for range 10 {
		shadow.changed(shadow.slowRound(500, 3))
		open.changed(open.slowRound(500, 3, 4, 5))
	}
}
