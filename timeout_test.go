package liveness_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness"
)

func newFixed(t testing.TB, timeout time.Duration) *liveness.FixedTimeout {
	t.Helper()
	return made(t, liveness.NewFixedTimeout, timeout)
}

func TestFixedTimeout(t *testing.T) {
	d := newFixed(t, 400*time.Millisecond)
	s := begin(t, d)
	assert.Zero(t, s.after(0))
	assert.Equal(t, 0.25, s.after(0.1))
	assert.Equal(t, 1.0, s.after(0.4))
	assert.Equal(t, 10.0, s.after(4))
	assert.Equal(t, t0.Add(400*time.Millisecond), d.Deadline(1))
	assert.Equal(t, t0.Add(time.Second), d.Deadline(2.5))
	assert.False(t, s.suspected(0.399999999))
	assert.True(t, s.suspected(0.4))
	s.gaps(1, 7)
	assert.Equal(t, 0.25, s.after(0.1))

	d.Heartbeat(s.last.Add(-time.Hour))
	assert.Equal(t, 0.25, s.after(0.1), "one heartbeat from before is out of order")
	d.Heartbeat(s.last.Add(-time.Hour + time.Second))
	assert.Equal(t, s.last.Add(-time.Hour+1400*time.Millisecond), d.Deadline(1), "a second one means that the clock was set back")
}
