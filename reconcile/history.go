package reconcile

import (
	"slices"
	"time"
)

// weeks is how far back [History.WeekBefore] looks.
const weeks = 4

// A History keeps runs to compare with. It is plain data, to be stored between
// runs. The zero value is empty. It is not safe for concurrent use.
type History struct {
	Runs []Run // by day, at most one a day
}

// Add keeps a run, in place of another for the same day, and drops the oldest if
// there are more than the 29 of four weeks and a day. It does not go by their
// age: one run with a date far ahead would drop all others, and all to come, and
// nothing would be compared any more. Add what was judged and did not fail: what
// is compared with a bad week passes when it is as bad.
func (h *History) Add(run Run) {
	i, found := slices.BinarySearchFunc(h.Runs, run, func(a, b Run) int { return compareDays(a.Day, b.Day) })
	if found {
		h.Runs[i] = run
	} else {
		h.Runs = slices.Insert(h.Runs, i, run)
	}
	if extra := len(h.Runs) - (7*weeks + 1); extra > 0 {
		h.Runs = slices.Delete(h.Runs, 0, extra)
	}
}

// WeekBefore returns the run for the same weekday a week before day, or, if there
// is none, two, three or four weeks before. If there is none at all, it returns
// nil and false.
func (h *History) WeekBefore(day time.Time) (*Run, bool) {
	for week := 1; week <= weeks; week++ {
		then := civil(day).AddDate(0, 0, -7*week)
		i := slices.IndexFunc(h.Runs, func(r Run) bool { return compareDays(r.Day, then) == 0 })
		if i >= 0 {
			return &h.Runs[i], true
		}
	}
	return nil, false
}

// compareDays compares dates, each in its own location.
func compareDays(a, b time.Time) int { return civil(a).Compare(civil(b)) }

// civil returns the date that t shows, as an instant that there is in any year:
// where the clocks go forward at midnight, 0:00 of that day is 23:00 of the day
// before.
func civil(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
