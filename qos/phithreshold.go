package qos

import (
	"math"
	"time"
)

// PhiThreshold returns the threshold Φ at which a calibrated φ detector makes
// one mistake in the time recurrence, T_MR, over all of the given number of
// monitored pairs, M, each of which sends a heartbeat every interval η:
//
//	Φ = log10(M T_MR / η)
//
// since a heartbeat is a mistake with probability 10^−Φ, so that E(T_MR) of one
// pair is η 10^Φ. It has no unit. No law is calibrated far out: measure what a
// threshold really gives by replay.
//
// The recurrence must be above interval/pairs, which asks for more than Φ = 0.
func PhiThreshold(pairs int, recurrence, interval time.Duration) (float64, error) {
	if err := demand(pairs > 0, "pairs", pairs, "a number above 0"); err != nil {
		return 0, err
	}
	if err := demandPeriod("interval", interval); err != nil {
		return 0, err
	}
	// A quotient of durations, so that equal ones give exactly 1.
	heartbeats := float64(pairs) * (float64(recurrence) / float64(interval))
	if err := demand(heartbeats > 1, "recurrence", recurrence, "a duration above %v, the interval divided by the pairs",
		interval/time.Duration(pairs)); err != nil {
		return 0, err
	}
	return math.Log10(heartbeats), nil
}
