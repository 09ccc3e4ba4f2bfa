package gray

// A Verdict is what is to be done with a server.
type Verdict uint8

const (
	// NotEvaluated means that there was not enough to judge by. It is neither
	// good nor bad.
	NotEvaluated Verdict = iota
	// Keep means that at least one rule could judge the server and none found it
	// bad. Its Reason is None, SmallGap, or FewPeers.
	Keep
	// Suppressed means that the server was found bad and is kept all the same, for Reason.
	Suppressed
	// Eject means that the server is to be taken out now. It is said once.
	Eject
)

var verdictNames = [...]string{"not evaluated", "keep", "suppressed", "eject"}

// String returns the verdict in words.
func (v Verdict) String() string { return nameOf(verdictNames[:], int(v), "Verdict") }

// A Reason is why a server was not ejected, or not judged, or with Keep what there
// is to say all the same.
type Reason uint8

const (
	None        Reason = iota
	FewRequests        // too few of them in the interval
	FewPeers           // too few others with enough requests, or too many of which only lower bounds are known; with Keep: only by some of the rules could it be judged
	SmallGap           // beyond the ratio, but not by the absolute gap
	Persistence        // found bad in this interval, but not yet in enough of them
	CapReached         // more are unhealthy than the cap allows
	GuardOpen          // they were until lately: the guard has not closed again
	GroupSmall         // the cap allows nobody in a group of this size
	Shadowed           // it would have been ejected, but this is a shadow
	PathFault          // single paths to it are slow, it is not
	ClientFault        // a client is slow to all servers, and calls this one more than others
	Away               // it is ejected, or on probation, or has come back just now
	Early              // the interval is not over
	Late               // the interval took far too long, or the clock was set back: the observer doubts itself
	reasons     = iota
)

var reasonNames = [reasons]string{
	"none", "few requests", "few peers", "small gap", "persistence", "cap", "guard open", "small group", "shadow",
	"path", "client", "away", "early", "late",
}

// String returns the reason in words.
func (r Reason) String() string { return nameOf(reasonNames[:], int(r), "Reason") }
