package peers

import (
	"fmt"
	"time"
)

// A Kind says what happened.
type Kind uint8

// The kinds of events. Each is about one peer, the first six, or about the
// monitor.
const (
	// Trusted: a peer was heard for the first time, or is no longer
	// suspected.
	Trusted Kind = iota + 1
	// Suspected: the silence of a peer has reached the subscription's
	// threshold, or a peer has not been heard within its first-beat limit.
	Suspected
	// Restarted: a heartbeat came from a new incarnation of a peer. What was
	// learnt of the old one is forgotten.
	Restarted
	// Reset: [Monitor.Reset] was called for a peer. It is unknown again.
	Reset
	// Removed: a peer was removed. It is the last event about it.
	Removed
	// Evict: a peer has been suspected for so long, by the threshold of its
	// own detector, that it may be given up, and the guard has no objection.
	// Every subscription is told, even one with a threshold that the peer has
	// not reached.
	Evict

	// Stalled: the monitor finds that it was stalled itself, for Length, and
	// convicts nobody for it. See [Doubt].
	Stalled
	// Recovered: the monitor has been in time for so long that its score is
	// 0 again.
	Recovered
	// MassFailure: more peers than [Guard].MaxShare are suspected together.
	// This is what to wake somebody for. Evictions are held.
	MassFailure
	// MassFailureOver: there are clearly fewer again.
	MassFailureOver
	// GuardReleased: evictions go on though the mass failure does, for it has
	// lasted for [Guard].MaxHold or [Monitor.Release] was called.
	GuardReleased
	// Lagged: the subscriber is too slow, and Missed events are not in its
	// queue. See [Subscription].
	Lagged
)

var kinds = [...]string{
	Trusted: "trusted", Suspected: "suspected", Restarted: "restarted", Reset: "reset", Removed: "removed", Evict: "evict",
	Stalled: "stalled", Recovered: "recovered", MassFailure: "mass failure", MassFailureOver: "mass failure over",
	GuardReleased: "guard released", Lagged: "lagged",
}

func (k Kind) String() string { return name(kinds[:], int(k), "kind") }

// A Reason says why.
type Reason uint8

const (
	// NoReason: the kind of the event says it all.
	NoReason Reason = iota
	// Silent: no heartbeat came before the deadline.
	Silent
	// NeverHeard: no first heartbeat came before the limit.
	NeverHeard
	// FirstHeartbeat: it was heard for the first time.
	FirstHeartbeat
	// Heard: heartbeats came again.
	Heard
	// LateRound: the round came later than it should.
	LateRound
	// ClockAhead: the wall clock has run ahead of the monotonic one.
	ClockAhead
	// ClockSetBack: the clock has been set back.
	ClockSetBack
	// TimeIsUp: the mass failure has lasted for [Guard].MaxHold.
	TimeIsUp
	// Operator: [Monitor.Release] was called.
	Operator
)

var reasons = [...]string{
	NoReason: "", Silent: "silent", NeverHeard: "never heard", FirstHeartbeat: "first heartbeat", Heard: "heard",
	LateRound: "late round", ClockAhead: "clock ahead", ClockSetBack: "clock set back", TimeIsUp: "time is up", Operator: "operator",
}

func (r Reason) String() string { return name(reasons[:], int(r), "reason") }

func name(names []string, i int, what string) string {
	if i < len(names) && (i > 0 || names[0] == "") && (names[i] != "" || i == 0 && what == "reason") {
		return names[i]
	}
	return fmt.Sprintf("unknown %s: %d", what, i)
}

// An Event is something that a subscriber is told. Fields that its kind does not
// mention are zero.
type Event[K comparable] struct {
	// Number counts the events of a subscription from 1 on, the missed ones
	// included.
	Number uint64

	Kind   Kind
	Reason Reason
	At     time.Time // the instant of the call that brought it about; zero for Lagged

	Key         K      // which peer it is about
	Incarnation uint64 // the peer's

	// Of Suspected and Evict: the level at At, and of Suspected also the
	// instant at which it was due, stretched as the monitor found
	// appropriate.
	Suspicion float64
	Deadline  time.Time

	Length time.Duration // of Stalled: for how long
	Score  int           // of Stalled: the monitor's own health
	Missed uint64        // of Lagged: how many

	// Of MassFailure and the two kinds after it: how many are suspected, of
	// how many that are registered.
	Suspects, Peers int
}

// String returns the event in one line, without its number.
func (e Event[K]) String() string {
	s := e.Kind.String()
	if e.Kind <= Evict {
		s = fmt.Sprintf("%v: %s", e.Key, s)
	}
	if e.Reason != NoReason {
		s += fmt.Sprintf(" (%s)", e.Reason)
	}
	switch e.Kind {
	case Restarted:
		s += fmt.Sprintf(" as %d", e.Incarnation)
	case Stalled:
		s += fmt.Sprintf(" for %v, health score %d", e.Length, e.Score)
	case MassFailure, MassFailureOver, GuardReleased:
		s += fmt.Sprintf(", %d of %d suspected", e.Suspects, e.Peers)
	case Lagged:
		s += fmt.Sprintf(", %d missed", e.Missed)
	}
	return s
}
