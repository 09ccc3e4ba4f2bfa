package gray

// A Verdict is what is to be done with a server.
type Verdict uint8

const (
	// NotEvaluated means that there was not enough to judge by. It is neither
	// good nor bad.
	NotEvaluated Verdict = iota
	// Keep means that at least one rule could judge the server and none found it
	// bad. Its Reason is SmallGap if one would have but for the gap, else FewPeers
	// if one that compares with peers could not for want of them, else None.
	Keep
	// Suppressed means that the server was found bad and is kept all the same, for Reason.
	Suppressed
	// Eject means that the server is to be taken out now. It is said once.
	Eject
)

var verdictNames = [...]string{"not evaluated", "keep", "suppressed", "eject"}

// String returns the verdict in words.
func (v Verdict) String() string { return nameOf(verdictNames[:], int(v), "Verdict") }
