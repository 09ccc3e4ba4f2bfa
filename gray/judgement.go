package gray

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"example.com/liveness/internal/printable"
)

// A Judgement is the verdict on one server.
type Judgement struct {
	Server  string
	Verdict Verdict
	Reason  Reason
	Rule    Rule // that found it bad, the most telling first; on probation, too
	State   State
	Until   time.Time // the end of the ejection, if State is Ejected
	Times   int       // ejections that count for the length of the next, this one included
	Tests   []Test
	Figures Figures
}

// Figures are what clients saw of one server in the interval. Latencies are read
// from a histogram with buckets of 1/16 of their value: they are right to 6 %,
// between 1 µs and 73 minutes.
type Figures struct {
	Requests  int // successes and failures
	Failures  int
	Latencies int // samples: complete answers, and lower bounds that tell something
	Median    time.Duration
	P99       time.Duration // or the configured quantile
	Masked    int           // attempts that lost against a hedge: failures that nobody felt
	Overloads int
}

// failureShare returns which part of the requests failed.
func (f Figures) failureShare() float64 {
	if f.Requests == 0 {
		return 0
	}
	return float64(f.Failures) / float64(f.Requests)
}

// String tells the judgement in one line: the server, quoted if its name would do
// something to a terminal; the verdict with its reason, or for who is away where it
// is in its life; and the test of the rule that found it bad, or would have but for
// the gap.
func (j Judgement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: ", printable.Name(j.Server))
	state := stateText(j.State, j.Until)
	switch {
	case j.Reason == Away && j.Rule != NoRule:
		fmt.Fprintf(&b, "probation failed, %s", state)
	case j.Reason == Away:
		fmt.Fprintf(&b, "%v (%s)", j.Verdict, state)
	case j.Reason != None:
		fmt.Fprintf(&b, "%v (%v)", j.Verdict, j.Reason)
	case j.Verdict == Eject:
		fmt.Fprintf(&b, "%v until %s", j.Verdict, j.Until.Format(time.RFC3339))
	default:
		fmt.Fprint(&b, j.Verdict)
	}
	tells := func(t Test) bool {
		if j.Rule == NoRule {
			return j.Reason == SmallGap && t.Reason == SmallGap
		}
		return t.Rule == j.Rule
	}
	if i := slices.IndexFunc(j.Tests, tells); i >= 0 {
		fmt.Fprintf(&b, ", %v", j.Tests[i])
	}
	return b.String()
}
