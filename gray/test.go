package gray

import (
	"fmt"
	"math"
	"strings"
)

// A Test is one rule applied to one server, with every number that led to its
// result. Latencies are in seconds, to within 1/16 as in [Figures], shares and
// rates from 0 to 1; all are finite.
type Test struct {
	Rule      Rule
	Value     float64
	AtLeast   bool    // Value is a lower bound: the rest was cut off
	Peers     int     // how many others had enough samples; 0 if the rule needs none
	Median    float64 // of the others; for Envoy's success rate the mean of all
	Threshold float64 // to exceed; to reach for ManyErrors and failures in a row; to fall below for SuccessRate
	Samples   int     // in the interval
	Needed    int     // samples it takes

	// It was found bad in Hits of the last Of intervals, this one included, of
	// which it takes HitsNeeded.
	Hits, HitsNeeded, Of int

	Outlier bool   // found bad in this interval; on probation also because most of the few requests lost against hedges
	Found   bool   // and in enough of them
	Reason  Reason // why it was not judged: FewRequests, FewPeers; or why it is no outlier: SmallGap, PathFault, ClientFault
}

// runTest returns the test of a run of failures.
func runTest(rule Rule, run, limit int, reached bool) Test {
	t := Test{Rule: rule, Value: float64(run), Threshold: float64(limit), Samples: run, Needed: limit, Outlier: reached}
	if !reached {
		t.Reason = FewRequests // a short run is no evidence of health
	}
	return t
}

// decideAtOnce makes the interval alone decide.
func (t *Test) decideAtOnce() {
	t.Found, t.Hits, t.HitsNeeded, t.Of = t.Outlier, oneIf(t.Outlier), 1, 1
}

// String tells the test in a few words: latencies with the two digits that are
// known of them, shares in percent, and in how many intervals it was bad if one is
// not enough.
func (t Test) String() string {
	value := func(x float64) string {
		switch {
		case t.Rule.comparesLatency():
			return span(x)
		case t.Rule.counts():
			return fmt.Sprint(x)
		}
		return percent(x)
	}
	if t.Reason == FewRequests && !t.Rule.counts() {
		return fmt.Sprintf("%v not judged, %d of %d samples", t.Rule, t.Samples, t.Needed)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v ", t.Rule)
	if t.AtLeast {
		b.WriteString("at least ")
	}
	b.WriteString(value(t.Value))
	switch {
	case t.Reason == FewPeers:
		b.WriteString(" not compared (few comparable peers)")
		return b.String()
	case t.Rule == SuccessRate:
		fmt.Fprintf(&b, " against %s, the mean", value(t.Median))
	case t.Peers > 0 && t.Rule != FailurePart:
		fmt.Fprintf(&b, " against %s, the median of %s", value(t.Median), plural(t.Peers, "peer"))
	}
	fmt.Fprintf(&b, ", threshold %s", value(t.Threshold))
	if !t.Rule.counts() {
		fmt.Fprintf(&b, ", %s", plural(t.Samples, "sample"))
	}
	if t.Outlier && t.AtLeast && t.Value <= t.Threshold { // see slowProbes
		b.WriteString(", most lost against hedges")
	}
	if t.Of > 1 {
		fmt.Fprintf(&b, ", bad in %d of the last %d intervals, %d needed", t.Hits, t.Of, t.HitsNeeded)
	}
	return b.String()
}

// worth returns how many times the value is beyond the threshold.
func (t Test) worth() float64 {
	bad, limit := t.Value, t.Threshold
	if t.Rule == SuccessRate {
		bad, limit = limit, bad
	}
	if limit <= 0 {
		return math.MaxFloat64
	}
	return min(bad/limit, math.MaxFloat64)
}
