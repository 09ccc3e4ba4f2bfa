package qos

import (
	"fmt"
	"math"
	"time"
)

// Metrics are the quality-of-service metrics of Chen, Toueg and Aguilera for a
// process that was alive all the while. The output of a detector is "trust" or
// "suspect"; an S-transition is the change to "suspect", a T-transition that to
// "trust".
//
// Their Theorem 1 relates them for a detector that is observed for ever:
//
//	T_G = T_MR − T_M
//	λ_M = 1 / E(T_MR)
//	P_A = E(T_G) / E(T_MR) = 1 − E(T_M) / E(T_MR)
//	E(T_FG) = (1 + V(T_G)/E(T_G)²) · E(T_G)/2
//
// Observation begins and ends somewhere, so some periods are seen in part only.
// MistakeRate and QueryAccuracy take in all that was seen. The means of T_MR,
// T_M and T_G are over those periods that were seen from their first to their
// last instant: with n mistakes that is n − 1 recurrences, n or n − 1 durations,
// and n − 1 good periods. So the first relation holds for each period, the last
// one exactly, and the two in the middle up to what lies before the first mistake
// and after the last, a relative error of the order of 1/n.
type Metrics struct {
	// Observed is how long the detector was observed, in seconds.
	Observed float64

	// Mistakes is the number of S-transitions. A period of suspicion that
	// had begun before the observation is not among them.
	Mistakes int

	// MistakeRate is λ_M, the average mistake rate: Mistakes / Observed, in
	// mistakes per second. NaN if Observed is 0.
	MistakeRate float64

	// MistakeRecurrence is T_MR, the mistake recurrence time: from one
	// S-transition to the next. Its Count is 0, and its mean unknown, with
	// fewer than two mistakes.
	MistakeRecurrence Moments

	// MistakeDuration is T_M, the mistake duration: from an S-transition to
	// the next T-transition. Its Count is 0, and its mean unknown, if no
	// mistake has come to its end.
	MistakeDuration Moments

	// QueryAccuracy is P_A, the query accuracy probability: the share of the
	// time observed in which the detector trusted the process, from 0 to 1.
	// Without mistakes it is 1. NaN if Observed is 0.
	QueryAccuracy float64

	// GoodPeriod is T_G, the good period duration: from a T-transition to
	// the next S-transition. Its Count is 0, and its mean unknown, with
	// fewer than two mistakes.
	GoodPeriod Moments

	// ForwardGoodPeriod is E(T_FG), the mean forward good period duration in
	// seconds: from a random instant of trust, in a good period that was seen
	// as a whole, to the next S-transition. It is E(T_G²) / (2 E(T_G)), never
	// below E(T_G)/2 because a random instant falls more often into a long
	// period. It is 0 if all good periods have length 0, and NaN with fewer
	// than two mistakes.
	ForwardGoodPeriod float64
}

// A Meter computes [Metrics] from the transitions of a detector, in O(1) each
// and in constant memory. The zero value is ready. A Meter is not safe for
// concurrent use.
//
//	m.Begin(start, false)       // observation begins, the process is trusted
//	m.Transition(at, true)      // now it is suspected
//	m.Transition(later, false)  // and trusted again
//	m.End(end)
//	m.Metrics()
type Meter struct {
	on        bool
	suspected bool
	now       time.Time // of the last call

	trusted time.Time // the last T-transition seen, zero if none
	suspect time.Time // the last S-transition seen, zero if none

	mistakes                         int
	observed, good                   float64 // seconds
	recurrence, duration, goodPeriod running
}

// Begin starts an observation in which the detector suspects the process, or
// trusts it, from the start. There may be several, one after the other: what
// they saw is added up, and no period reaches from one into the next.
func (m *Meter) Begin(at time.Time, suspected bool) error {
	if m.on {
		return fmt.Errorf("qos: Begin at %v, want the observation before to End first", at)
	}
	if at.Before(m.now) {
		return backwards(at, m.now)
	}
	m.on, m.suspected, m.now = true, suspected, at
	m.trusted, m.suspect = time.Time{}, time.Time{}
	return nil
}

// Transition records that the detector began to suspect the process, or to
// trust it. If it did so already, nothing changes.
func (m *Meter) Transition(at time.Time, suspected bool) error {
	if err := m.pass(at); err != nil || m.suspected == suspected {
		return err
	}
	m.suspected = suspected
	if suspected {
		m.mistakes++
		addSince(&m.goodPeriod, m.trusted, at)
		addSince(&m.recurrence, m.suspect, at)
		m.suspect = at
		return nil
	}
	addSince(&m.duration, m.suspect, at)
	m.trusted = at
	return nil
}

// End ends the observation.
func (m *Meter) End(at time.Time) error {
	if err := m.pass(at); err != nil {
		return err
	}
	m.on = false
	return nil
}

// pass counts the time up to at.
func (m *Meter) pass(at time.Time) error {
	if !m.on {
		return fmt.Errorf("qos: observation at %v, want Begin first", at)
	}
	if at.Before(m.now) {
		return backwards(at, m.now)
	}
	elapsed := at.Sub(m.now).Seconds()
	m.observed += elapsed
	if !m.suspected {
		m.good += elapsed
	}
	m.now = at
	return nil
}

func backwards(at, last time.Time) error {
	return fmt.Errorf("qos: instant is %v, want one not before the last, %v", at, last)
}

// addSince adds the time since start, unless the start was not seen.
func addSince(r *running, start, at time.Time) {
	if !start.IsZero() {
		r.add(at.Sub(start).Seconds())
	}
}

// Metrics returns the metrics of all that was observed so far, up to the last call.
func (m *Meter) Metrics() Metrics {
	q := Metrics{
		Observed:          m.observed,
		Mistakes:          m.mistakes,
		MistakeRate:       math.NaN(),
		MistakeRecurrence: m.recurrence.moments(),
		MistakeDuration:   m.duration.moments(),
		QueryAccuracy:     math.NaN(),
		GoodPeriod:        m.goodPeriod.moments(),
		ForwardGoodPeriod: math.NaN(),
	}
	if m.observed > 0 {
		q.MistakeRate = float64(m.mistakes) / m.observed
		q.QueryAccuracy = m.good / m.observed
	}
	if g := q.GoodPeriod; g.Mean > 0 {
		ratio := g.StdDev / g.Mean
		q.ForwardGoodPeriod = (1 + ratio*ratio) * g.Mean / 2
	} else if g.Count > 0 {
		q.ForwardGoodPeriod = 0
	}
	return q
}
