package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Report is what a [Checker] makes of a run.
type Report struct {
	Day      time.Time // of the run
	Before   time.Time // the day of the run it was compared with, zero for none
	Judged   time.Time
	Expected int // keys
	Present  int // of those, with records
	Records  int // under any key
	Nothing  int // values coerced to nothing, of any field under any key
	Findings []Finding
}

func (r *Report) add(f Finding) { r.Findings = append(r.Findings, f) }

func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)),
			strings.Compare(a.Key, b.Key), strings.Compare(a.Field, b.Field))
	})
}

// Failed reports whether any finding makes the run fail.
func (r Report) Failed() bool {
	return slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind.Fails() })
}

// Checked reports whether every check could be made, that is, whether no finding
// is Unverified or Undated. A run that did not fail is complete only as far as it
// could be checked.
func (r Report) Checked() bool {
	return !slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Kind.unchecked() })
}

// Keys returns the keys with a finding of the kind, in order: of what is missing,
// for example. For Unverified it returns [AllKeys] alone where there was no run to
// compare with.
func (r Report) Keys(kind Kind) []string {
	var keys []string
	for _, f := range r.Findings {
		if f.Kind == kind {
			keys = append(keys, f.Key)
		}
	}
	return slices.Compact(keys)
}

// ErrIncomplete is wrapped by the error of a run that failed.
var ErrIncomplete = errors.New("reconcile: the run is not complete")

// An IncompleteError names everything for which a run failed. It wraps
// [ErrIncomplete].
type IncompleteError struct{ Report Report }

func (e *IncompleteError) Error() string {
	var failures []string
	for _, f := range e.Report.Findings {
		if f.Kind.Fails() {
			failures = append(failures, f.String())
		}
	}
	return fmt.Sprintf("reconcile: the run for %s is not complete: %s", date(e.Report.Day), strings.Join(failures, "; "))
}

func (e *IncompleteError) Unwrap() error { return ErrIncomplete }

// Err returns an *[IncompleteError] if the run failed, and nil if not.
func (r Report) Err() error {
	if !r.Failed() {
		return nil
	}
	return &IncompleteError{r}
}

// String returns the report as text, of some lines.
func (r Report) String() string {
	var b strings.Builder
	verdict, compared := "complete", "nothing"
	switch {
	case r.Failed():
		verdict = "NOT COMPLETE"
	case !r.Checked():
		verdict = "complete as far as it could be checked"
	}
	if !r.Before.IsZero() {
		compared = date(r.Before)
	}
	fmt.Fprintf(&b, "The run for %s, compared with %s, is %s.\n", date(r.Day), compared, verdict)
	fmt.Fprintf(&b, "%d of %d keys, %d records, %d values coerced to nothing.%s\n", r.Present, r.Expected, r.Records, r.Nothing, r.unchecked())
	for _, f := range r.Findings {
		mark := "note"
		if f.Kind.Fails() {
			mark = "FAIL"
		}
		fmt.Fprintf(&b, "  %s  %-10s  %s\n", mark, f.Kind, f)
	}
	return b.String()
}

// unchecked says what could not be checked, if there is anything.
func (r Report) unchecked() string {
	var what []string
	list := func(thing string, kind Kind) {
		keys := r.Keys(kind)
		n := len(keys)
		if slices.Contains(keys, AllKeys) {
			n = r.Present
		}
		switch {
		case n == 1:
			what = append(what, "the "+thing+" of 1 key")
		case n > 1:
			what = append(what, fmt.Sprintf("the %ss of %d keys", thing, n))
		}
	}
	list("count", Unverified)
	list("age", Undated)
	if what == nil {
		return ""
	}
	return " Not checked: " + strings.Join(what, ", ") + "."
}

func date(day time.Time) string { return day.Format("Mon 2006-01-02") }
