package hedge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/hedge"
)

// A clock that was set back does not stop hedging until it has caught up.
func TestBudgetClockSetBack(t *testing.T) {
	h := taught(t, hedge.Config{Burst: 1, MaxExtraLoad: 1, MaxPerSecond: 10})
	hedged := func(at time.Time) bool {
		_, ok := h.Start("a", at).Hedge(at, "b")
		return ok
	}
	require.True(t, hedged(t0))
	back := t0.Add(-time.Hour)
	assert.False(t, hedged(back), "nothing is earned by it")
	assert.True(t, hedged(back.Add(100*ms)))
	assert.False(t, hedged(back.Add(50*ms)), "out of order")
	assert.False(t, hedged(back.Add(150*ms)))
	assert.True(t, hedged(back.Add(200*ms)))
}
