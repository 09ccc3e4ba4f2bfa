package reconcile_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"
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
4 of 6 keys, 2590 records, 180 values coerced to nothing.
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

	zero := checker.Judge(reconcile.Run{}, nil, monday)
	assert.Len(t, zero.Keys(reconcile.Missing), 6)
}

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

func TestRecorder(t *testing.T) {
	r := reconcile.NewRecorder(monday)
	p := r.Part("Seattle")
	assert.Equal(t, reconcile.Run{Day: monday, Parts: map[string]reconcile.Part{"Seattle": {Fields: map[string]reconcile.Field{}}}}, r.Run())
	p.Record(monday.Add(-time.Hour))
	p.Record(monday.Add(-2 * time.Hour))
	p.Record(time.Time{})
	p.Records(10, monday.Add(-30*time.Minute))
	p.Records(-5, time.Time{})
	for _, s := range []string{"12.5", "", "n/a", "7"} {
		v, err := strconv.ParseFloat(s, 64)
		if got := reconcile.Coerce(r.Part("Seattle"), "price", v, err); err != nil {
			assert.Zero(t, got)
		} else {
			assert.Equal(t, v, got)
		}
	}
	run := r.Run()
	assert.Equal(t, map[string]reconcile.Part{"Seattle": {
		Count: 13, Newest: monday.Add(-30 * time.Minute), Fields: map[string]reconcile.Field{"price": {Values: 4, Nothing: 2}},
	}}, run.Parts)
	p.Value("price", false)
	assert.Equal(t, 2, run.Parts["Seattle"].Fields["price"].Nothing, "a run does not change")
	assert.Equal(t, monday, r.Day())

	assert.Zero(t, reconcile.Coerce(p, "price", math.NaN(), errors.New("no number")))
}

func TestConcurrentUse(t *testing.T) {
	r := reconcile.NewRecorder(monday)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 1000 {
				p := r.Part(fmt.Sprint((i + j) % 3))
				p.Record(monday.Add(-time.Duration(i*1000+j+60) * time.Second))
				p.Value("price", j%10 != 0)
				if j%100 == 0 {
					r.Run()
				}
			}
		})
	}
	wg.Wait()
	checker := newChecker(t, reconcile.Config{Keys: []string{"0", "1", "2"}, MaxNothing: 0.11})
	run := r.Run()
	for range 4 {
		wg.Go(func() {
			report := checker.Judge(run, &run, monday)
			assert.NoError(t, report.Err())
			assert.Equal(t, 8000, report.Records)
			assert.Equal(t, 800, report.Nothing)
			assert.Equal(t, 3, report.Present)
		})
	}
	wg.Wait()
}

func TestConfigErrors(t *testing.T) {
	keys := []string{"b", "a"}
	for _, c := range []struct {
		cfg  reconcile.Config
		want string
	}{
		{reconcile.Config{}, `reconcile: Keys is [], want at least one key, none of them empty or there twice`},
		{reconcile.Config{Keys: []string{"a", ""}}, `reconcile: Keys is ["" "a"], want at least one key, none of them empty or there twice`},
		{reconcile.Config{Keys: []string{"a", "b", "a"}}, `reconcile: Keys is ["a" "a" "b"], want at least one key, none of them empty or there twice`},
		{reconcile.Config{Keys: keys, Low: 1.1}, `reconcile: Low is 1.1, want a number above 0, at most 1`},
		{reconcile.Config{Keys: keys, Low: math.NaN()}, `reconcile: Low is NaN, want a number above 0, at most 1`},
		{reconcile.Config{Keys: keys, High: 0.9}, `reconcile: High is 0.9, want a finite number, at least 1`},
		{reconcile.Config{Keys: keys, High: math.Inf(1)}, `reconcile: High is +Inf, want a finite number, at least 1`},
		{reconcile.Config{Keys: keys, MaxAge: 24}, `reconcile: MaxAge is 24ns, want a duration from 1s to 1000 days`},
		{reconcile.Config{Keys: keys, MaxNothing: 1.5}, `reconcile: MaxNothing is 1.5, want a number above 0, at most 1`},
	} {
		checker, err := reconcile.New(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, checker)
	}
	newChecker(t, reconcile.Config{Keys: keys, Low: 1, High: 1, MaxAge: time.Second, MaxNothing: 1})
	assert.Equal(t, []string{"b", "a"}, keys, "the caller's are left as they are")
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

// strconv.ParseFloat reads "NaN" without an error.
func TestCoerceNaN(t *testing.T) {
	r := reconcile.NewRecorder(monday)
	p := r.Part("a")
	assert.Zero(t, reconcile.Coerce(p, "price", math.NaN(), nil))
	assert.Zero(t, reconcile.Coerce(p, "price", float32(math.NaN()), nil))
	assert.Equal(t, reconcile.Field{Values: 2, Nothing: 2}, r.Run().Parts["a"].Fields["price"])
}
