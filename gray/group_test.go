package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// Where all are slow no peer can tell. The limit, or what is usual, can.
func TestGroupDegraded(t *testing.T) {
	s := begin(t, gray.Config{Limit: 100 * ms}, 10)
	degraded := func(latency time.Duration, want bool, ejects int) {
		t.Helper()
		s.all(500, latency)
		d := s.tick()
		assert.Equal(t, want, d.Group.Degraded, "%+v", d.Group)
		assert.Equal(t, want, s.Degraded())
		assert.Len(t, d.Ejections(), ejects)
	}
	degraded(20*ms, false, 0)
	degraded(200*ms, false, 0)
	degraded(200*ms, false, 0)
	degraded(200*ms, true, 0)
	for range 4 {
		degraded(20*ms, true, 0)
	}
	degraded(20*ms, false, 0)

	s = begin(t, gray.Config{}, 10)
	for range 31 {
		degraded(20*ms, false, 0)
	}
	d := s.Evaluate(s.now.Add(10 * time.Second))
	assert.InEpsilon(t, 0.02, d.Group.Usual.Seconds(), 0.04)
	degraded(200*ms, false, 0)
	degraded(200*ms, false, 0)
	n := 0
	for s.all(500, 200*ms); s.tick().Group.Degraded; s.all(500, 200*ms) {
		n++
	}
	assert.InDelta(t, 400, n, 60, "a lasting change becomes usual after about an hour")

	// All fail: degraded, and the guard opens.
	s = begin(t, gray.Config{}, 10)
	for range 3 {
		for i := range 10 {
			s.send(i, 100, gray.Error, ms)
		}
		d = s.tick()
		assert.True(t, d.Guard.Open)
		assert.Empty(t, d.Ejections())
	}
	assert.True(t, d.Group.Degraded)
	assert.True(t, d.Guard.Page)
	assert.Equal(t, 1.0, d.Group.Failures)
}
