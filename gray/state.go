package gray

import (
	"fmt"
	"time"

	"example.com/liveness/internal/printable"
)

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

// away reports whether a server gets no requests but probes.
func (s State) away() bool { return s == Ejected || s == Probation }

func stateText(s State, until time.Time) string {
	if s == Ejected {
		return "ejected until " + until.Format(time.RFC3339)
	}
	return s.String()
}

// A Change is a step of a server from one state of its life to another: whoever
// applies all of them is in step with the Monitor. A server that was added is
// Active without a change, and one that is removed has no more of them, whatever
// it was.
type Change struct {
	Server string

	// From is the state after the last Advance. It is Ejected, as To is, for one
	// that an operator restored since and that is ejected again.
	From, To State

	Rule  Rule      // that found it bad, if To is Ejected; if From is Probation, among its few requests
	Until time.Time // the end of the ejection, if To is Ejected
}

// String tells the change in a few words.
func (c Change) String() string {
	text := fmt.Sprintf("%s: %v → %s", printable.Name(c.Server), c.From, stateText(c.To, c.Until))
	if c.Rule != NoRule {
		text += fmt.Sprintf(" (%v)", c.Rule)
	}
	return text
}
