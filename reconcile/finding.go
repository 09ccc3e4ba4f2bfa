package reconcile

import (
	"fmt"
	"math"
	"time"

	"example.com/liveness/internal/printable"
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
	Unverified Kind = "unverified" // there is no count before to compare with: of the key, or of AllKeys
	Undated    Kind = "undated"    // nobody said when the records are from
	Unexpected Kind = "unexpected" // a key that is not among the expected ones
)

// AllKeys is the Key of the finding Unverified where there is no run before at
// all: then it stands once for all keys.
const AllKeys = ""

// kinds are in the order of reports.
var kinds = []Kind{Missing, Empty, Low, High, Stale, Future, Nothing, Unverified, Undated, Unexpected}

// Fails reports whether a finding of this kind makes the run fail.
func (k Kind) Fails() bool { return !k.unchecked() && k != Unexpected }

// unchecked reports whether a finding of this kind says that a check could not be
// made.
func (k Kind) unchecked() bool { return k == Unverified || k == Undated }

// A Finding is one thing that is the matter, with the numbers that led to it.
type Finding struct {
	Kind  Kind
	Key   string // or AllKeys
	Field string // for Nothing
	Part  Part   // as it was judged

	CountBefore int           // in the run it was compared with, 0 if unknown
	Least, Most float64       // the band, for Low and High
	Age         time.Duration // of the newest record, below 0 if it is from the future
	MaxAge      time.Duration
	MaxNothing  float64
}

// String says it in a phrase that begins with the key. Keys and fields that would
// do something to a terminal are quoted.
func (f Finding) String() string {
	if f.aboutAll() {
		return f.detail()
	}
	about := printable.Name(f.Key)
	if f.Key == "" {
		about = `""`
	}
	if f.Field != "" {
		about += " " + printable.Name(f.Field)
	}
	return about + ": " + f.detail()
}

// aboutAll reports whether it is about all keys: an unexpected key may be empty, too.
func (f Finding) aboutAll() bool { return f.Kind == Unverified && f.Key == AllKeys }

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
		if f.aboutAll() {
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
