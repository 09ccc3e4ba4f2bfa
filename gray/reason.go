package gray

// A Reason is why a server was not ejected, or not judged, or with Keep what there
// is to say all the same.
type Reason uint8

const (
	None        Reason = iota
	FewRequests        // too few of them in the interval
	FewPeers           // too few others with enough requests, or most of their figures are lower bounds; with Keep, other rules could judge
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
	"none", "few requests", "few comparable peers", "small gap", "persistence", "cap", "guard open", "small group", "shadow",
	"path", "client", "away", "early", "late",
}

// String returns the reason in words.
func (r Reason) String() string { return nameOf(reasonNames[:], int(r), "Reason") }
