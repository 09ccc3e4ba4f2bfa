package reconcile_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/reconcile"
)

// In some zones the clocks go forward at midnight, so that 0:00 does not exist.
func TestHistoryMidnightThatDoesNotExist(t *testing.T) {
	for _, c := range []struct{ zone, day string }{
		{"Africa/Cairo", "2023-04-28"},
		{"America/Sao_Paulo", "2018-11-04"},
		{"Asia/Beirut", "2022-03-27"},
		{"America/Havana", "2024-03-10"},
	} {
		location, err := time.LoadLocation(c.zone)
		require.NoError(t, err)
		noon, err := time.ParseInLocation(time.DateOnly+" 15", c.day+" 12", location)
		require.NoError(t, err)
		var h reconcile.History
		h.Add(counts(noon.AddDate(0, 0, -1), map[string]int{"a": 1}))
		h.Add(counts(noon, map[string]int{"a": 2}))
		midnight := time.Date(noon.Year(), noon.Month(), noon.Day()+7, 0, 0, 0, 0, location)
		r, ok := h.WeekBefore(midnight)
		require.True(t, ok, c.zone)
		assert.Equal(t, 2, r.Parts["a"].Count, c.zone)
	}
}

// One run with a date that is far off must not wipe out the history, nor keep
// all later runs out of it: nothing would be compared any more, in silence.
func TestHistorySurvivesAFutureRun(t *testing.T) {
	var h reconcile.History
	for i := range 7 {
		h.Add(counts(monday.AddDate(0, 0, i-7), map[string]int{"a": i}))
	}
	h.Add(counts(monday.AddDate(900, 0, 0), nil))
	r, ok := h.WeekBefore(monday)
	require.True(t, ok)
	assert.Equal(t, 0, r.Parts["a"].Count)
	h.Add(counts(monday, map[string]int{"a": 7}))
	r, ok = h.WeekBefore(monday.AddDate(0, 0, 7))
	require.True(t, ok)
	assert.Equal(t, 7, r.Parts["a"].Count)
	for i := range 400 {
		h.Add(counts(monday.AddDate(0, 0, i), nil))
		assert.LessOrEqual(t, len(h.Runs), 29)
	}
}
