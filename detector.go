package liveness

import "time"

// A Detector judges one monitored process from the arrival times of its
// heartbeats. It reports a level of suspicion; what to do at which level is
// for each consumer to decide, so several may share one detector.
//
// A Detector is safe for concurrent use. It never reads the clock: every
// method that depends on time takes it as an argument. See the package
// documentation for which instants are meant.
type Detector interface {
	// Heartbeat records that a heartbeat arrived. A time before the last
	// one counts as arriving with the last one, and teaches nothing.
	Heartbeat(at time.Time)

	// Suspicion returns the level at now: 0 when fresh, never falling until
	// the next heartbeat, and unbounded. It is finite, not NaN, and 0 before
	// the first heartbeat and at any time before the last one.
	Suspicion(now time.Time) float64

	// Deadline returns the first instant, to the nanosecond, at which
	// Suspicion reaches level if no heartbeat arrives: the inverse of
	// Suspicion. It is the last heartbeat for a level of 0 or below, the zero
	// Time before the first heartbeat, and as late as instants can be told
	// apart (292 years) for a level that takes longer, or NaN.
	Deadline(level float64) time.Time

	// Threshold returns the level from which this detector calls the
	// process suspected.
	Threshold() float64
}

// Suspected reports whether d suspects its process at now, that is, whether
// Suspicion has reached Threshold. A process that was never heard is not
// suspected: it is unknown.
//
// For the detectors of this package it costs one comparison with the deadline.
func Suspected(d Detector, now time.Time) bool {
	switch d := d.(type) {
	case *Phi:
		return d.Suspected(now)
	case *FixedTimeout:
		return d.Suspected(now)
	case *Chen:
		return d.Suspected(now)
	}
	return d.Suspicion(now) >= d.Threshold()
}
