package liveness

import "math"

const (
	// burstKeep is what is left of a heartbeat's weight in what is known of
	// bursts after the next one that counts there: the latest 100 say it.
	burstKeep = 1 - 1./burstWindow
	// burstWindow is how many these are.
	burstWindow = 100
	// longestBurst is as many as the memory of bursts can tell apart.
	longestBurst = 1000
)

// losses is what a LossAware knows of how heartbeats go missing: a Markov chain
// of two states, counted with weights that fall with each heartbeat.
type losses struct {
	keep   float64 // what is left of a weight after the next heartbeat
	window uint64  // for how many heartbeats an outage is recent

	arrived, begun  float64 // heartbeats after one that arrived; those of them that went missing
	gone, continued float64 // heartbeats after one that went missing; those of them that did so too
	missing         bool    // the last one went missing

	since   uint64 // heartbeats since the last outage
	outages uint8  // each within a window of the one before, no more than outagesInARow
}

// begins returns the probability that a heartbeat goes missing after one that arrived.
func (l *losses) begins() float64 { return (l.begun + 0.5) / (l.arrived + 1) }

// stays returns the probability that a heartbeat goes missing after one that
// did. It is below 1, by 0.005 at the least.
func (l *losses) stays() float64 { return (l.continued + 0.5) / (l.gone + 1) }

// next notes whether the next heartbeat went missing.
func (l *losses) next(missing bool) {
	lost := 0.0
	if missing {
		lost = 1
	}
	if l.missing {
		l.gone = l.gone*burstKeep + 1
		l.continued = l.continued*burstKeep + lost
	} else {
		l.arrived = l.arrived*l.keep + 1
		l.begun = l.begun*l.keep + lost
	}
	l.missing = missing
	l.since++
}

// learn notes a heartbeat, late by an interval or more if so, and the numbers
// passed over before it, when so many were overdue. The level is that from which
// this is an outage.
func (l *losses) learn(passed uint64, late bool, overdue uint64, level float64) {
	if overdue = max(overdue, passed); overdue > 1 {
		if most := l.most(level); overdue > most {
			if l.missing = false; l.outage() < outagesInARow {
				return
			}
			passed = min(passed, most)
		}
	}
	for range passed {
		l.next(true)
	}
	l.next(late)
}

// most returns how many heartbeats may be overdue before that has the given level.
func (l *losses) most(level float64) uint64 {
	most := 2 + max(level+math.Log10(l.begins()), 0)/-math.Log10(l.stays())
	return uint64(min(most, longestBurst))
}

// outage counts an outage and returns how many there were lately.
func (l *losses) outage() uint8 {
	if l.since > l.window {
		l.outages = 0
	}
	l.since = 0
	l.outages = min(l.outages+1, outagesInARow)
	return l.outages
}
