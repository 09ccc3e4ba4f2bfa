package liveness

import "time"

// A Detector judges one monitored process from the arrival times of its
// heartbeats. It reports a level of suspicion; what to do at which level is
// for each consumer to decide, so several may share one detector. Levels have
// the scale of their detector: only Threshold means the same for all.
//
// A Detector is safe for concurrent use. It never reads the clock: every
// method that depends on time takes it as an argument. See the package
// documentation for which instants are meant.
type Detector interface {
	// Heartbeat records that a heartbeat arrived. A time before the last one
	// counts as arriving with the last one, and teaches nothing: it was
	// delivered out of order. The exception is the second such time in a row
	// that lies further back than the detector waits for a heartbeat: then
	// the clock was set back, and that time is the last heartbeat.
	Heartbeat(at time.Time)

	// Suspicion returns the level at now. It is 0 when fresh, never falls
	// until the next heartbeat, and exceeds any bound in time. It is always
	// finite and not NaN, and 0 before the first heartbeat and up to the last.
	Suspicion(now time.Time) float64

	// Deadline returns the first instant, to the nanosecond, at which
	// Suspicion reaches level if no heartbeat arrives: the inverse of
	// Suspicion. It has the location of the last heartbeat, and a monotonic
	// reading if that has one.
	//
	// It is the last heartbeat for a level of 0 or below, and about 292 years
	// off for a level that takes longer, or NaN. Before the first heartbeat
	// it is the zero Time: ask IsZero before you set a timer.
	Deadline(level float64) time.Time

	// Threshold returns the level from which this detector calls the
	// process suspected.
	Threshold() float64
}

// Suspected reports whether d suspects its process at now, that is, whether
// Suspicion has reached Threshold. A process that was never heard is not
// suspected: it is unknown. To have it suspected too, record a heartbeat when
// you begin to expect it.
//
// For the detectors of this package it costs one comparison with the deadline,
// which a Phi computes when it is first asked after a heartbeat.
func Suspected(d Detector, now time.Time) bool {
	switch d := d.(type) {
	case *Phi:
		return d.Suspected(now)
	case *FixedTimeout:
		return d.Suspected(now)
	case *Chen:
		return d.Suspected(now)
	case *Bertier:
		return d.Suspected(now)
	case *TwoWindow:
		return d.Suspected(now)
	case *RTO:
		return d.Suspected(now)
	case *Quantile:
		return d.Suspected(now)
	case *Satzger:
		return d.Suspected(now)
	case *LossAware:
		return d.Suspected(now)
	}
	return d.Suspicion(now) >= d.Threshold()
}
