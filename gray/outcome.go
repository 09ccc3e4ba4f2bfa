package gray

// An Outcome is how an attempt ended, as its client saw it.
type Outcome uint8

const (
	// OK is a right answer. Its latency is a sample.
	OK Outcome = iota

	// Error is an answer that says that the server failed, such as a 500. Its
	// latency is no sample: a fast failure is not fast work.
	Error

	// Unreachable is a server that did not answer at all, or for which a
	// gateway answered: a refused connection, 502, 503. Envoy calls it a
	// gateway failure. Its latency is no sample.
	Unreachable

	// Timeout is an attempt given up for its time. It is a failure, and its
	// latency is a lower bound.
	Timeout

	// Invalid is an answer that came but was wrong. It is a failure, and its
	// latency is no sample.
	Invalid

	// Overload is an answer that refuses work for the load, such as a 429. It
	// is neither success nor failure: to eject a server for it would move its
	// load to the next one. Its latency is no sample.
	Overload

	// Cancelled is an attempt given up for a reason that is not its server's.
	// It is neither success nor failure, and its latency is a lower bound.
	Cancelled

	// HedgedAway is an attempt that lost against a second one to another
	// server. It is neither success nor failure, and its latency is a lower
	// bound: without it, hedging would hide the very server it works around.
	HedgedAway

	outcomes = iota
)

var outcomeNames = [outcomes]string{"ok", "error", "unreachable", "timeout", "invalid", "overload", "cancelled", "hedged away"}

// String returns the name of the outcome.
func (o Outcome) String() string { return nameOf(outcomeNames[:], int(o), "Outcome") }

// failed reports whether the server is to blame.
func (o Outcome) failed() bool { return o == Error || o == Unreachable || o == Timeout || o == Invalid }

// gateway reports whether Envoy would call it a gateway failure.
func (o Outcome) gateway() bool { return o == Unreachable || o == Timeout }

// bounds reports whether the latency is a lower bound.
func (o Outcome) bounds() bool { return o == Timeout || o == Cancelled || o == HedgedAway }
