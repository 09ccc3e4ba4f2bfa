package reconcile_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/reconcile"
)

var monday = time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)

func newChecker(t testing.TB, cfg reconcile.Config) *reconcile.Checker {
	t.Helper()
	c, err := reconcile.New(cfg)
	require.NoError(t, err)
	return c
}

// counts returns a run whose records are an hour old.
func counts(day time.Time, of map[string]int) reconcile.Run {
	run := reconcile.Run{Day: day, Parts: make(map[string]reconcile.Part)}
	for key, n := range of {
		run.Parts[key] = reconcile.Part{Count: n, Newest: day.Add(-time.Hour)}
	}
	return run
}

// TestJudge: one key is judged, beside one that is well.
func TestJudge(t *testing.T) {
	type part = reconcile.Part
	hour := monday.Add(-time.Hour)
	price := func(values, nothing int) map[string]reconcile.Field {
		return map[string]reconcile.Field{"price": {Values: values, Nothing: nothing}}
	}
	for name, c := range map[string]struct {
		part   *part // nil: not there
		before int   // below 0: the key was not there
		want   string
		fails  bool
	}{
		"as before":             {&part{1000, hour, price(1000, 10)}, 1000, "", false},
		"missing":               {nil, 1204, "Seattle: missing, had 1204 records before", true},
		"missing since long":    {nil, -1, "Seattle: missing", true},
		"empty":                 {&part{0, hour, nil}, 1204, "Seattle: empty, had 1204 records before", true},
		"half":                  {&part{500, hour, nil}, 1000, "", false},
		"less than half":        {&part{499, hour, nil}, 1000, "Seattle: 499 records, had 1000 before, want 500 to 2000", true},
		"double":                {&part{2000, hour, nil}, 1000, "", false},
		"more than double":      {&part{2001, hour, nil}, 1000, "Seattle: 2001 records, had 1000 before, want 500 to 2000", true},
		"few, by chance":        {&part{2, hour, nil}, 12, "", false},
		"few, not by chance":    {&part{2, hour, nil}, 30, "Seattle: 2 records, had 30 before, want 15 to 60", true},
		"one of few":            {&part{1, hour, nil}, 18, "", false},
		"new":                   {&part{1000, hour, nil}, -1, "Seattle: 1000 records, and none before to compare with", false},
		"back again":            {&part{1000, hour, nil}, 0, "Seattle: 1000 records, and none before to compare with", false},
		"a day old":             {&part{1000, monday.AddDate(0, 0, -1), nil}, 1000, "", false},
		"stale":                 {&part{1000, monday.AddDate(0, 0, -2), nil}, 1000, "Seattle: its newest record is 48h0m0s old, want at most 24h0m0s", true},
		"undated":               {&part{1000, time.Time{}, nil}, 1000, "Seattle: nobody said when its records are from", false},
		"clocks differ":         {&part{1000, monday.Add(time.Minute), nil}, 1000, "", false},
		"from the future":       {&part{1000, monday.AddDate(73, 0, 0), nil}, 1000, "Seattle: its newest record is from 639912h0m0s after now", true},
		"some nothing":          {&part{1000, hour, price(1000, 10)}, 1000, "", false},
		"too much nothing":      {&part{1000, hour, price(1000, 11)}, 1000, "Seattle price: 11 of 1000 values were coerced to nothing, want at most 1 %", true},
		"a field was renamed":   {&part{1000, hour, price(1000, 1000)}, 1000, "Seattle price: 1000 of 1000 values were coerced to nothing, want at most 1 %", true},
		"no values, no nothing": {&part{1000, hour, price(0, 0)}, 1000, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			checker := newChecker(t, reconcile.Config{Keys: []string{"Tacoma", "Seattle"}})
			run := counts(monday, map[string]int{"Tacoma": 300})
			before := counts(monday.AddDate(0, 0, -7), map[string]int{"Tacoma": 310})
			if c.part != nil {
				run.Parts["Seattle"] = *c.part
			}
			if c.before >= 0 {
				before.Parts["Seattle"] = reconcile.Part{Count: c.before}
			}
			report := checker.Judge(run, &before, monday)
			assert.Equal(t, c.fails, report.Failed())
			if c.fails {
				err := report.Err()
				assert.EqualError(t, err, "reconcile: the run for Mon 2026-11-30 is not complete: "+c.want)
				assert.ErrorIs(t, err, reconcile.ErrIncomplete)
				var incomplete *reconcile.IncompleteError
				require.ErrorAs(t, err, &incomplete)
				assert.Equal(t, report, incomplete.Report)
			} else {
				assert.NoError(t, report.Err())
			}
			if c.want == "" {
				assert.Empty(t, report.Findings)
				return
			}
			require.Len(t, report.Findings, 1)
			assert.Equal(t, c.want, report.Findings[0].String())
		})
	}
}

// FuzzJudge: a run fails if a key is taken out of it, and not if it is like the
// one before, fresh and whole; the report is the same each time.
func FuzzJudge(f *testing.F) {
	f.Add([]byte{100, 100, 0, 5, 50, 200, 3, 0}, uint8(1))
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255, 30, 12, 99, 1}, uint8(0))
	f.Fuzz(func(t *testing.T, data []byte, take uint8) {
		run, before := counts(monday, nil), counts(monday.AddDate(0, 0, -7), nil)
		var keys []string
		for i := 0; i+3 < len(data); i += 4 {
			key := fmt.Sprintf("k%03d", i)
			keys = append(keys, key)
			run.Parts[key] = reconcile.Part{
				Count:  int(data[i]) * int(data[i]),
				Newest: monday.Add(-time.Duration(data[i+2]) * 15 * time.Minute),
				Fields: map[string]reconcile.Field{"f": {Values: 250, Nothing: int(data[i+3]) % 10}},
			}
			before.Parts[key] = reconcile.Part{Count: int(data[i+1]) * int(data[i+1])}
		}
		if len(keys) == 0 {
			return
		}
		checker := newChecker(t, reconcile.Config{Keys: keys})
		report := checker.Judge(run, &before, monday)
		require.Equal(t, report, checker.Judge(run, &before, monday))
		require.Equal(t, report.Failed(), report.Err() != nil)
		failing := 0
		for _, finding := range report.Findings {
			if finding.Kind.Fails() {
				failing++
				require.Contains(t, report.Err().Error(), finding.String())
			}
			require.Contains(t, report.String(), finding.String())
		}
		require.Equal(t, failing > 0, report.Failed())

		whole := counts(monday, nil)
		for _, key := range keys {
			whole.Parts[key] = reconcile.Part{Count: 1 + before.Parts[key].Count, Newest: monday}
		}
		require.NoError(t, checker.Judge(whole, &whole, monday).Err())

		key := keys[int(take)%len(keys)]
		part := maps.Clone(whole.Parts)
		delete(part, key)
		missing := checker.Judge(reconcile.Run{Day: monday, Parts: part}, &whole, monday)
		require.Equal(t, []string{key}, missing.Keys(reconcile.Missing))
		require.ErrorContains(t, missing.Err(), key+": missing, had ")
	})
}
