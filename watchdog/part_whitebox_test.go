package watchdog

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSuspension: the wall clock went on while the monotonic one stood still. No
// Time can be made up that says so, so the last kick by the wall clock is moved.
func TestSuspension(t *testing.T) {
	for _, c := range []struct {
		wallClock bool
		asleep    time.Duration
		ok        bool
	}{
		{false, time.Hour, true},
		{true, time.Hour, false},
		{true, 899 * time.Millisecond, true},
		{true, 900 * time.Millisecond, false},
		{true, -time.Hour, true}, // set back
	} {
		w, err := New(Config{OnMiss: func(Miss) {}, WallClock: c.wallClock})
		require.NoError(t, err)
		now := time.Now()
		p, err := w.Add("part", time.Second, now)
		require.NoError(t, err)
		p.wallKicked.Add(-int64(c.asleep))
		now = now.Add(100 * time.Millisecond)
		assert.Equal(t, c.ok, p.Kick(now), "%+v", c)
		if c.ok {
			assert.True(t, w.Check(now.Add(999*time.Millisecond)), "%+v", c)
			assert.False(t, w.Check(now.Add(time.Second)), "%+v", c)
		}
	}
}
