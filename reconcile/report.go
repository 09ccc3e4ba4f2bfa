package reconcile

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// A Kind is what is the matter with a part.
type Kind string

// The kinds of findings. The last three do not make a run fail; of those,
// Unverified and Undated say what could not be checked.
const (
	Missing    Kind = "missing"    // an expected key is not there
	Empty      Kind = "empty"      // it is, with no record
	Low        Kind = "low"        // fewer records than the band has
	High       Kind = "high"       // more
	Stale      Kind = "stale"      // the newest record is too old
	Future     Kind = "future"     // the newest record is from more than a minute after now
	Nothing    Kind = "nothing"    // too many values of a field were coerced to nothing
	Unverified Kind = "unverified" // there is no count before: of the key, or of any if that is empty
	Undated    Kind = "undated"    // nobody said when the records are from
	Unexpected Kind = "unexpected" // a key that is not among the expected ones
)

// kinds are in the order of reports.
var kinds = []Kind{Missing, Empty, Low, High, Stale, Future, Nothing, Unverified, Undated, Unexpected}

// Fails reports whether a finding of this kind makes the run fail.
func (k Kind) Fails() bool {
	switch k {
	case Unverified, Undated, Unexpected:
		return false
	}
	return true
}

// A Finding is one thing that is the matter, with the numbers that led to it.
type Finding struct {
	Kind  Kind
	Key   string
	Field string // for Nothing
	Part  Part   // as it was judged

	CountBefore int           // in the run it was compared with, 0 if unknown
	Least, Most float64       // the band, for Low and High
	Age         time.Duration // of the newest record, below 0 if it is from the future
	MaxAge      time.Duration
	MaxNothing  float64
}

// String says it in a phrase that begins with the key.
func (f Finding) String() string {
	about := f.Key
	if f.Field != "" {
		about += " " + f.Field
	}
	if about != "" {
		about += ": "
	}
	return about + f.detail()
}

func (f Finding) detail() string {
	switch f.Kind {
	case Missing, Empty:
		if f.CountBefore > 0 {
			return fmt.Sprintf("%s, had %d records before", f.Kind, f.CountBefore)
		}
		return string(f.Kind)
	case Low, High:
		return fmt.Sprintf("%d records, had %d before, want %.0f to %.0f", f.Part.Count, f.CountBefore, math.Ceil(f.Least), math.Floor(f.Most))
	case Stale:
		return fmt.Sprintf("its newest record is %v old, want at most %v", f.Age.Round(time.Second), f.MaxAge)
	case Future:
		return fmt.Sprintf("its newest record is from %v after now", -f.Age.Round(time.Second))
	case Nothing:
		v := f.Part.Fields[f.Field]
		return fmt.Sprintf("%d of %d values were coerced to nothing, want at most %g %%", v.Nothing, v.Values, 100*f.MaxNothing)
	case Unverified:
		if f.Key == "" {
			return "there is no run before to compare with"
		}
		return fmt.Sprintf("%d records, and none before to compare with", f.Part.Count)
	case Undated:
		return "nobody said when its records are from"
	case Unexpected:
		return fmt.Sprintf("%d records under a key that is not expected", f.Part.Count)
	}
	return string(f.Kind)
}

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

// Keys returns the keys with a finding of the kind, in order: of what is missing,
// for example.
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
	verdict, compared := "complete", "compared with nothing"
	if r.Failed() {
		verdict = "NOT COMPLETE"
	}
	if !r.Before.IsZero() {
		compared = "compared with " + date(r.Before)
	}
	fmt.Fprintf(&b, "The run for %s, %s, is %s.\n", date(r.Day), compared, verdict)
	fmt.Fprintf(&b, "%d of %d keys, %d records, %d values coerced to nothing.\n", r.Present, r.Expected, r.Records, r.Nothing)
	for _, f := range r.Findings {
		mark := "note"
		if f.Kind.Fails() {
			mark = "FAIL"
		}
		fmt.Fprintf(&b, "  %s  %-10s  %s\n", mark, f.Kind, f)
	}
	return b.String()
}

func date(day time.Time) string { return day.Format("Mon 2006-01-02") }
