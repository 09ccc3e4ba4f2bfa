package gray_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// A clock that is set back, as seen by times without a monotonic reading, must
// not blind the monitor until it has caught up.
func TestClockSetBack(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.eject(3)
	s.now = s.now.Add(-time.Hour)
	ejected := 0
	for range 5 {
		s.all(500, 20*ms, 3, 7)
		s.send(7, 500, gray.OK, 200*ms)
		ejected += len(s.tick().Ejections())
	}
	assert.Equal(t, 1, ejected)
	for range 20 {
		s.all(500, 20*ms, 3, 7)
		if s.State(name(3)) != gray.Ejected {
			s.send(3, 500, gray.OK, 20*ms)
		}
		s.tick()
	}
	assert.Equal(t, gray.Active, s.State(name(3)), "its time is over, too")

	// A step back in slow start does not leave it at a tenth for long.
	s = begin(t, gray.Config{}, 10)
	s.eject(3)
	for s.State(name(3)) != gray.SlowStart {
		s.all(500, 20*ms, 3)
		if s.State(name(3)) != gray.Ejected {
			s.send(3, 500, gray.OK, 20*ms)
		}
		s.tick()
	}
	s.now = s.now.Add(-time.Hour)
	for range 5 {
		s.all(500, 20*ms)
		s.tick()
	}
	assert.Equal(t, gray.Active, s.State(name(3)))
}

// Advance at the zero time twice closes one interval, not two.
func TestZeroTime(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.all(500, 20*ms)
	assert.True(t, s.Advance(time.Time{}).Closed)
	s.all(500, 20*ms)
	assert.False(t, s.Advance(time.Time{}).Closed)
}

// A ticker of one interval is at times a little early, and an interval is judged
// at each tick all the same.
func TestTickerThatJitters(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	r := rand.New(rand.NewPCG(1, 2))
	closed := 0
	for i := range 200 {
		s.all(500, 20*ms)
		at := t0.Add(time.Duration(i)*10*time.Second + time.Duration(r.IntN(100))*ms)
		if s.Advance(at).Closed {
			closed++
		}
	}
	assert.Equal(t, 200, closed)
	at := t0.Add(time.Hour)
	s.Advance(at)
	s.Advance(at.Add(10 * time.Second))
	assert.False(t, s.Advance(at.Add(19*time.Second)).Closed)
}

// After a pause of as many intervals as count, or of months, what was before is not
// among the last ones any more, neither for a server nor for the group.
func TestLongPause(t *testing.T) {
	for pause, counts := range map[time.Duration]bool{
		31 * time.Second: true, 49 * time.Second: true, 50 * time.Second: false, 90 * 24 * time.Hour: false,
		-time.Hour: true, // set back: how long it was nobody knows
	} {
		s := begin(t, gray.Config{Limit: 100 * ms}, 10)
		round := func() gray.Decision {
			s.all(500, 150*ms, 3)
			s.send(3, 500, gray.OK, time.Second)
			return s.tick()
		}
		round()
		assert.Equal(t, 2, round().Group.Hits)
		assert.Equal(t, gray.Late, s.after(pause).Reason)
		d := round()
		assert.Equal(t, counts, len(d.Ejections()) == 1, "%v", pause)
		assert.Equal(t, counts, d.Group.Degraded, "%v", pause)
		assert.Equal(t, map[bool]int{true: 3, false: 1}[counts], d.Group.Hits, "%v", pause)
	}
}
