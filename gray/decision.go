package gray

import (
	"fmt"
	"strings"
	"time"
)

// A Verdict is what is to be done with a server.
type Verdict uint8

const (
	// NotEvaluated means that there was not enough to judge by. It is neither
	// good nor bad.
	NotEvaluated Verdict = iota
	// Keep means that at least one rule could judge the server and none found it
	// bad. Tests has those that could not: with fewer than MinPeers peers all that
	// compare with them.
	Keep
	// Suppressed means that the server was found bad and is kept all the same, for Reason.
	Suppressed
	// Eject means that the server is to be taken out now. It is said once.
	Eject
)

var verdictNames = [...]string{"not evaluated", "keep", "suppressed", "eject"}

// String returns the verdict in words.
func (v Verdict) String() string { return nameOf(verdictNames[:], int(v), "Verdict") }

// A Reason is why a server was not ejected, or not judged.
type Reason uint8

const (
	None        Reason = iota
	FewRequests        // too few of them in the interval
	FewPeers           // too few others with enough requests, or too many of which only lower bounds are known
	SmallGap           // beyond the ratio, but not by the absolute gap
	Persistence        // found bad in this interval, but not yet in enough of them
	CapReached         // more are unhealthy than the cap allows
	GuardOpen          // they were until lately: the guard has not closed again
	GroupSmall         // the cap allows nobody in a group of this size
	Shadowed           // it would have been ejected, but this is a shadow
	PathFault          // single paths to it are slow, it is not
	ClientFault        // a client is slow to all servers, and calls this one more than others
	Away               // it is ejected, or on probation
	Early              // the interval is not over
	Late               // the interval took far too long, or the clock was set back: the observer doubts itself
	reasons     = iota
)

var reasonNames = [reasons]string{
	"", "few requests", "few peers", "small gap", "persistence", "cap", "guard open", "small group", "shadow",
	"path", "client", "away", "early", "late",
}

// String returns the reason in words.
func (r Reason) String() string { return nameOf(reasonNames[:], int(r), "Reason") }

// A Rule is a test that finds servers bad.
type Rule uint8

const (
	NoRule       Rule = iota
	SlowTail          // the p99 latency, against the peers
	SlowMedian        // the median latency, against the peers
	MoreErrors        // the share of failures, against the peers
	ManyErrors        // the share of failures, against a fixed one
	Consecutive       // failures in a row
	SuccessRate       // Envoy: mean less some standard deviations
	FailurePart       // Envoy: failure percentage
	AllFailures       // Envoy: consecutive 5xx
	GatewayFails      // Envoy: consecutive gateway failures
	rules        = iota
)

var ruleNames = [rules]string{
	"", "slow tail", "slow median", "more errors", "many errors", "consecutive failures",
	"success rate", "failure percentage", "consecutive 5xx", "consecutive gateway failures",
}

// String returns the name of the rule.
func (r Rule) String() string { return nameOf(ruleNames[:], int(r), "Rule") }

// A State is where a server is in its life.
type State uint8

const (
	Active    State = iota
	Ejected         // it gets no requests
	Probation       // its time is over, it gets a few requests to show that it is well
	SlowStart       // it gets a growing share of its requests
)

var stateNames = [...]string{"active", "ejected", "probation", "slow start"}

// String returns the state in words.
func (s State) String() string { return nameOf(stateNames[:], int(s), "State") }

func nameOf(names []string, i int, kind string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// A Test is one rule applied to one server, with every number that led to its
// result. Latencies are in seconds, shares and rates from 0 to 1; all are finite.
type Test struct {
	Rule      Rule
	Value     float64
	AtLeast   bool    // Value is a lower bound: the rest was cut off
	Peers     int     // how many others it was compared with
	Median    float64 // of the others; for Envoy's success rate the mean of all
	Threshold float64 // to exceed; to reach for ManyErrors and failures in a row; to fall below for SuccessRate
	Samples   int     // in the interval
	Needed    int     // samples it takes
	Hits      int     // intervals of the last Of in which it was found bad, this one included
	Of        int
	Outlier   bool   // found bad in this interval
	Found     bool   // and in enough of them
	Reason    Reason // why it was not judged: FewRequests, FewPeers
}

// A Judgement is the verdict on one server.
type Judgement struct {
	Server  string
	Verdict Verdict
	Reason  Reason
	Rule    Rule // that found it bad, the most telling first
	State   State
	Until   time.Time // the end of the ejection, if State is Ejected or Verdict is Eject
	Times   int       // ejections that count for the length of the next, this one included
	Tests   []Test
	Figures Figures
}

// Figures are what clients saw of one server in the interval.
type Figures struct {
	Requests  int // successes and failures
	Failures  int
	Latencies int // samples: complete answers, and lower bounds that tell something
	Median    time.Duration
	P99       time.Duration // or the configured quantile
	Masked    int           // attempts that lost against a hedge: failures that nobody felt
	Overloads int
}

// Group is how the group itself is doing.
type Group struct {
	Degraded bool
	Judged   int           // servers with enough requests
	Median   time.Duration // the median of their medians
	P99      time.Duration // the median of their p99s
	Failures float64       // the median of their shares of failures
	Limit    time.Duration // for P99; 0 if there is none
	Usual    time.Duration // what Median usually is; 0 while that is not known
	Hits, Of int
}

// A Decision is the outcome of one evaluation. The same records and the same
// instants give the same Decision, down to the order of its servers.
type Decision struct {
	At      time.Time
	Closed  bool        // the interval was over and was judged
	Reason  Reason      // Early or Late if it was not judged
	Servers []Judgement // the worst first, then by name
	Group   Group
	Guard   Ruling
}

// Ejections returns the servers to be taken out now because a rule found them bad.
// One that fails its probation is ejected again without a verdict, and one that
// returns has none: to keep a load balancer in step, compare Judgement.State with
// the last one, or ask Admit or Weight.
func (d Decision) Ejections() []string {
	var names []string
	for _, j := range d.Servers {
		if j.Verdict == Eject {
			names = append(names, j.Server)
		}
	}
	return names
}

// Of returns the judgement on a server, and whether there is one.
func (d Decision) Of(server string) (Judgement, bool) {
	for _, j := range d.Servers {
		if j.Server == server {
			return j, true
		}
	}
	return Judgement{}, false
}

// String tells the judgement in one line, with the numbers of the rule that
// decided, or of the first.
func (j Judgement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %v", j.Server, j.Verdict)
	if j.Reason != None {
		fmt.Fprintf(&b, " (%v)", j.Reason)
	}
	for _, t := range j.Tests {
		if t.Rule == j.Rule {
			fmt.Fprintf(&b, ", %v", t)
			break
		}
	}
	return b.String()
}

// String tells the test in a few words.
func (t Test) String() string {
	least := ""
	if t.AtLeast {
		least = "at least "
	}
	value := func(x float64) string {
		if t.Rule == SlowTail || t.Rule == SlowMedian {
			return time.Duration(x * 1e9).Round(time.Microsecond).String()
		}
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprintf("%v %s%s against %s of %d peers, threshold %s, %d samples, %d of %d intervals",
		t.Rule, least, value(t.Value), value(t.Median), t.Peers, value(t.Threshold), t.Samples, t.Hits, t.Of)
}
