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

// Add keeps a run, in place of another for the same day, and drops those that
// are more than four weeks older than the newest. Add what was judged and did
// not fail: what is compared with a bad week passes when it is as bad.
func (h *History) Add(run Run) {
	i, found := slices.BinarySearchFunc(h.Runs, run, func(a, b Run) int { return compareDays(a.Day, b.Day) })
	if found {
		h.Runs[i] = run
	} else {
		h.Runs = slices.Insert(h.Runs, i, run)
	}
	oldest := h.Runs[len(h.Runs)-1].Day.AddDate(0, 0, -7*weeks)
	h.Runs = slices.DeleteFunc(h.Runs, func(r Run) bool { return compareDays(r.Day, oldest) < 0 })
}

// WeekBefore returns the run for the same weekday a week before day, or, if there
// is none, two, three or four weeks before. If there is none at all, it returns
// nil and false.
func (h *History) WeekBefore(day time.Time) (*Run, bool) {
	for week := 1; week <= weeks; week++ {
		then := day.AddDate(0, 0, -7*week)
		i := slices.IndexFunc(h.Runs, func(r Run) bool { return compareDays(r.Day, then) == 0 })
		if i >= 0 {
			return &h.Runs[i], true
		}
	}
	return nil, false
}

// compareDays compares dates, each in its own location.
func compareDays(a, b time.Time) int {
	date := func(t time.Time) []int { return []int{t.Year(), t.YearDay()} }
	return slices.Compare(date(a), date(b))
}
