package gray

import (
	"fmt"
	"time"

	"example.com/liveness/internal/printable"
)

// A Change is a step of a server from one state of its life to another: whoever
// applies all of them is in step with the Monitor. A server that was added is
// Active without a change, and one that is removed has no more of them, whatever
// it was.
//
// On probation a server is to get those requests for which [Monitor.Admit] says yes:
// with none it stays there, and counts as unhealthy, for ever. In slow start Admit
// says how many, or [Monitor.Weight].
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

// change returns the step that the server has taken since the last Advance, and
// whether there is one.
func (v *view) change() (Change, bool) {
	c := Change{Server: v.s.name, From: v.s.told, To: v.life.state}
	if v.life.state == Ejected {
		c.Rule, c.Until = v.j.Rule, v.life.until
	}
	return c, c.From != c.To || v.ejected
}
