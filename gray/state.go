package gray

import "time"

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
