package gray_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// Evaluate changes nothing, whenever it is called.
func TestEvaluateIsPure(t *testing.T) {
	asked, quiet := begin(t, gray.Config{Seed: 5}, 10), begin(t, gray.Config{Seed: 5}, 10)
	for round := range 30 {
		for _, s := range []*script{asked, quiet} {
			s.all(500, 20*ms, 3)
			s.send(3, 500, gray.OK, time.Duration(200-180*(round/12%2))*ms)
		}
		for i := range 5 {
			asked.Evaluate(asked.now.Add(time.Duration(i) * 10 * time.Second))
		}
		next := asked.now.Add(10 * time.Second)
		preview := asked.Evaluate(next)
		d := asked.tick()
		assert.Equal(t, preview, d)
		assert.Equal(t, quiet.tick(), d)
	}
	assert.Equal(t, quiet.Counters(), asked.Counters())
	assert.NotZero(t, asked.Counters().Enforced[gray.SlowTail])
}

// A monitor that was held up itself is no judge.
func TestLateAndEarly(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.slowRound(500, 3)
	s.slowRound(500, 3)
	s.all(500, 20*ms, 3)
	s.send(3, 500, gray.OK, 200*ms)
	d := s.after(5 * time.Second)
	assert.False(t, d.Closed)
	s.verdict(d, 3, gray.NotEvaluated, gray.Early)
	d = s.after(26 * time.Second)
	s.verdict(d, 3, gray.NotEvaluated, gray.Late)
	assert.EqualValues(t, 1, s.Counters().LateOnes)
	s.verdict(s.tick(), 3, gray.NotEvaluated, gray.FewRequests) // what was recorded before is gone
	s.verdict(s.slowRound(500, 3), 3, gray.Eject, gray.None)    // the third of four that were judged
	d = s.Advance(s.now.Add(-5 * time.Second))                  // a little back in time is early
	assert.Equal(t, gray.Early, d.Reason)
	d = s.Advance(t0.Add(-time.Hour)) // and far back is a clock that was set
	assert.Equal(t, gray.Late, d.Reason)
}

func TestShadow(t *testing.T) {
	s := begin(t, gray.Config{Shadow: true}, 10)
	for range 5 {
		s.slowRound(500, 3)
	}
	c := s.Counters()
	assert.EqualValues(t, 3, c.Suppressed[gray.Shadowed])
	assert.EqualValues(t, 2, c.Suppressed[gray.Persistence])
	assert.EqualValues(t, 5, c.Detected[gray.SlowTail])
	assert.Empty(t, c.Enforced)
	assert.Equal(t, gray.Active, s.State("s003"))
}

func TestUnknownAndManyClients(t *testing.T) {
	s := begin(t, gray.Config{MaxClients: 3}, 5)
	s.Record("c", "stranger", gray.OK, ms)
	s.Record("c", "s001", gray.Outcome(99), ms)
	assert.EqualValues(t, 2, s.Counters().Unknown)
	for i := range 10_000 {
		s.Record(fmt.Sprint(i), "s001", gray.OK, ms)
	}
	j, _ := s.Evaluate(s.now).Of("s001")
	assert.Equal(t, 10_000, j.Figures.Requests)
	s.tick()
	assert.Contains(t, s.Table().String(), gray.OtherClients)
	assert.False(t, s.Admit("stranger", s.now))
	assert.Equal(t, gray.Ejected, s.State("stranger"))
	assert.Zero(t, s.Weight("stranger", s.now))
	// Clients that have gone leave no trace.
	for range 61 {
		s.tick()
	}
	s.Record("late", "s001", gray.OK, ms)
	s.tick()
	assert.Contains(t, s.Table().String(), "late")
}
