package reconcile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/reconcile"
)

// TestReport: everything at once, in the order that matters.
func TestReport(t *testing.T) {
	checker := newChecker(t, reconcile.Config{
		Keys: []string{"Ballard", "Seattle", "Spokane", "Tacoma", "Yakima", "Olympia"}, Low: 0.8, High: 1.25, MaxAge: 2 * time.Hour, MaxNothing: 0.5,
	})
	run := counts(monday, map[string]int{"Tacoma": 310, "Spokane": 900, "Yakima": 100, "Olympia": 80, "Seatle": 1200})
	run.Parts["Yakima"] = reconcile.Part{Count: 100, Newest: monday.Add(-3 * time.Hour), Fields: map[string]reconcile.Field{
		"rooms": {Values: 100, Nothing: 60}, "price": {Values: 100, Nothing: 70}, "name": {Values: 100, Nothing: 50},
	}}
	before := counts(monday.AddDate(0, 0, -14), map[string]int{"Tacoma": 1204, "Spokane": 600, "Yakima": 100, "Seattle": 1204, "Ballard": 7})
	report := checker.Judge(run, &before, monday)
	assert.Equal(t, `The run for Mon 2026-11-30, compared with Mon 2026-11-16, is NOT COMPLETE.
4 of 6 keys, 2590 records, 180 values coerced to nothing. Not checked: the count of 1 key.
  FAIL  missing     Ballard: missing, had 7 records before
  FAIL  missing     Seattle: missing, had 1204 records before
  FAIL  low         Tacoma: 310 records, had 1204 before, want 964 to 1505
  FAIL  high        Spokane: 900 records, had 600 before, want 480 to 750
  FAIL  stale       Yakima: its newest record is 3h0m0s old, want at most 2h0m0s
  FAIL  nothing     Yakima price: 70 of 100 values were coerced to nothing, want at most 50 %
  FAIL  nothing     Yakima rooms: 60 of 100 values were coerced to nothing, want at most 50 %
  note  unverified  Olympia: 80 records, and none before to compare with
  note  unexpected  Seatle: 1200 records under a key that is not expected
`, report.String())
	assert.Equal(t, []string{"Ballard", "Seattle"}, report.Keys(reconcile.Missing))
	assert.Equal(t, []string{"Yakima"}, report.Keys(reconcile.Nothing))
	assert.Nil(t, report.Keys(reconcile.Empty))

	alone := checker.Judge(run, nil, monday).String()
	assert.Contains(t, alone, "The run for Mon 2026-11-30, compared with nothing, is NOT COMPLETE.")
	assert.Contains(t, alone, "  note  unverified  there is no run before to compare with\n")
	assert.Equal(t, 1, strings.Count(alone, "unverified"))

	well := newChecker(t, reconcile.Config{Keys: []string{"Seattle", "Tacoma"}})
	first := counts(monday, map[string]int{"Seattle": 1200, "Tacoma": 310})
	report = well.Judge(first, &first, monday)
	assert.True(t, report.Checked())
	assert.Equal(t, "The run for Mon 2026-11-30, compared with Mon 2026-11-30, is complete.\n"+
		"2 of 2 keys, 1510 records, 0 values coerced to nothing.\n", report.String())
	first.Parts["Tacoma"] = reconcile.Part{Count: 310}
	report = well.Judge(first, nil, monday)
	assert.NoError(t, report.Err())
	assert.False(t, report.Checked())
	assert.Equal(t, []string{reconcile.AllKeys}, report.Keys(reconcile.Unverified))
	assert.Equal(t, `The run for Mon 2026-11-30, compared with nothing, is complete as far as it could be checked.
2 of 2 keys, 1510 records, 0 values coerced to nothing. Not checked: the counts of 2 keys, the age of 1 key.
  note  unverified  there is no run before to compare with
  note  undated     Tacoma: nobody said when its records are from
`, report.String())

	zero := checker.Judge(reconcile.Run{}, nil, monday)
	assert.Len(t, zero.Keys(reconcile.Missing), 6)
}

// TestReportOfOddKeys: what is written is a line for each finding, whatever came in
// the data, and every key has a name.
func TestReportOfOddKeys(t *testing.T) {
	checker := newChecker(t, reconcile.Config{Keys: []string{"New York"}})
	run := counts(monday, map[string]int{"New York": 9, "": 1, "\x1b[2J": 2, "x\n  FAIL  missing     Rome: missing": 3, "\xff": 4})
	run.Parts["New York"] = reconcile.Part{Count: 9, Newest: monday, Fields: map[string]reconcile.Field{"rent\r": {Values: 2, Nothing: 1}}}
	report := checker.Judge(run, nil, monday)
	assert.Equal(t, `The run for Mon 2026-11-30, compared with nothing, is NOT COMPLETE.
1 of 1 keys, 19 records, 1 values coerced to nothing. Not checked: the count of 1 key.
  FAIL  nothing     New York "rent\r": 1 of 2 values were coerced to nothing, want at most 1 %
  note  unverified  there is no run before to compare with
  note  unexpected  "": 1 records under a key that is not expected
  note  unexpected  "\x1b[2J": 2 records under a key that is not expected
  note  unexpected  "x\n  FAIL  missing     Rome: missing": 3 records under a key that is not expected
  note  unexpected  "\xff": 4 records under a key that is not expected
`, report.String())
	assert.Contains(t, report.Err().Error(), `New York "rent\r": 1 of 2`)
}
