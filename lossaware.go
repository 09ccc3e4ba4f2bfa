package liveness

import (
	"math"
	"time"
)

// scheduleWindow is the number of arrivals EA is estimated from. Few, because
// senders are less steady than networks: their periods wander and skip.
const scheduleWindow = 8

// LossAware is a φ detector for senders with a known period η whose heartbeats
// carry sequence numbers. Where a [Phi] judges the time since the last heartbeat,
// it judges the heartbeats that are due: its level is
//
//	φ(now) = −log10 P(no heartbeat after the last has arrived by now)
//
// given that none had at the last one's arrival. At the last heartbeat, of
// number l, and before, it is exactly 0. It has no unit; 3 means one mistake in a
// thousand heartbeats.
//
// Heartbeat l + j either arrives later than EA + (j − 1) η, with EA as for a
// [Chen], by a lateness X, or goes missing: it is lost, or late by η or more.
// Losses come in bursts, as in Gilbert's model: with the probability p a
// heartbeat goes missing after one that arrived, and with r after one that went
// missing. So from (a, b) = (1, 0) on, for each j in turn that is due, or will be
// within η,
//
//	(a, b) = ((a (1 − p) + b (1 − r)) · P(X > now − EA − (j − 1) η),  a p + b r)
//	φ₀(now) = −log10(a + b)
//	φ(now)  = φ₀(now) − φ₀(last)
//
// where P(X > x) is 1 below −η and 0 from η on. The first heartbeat that does not
// come thus adds about −log10 p to φ, and each further one −log10 r.
//
// What is known of losses is
//
//	p = (bursts that began   + ½) / (heartbeats after one that arrived      + 1)
//	r = (bursts that went on + ½) / (heartbeats after one that went missing + 1)
//
// with weights that fall by 1/WindowSize for p, and by 1/100 for r, with each
// heartbeat that counts there. So without a loss in n heartbeats p is about
// 1/(2n) and r is ½: what is rarer than the window can show is not promised, and
// a higher φ takes more heartbeats that do not come.
//
// With m, σ and least the mean, the standard deviation and the least of the
// latest WindowSize latenesses in seconds, EA being estimated from the latest 8
// arrivals,
//
//	X = m − M + Y,  M = max(m − least, MinStdDev)
//	Y is LogNormal with mean M and standard deviation max(σ, MinStdDev)
//
// # How true it is
//
// On simulated links that lose 1 to 10 % of the heartbeats, alone or in bursts
// of five in the mean, a φ of 1, 2 or 3 was reached by live processes 0.8 to 1.4
// times as often as promised, and on two recorded mobile links 0.7 to 3.3 times.
// Of a Gaussian Phi without a floor it was 0.1 to 15 times, and up to 27.
// At equal mistakes it detects as late as a Chen, or the best constant timeout:
// what it gives is a level that means what it says.
//
// # What a heartbeat teaches
//
//   - Which numbers are old, repeated or absurd, and what a heartbeat without a
//     number counts for, is described at [Chen].
//   - A lateness of η or more, or of −η or less, is no lateness but a shift: EA
//     starts again with that arrival. The first kind counts as missing.
//   - Numbers passed over are heartbeats gone missing.
//   - A silence with more heartbeats due than the level 8 waits for, or Threshold
//     if that is higher, or 1000, is an outage, and says nothing of how losses
//     come: it is what suspicion is for. From the third outage on, each within
//     WindowSize heartbeats of the one before, it counts, but for no more
//     heartbeats than that.
//   - A clock set back is believed at the second heartbeat in a row that lies
//     further back than η.
//
// # How exact must the interval be
//
// EA lags by 4.5 times what η is wrong by. That is learnt as lateness, and the
// detection of the second heartbeat in a row that does not come is early or late
// by the error of η. Where the lag comes to η, at a period 22 % off, EA starts
// again all the time, and φ means little.
//
// A LossAware is safe for concurrent use. A heartbeat and a query cost O(1),
// amortised, and allocate nothing; an outage costs O(1000) at most. It starts no
// goroutine and no timer. It must be made by [NewLossAware]; the zero value
// panics at its first heartbeat.
type LossAware struct {
	// sequence keeps numbers and schedule, with a margin of 0: what is η away
	// is a shift. Its freshness point serves nobody.
	sequence

	threshold float64
	minStdDev float64 // seconds

	alarm dueTime // the deadline of threshold as an offset; unknownDue when it has to be computed

	// What follows is protected by mu.
	late     Window  // how far arrivals were behind EA
	least    minimum // of late
	losses   losses
	fitted   bool    // law and before are those of the last heartbeat
	law      silence // of the present heartbeats
	before   float64 // φ₀ at the last heartbeat
	deadline time.Time
}

// Heartbeat records the arrival of a heartbeat that carries no sequence number:
// see [Chen.Heartbeat]. Use [LossAware.HeartbeatSeq] where there are numbers.
func (d *LossAware) Heartbeat(at time.Time) {
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	if seq, ok := d.number(off); ok {
		d.take(seq, at, off)
	} else if d.rewind(at, off) {
		d.forget()
	}
}

// HeartbeatSeq records the arrival of the heartbeat with the given sequence
// number, which the sender raises by one for each heartbeat it sends. See
// [Chen] for which ones are ignored.
func (d *LossAware) HeartbeatSeq(seq uint64, at time.Time) {
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isNew(seq, off) {
		d.take(seq, at, off)
	}
}

// take takes in a heartbeat that is not old. It requires mu.
func (d *LossAware) take(seq uint64, at time.Time, off int64) {
	if d.minStdDev == 0 {
		panic("liveness: LossAware not made by NewLossAware")
	}
	if d.arrival.count > 0 {
		d.learn(seq-d.highest-1, off)
	}
	d.sequence.take(seq, at, off)
	d.forget()
}

// learn learns from a heartbeat that comes after passed others that did not. It
// requires mu.
func (d *LossAware) learn(passed uint64, off int64) {
	waited := minus(off, d.expected)
	overdue := max(waited, -d.interval)/d.interval + 1
	late := int64(math.MinInt64) // where the numbers are beyond reach
	if passed <= uint64(never/d.interval) && off >= d.arrival.off {
		late = minus(waited, int64(passed)*d.interval)
	}
	d.losses.learn(passed, late >= d.interval, uint64(overdue), max(d.threshold, outageLevel))
	if -d.interval < late && late < d.interval {
		d.least.add(&d.late, time.Duration(late))
		d.late.Add(time.Duration(late))
	}
}

// forget drops what is known of the silence after the heartbeat before. It requires mu.
func (d *LossAware) forget() {
	d.fitted = false
	d.alarm.forget()
}

// fit prepares the law of the present silence. It requires mu and a heartbeat.
func (d *LossAware) fit() {
	if d.fitted {
		return
	}
	var mean, variance, least float64
	if n := d.late.Len(); n > 0 {
		mean, variance = d.late.sums.Moments(n, nanos)
		least = float64(d.least.of(&d.late)) / nanos
	}
	beyond := max(mean-least, d.minStdDev)
	d.law = silence{
		interval: d.interval,
		begins:   d.losses.begins(),
		stays:    d.losses.stays(),
		origin:   mean - beyond,
		beyond:   fitLogNormal(beyond, max(math.Sqrt(variance), d.minStdDev)),
	}
	d.law.fit()
	d.before = d.law.phi(minus(d.arrival.off, d.expected))
	d.fitted = true
}

// level returns φ after a silence of elapsed nanoseconds. It requires mu and fit.
func (d *LossAware) level(elapsed int64) float64 {
	if elapsed <= 0 {
		return 0
	}
	return max(d.law.phi(minus(plus(d.arrival.off, elapsed), d.expected))-d.before, 0)
}

// Suspicion returns φ at now. See [LossAware] for the formula.
func (d *LossAware) Suspicion(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrival.count == 0 {
		return 0
	}
	d.fit()
	return d.level(minus(off, d.arrival.off))
}

// Deadline returns the first instant at which φ reaches level if no heartbeat
// arrives. It agrees with [LossAware.Suspicion] to the nanosecond: the level is
// reached at that instant and not one nanosecond earlier.
func (d *LossAware) Deadline(level float64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.arrival.count == 0:
		return time.Time{}
	case level == d.threshold:
		deadline, _ := d.settle()
		return deadline
	}
	return d.arrival.after(d.reach(level))
}

// settle returns the threshold's deadline, also as an offset. It requires mu and
// a heartbeat.
func (d *LossAware) settle() (deadline time.Time, due int64) {
	if due = d.alarm.load(); due == unknownDue {
		wait := d.reach(d.threshold)
		d.deadline, due = d.arrival.after(wait), plus(d.arrival.off, wait)
		d.alarm.store(due)
	}
	return d.deadline, due
}

// reach returns the smallest silence, in nanoseconds, at which φ is at least
// level, never if there is none. It requires mu and a heartbeat.
func (d *LossAware) reach(level float64) int64 {
	if level <= 0 {
		return 0
	}
	d.fit()
	target := level + d.before
	about := toNanoseconds(d.law.reach(target))
	about = toNanoseconds(d.law.reach(max(2*target-d.law.phi(about), 0))) // saves most of the search
	guess := minus(plus(d.expected, about), d.arrival.off)
	return first(guess, func(elapsed int64) bool { return d.level(elapsed) >= level })
}

// Suspected reports whether φ has reached the threshold at now. Between two
// heartbeats it takes no lock and costs one comparison; the first call after a
// heartbeat computes the deadline.
func (d *LossAware) Suspected(now time.Time) bool {
	due := d.alarm.load()
	if due == unknownDue {
		d.mu.Lock()
		_, due = d.settle()
		d.mu.Unlock()
	}
	return isDue(due, now)
}

// Threshold returns the φ from which the process is suspected.
func (d *LossAware) Threshold() float64 { return d.threshold }

// Losses returns what is known of losses: the probability p that a heartbeat
// goes missing after one that arrived, and r after one that did not.
func (d *LossAware) Losses() (p, r float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.losses.begins(), d.losses.stays()
}
