package reconcile_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/reconcile"
)

func TestHistory(t *testing.T) {
	seattle, err := time.LoadLocation("America/Los_Angeles")
	if err != nil {
		t.Skip("no time zones here: ", err)
	}
	day := func(month, day, hour int) time.Time {
		return time.Date(2026, time.Month(month), day, hour, 30, 0, 0, seattle)
	}
	run := func(at time.Time, n int) reconcile.Run { return counts(at, map[string]int{"Seattle": n}) }
	var h reconcile.History
	count := func(at time.Time) int {
		r, ok := h.WeekBefore(at)
		require.Equal(t, ok, r != nil)
		if !ok {
			return -1
		}
		return r.Parts["Seattle"].Count
	}

	assert.Equal(t, -1, count(day(11, 7, 12)))
	h.Add(run(day(10, 31, 23), 31)) // a Saturday; the clocks go back in the night that follows
	assert.Equal(t, 31, count(day(11, 7, 0)), "by the date, not by 168 hours")
	assert.Equal(t, 31, count(day(11, 7, 23)))
	assert.Equal(t, -1, count(day(11, 8, 0)))
	h.Add(run(day(10, 30, 1), 30))
	h.Add(run(day(10, 31, 2), 32))
	assert.Len(t, h.Runs, 2, "one a day, the last one")
	assert.Equal(t, 32, count(day(11, 7, 0)))
	assert.Equal(t, 30, count(day(11, 6, 0)))

	assert.Equal(t, 32, count(day(11, 28, 0)), "four weeks before, as there is nothing nearer")
	h.Add(run(day(11, 21, 9), 21))
	assert.Equal(t, 21, count(day(11, 28, 0)))
	h.Add(run(day(11, 28, 9), 28))
	assert.Len(t, h.Runs, 4)

	stored, err := json.Marshal(h)
	require.NoError(t, err)
	var again reconcile.History
	require.NoError(t, json.Unmarshal(stored, &again))
	r, ok := again.WeekBefore(day(12, 5, 23))
	require.True(t, ok)
	assert.Equal(t, 28, r.Parts["Seattle"].Count)
}

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
