package liveness

import (
	"math"
	"sync"
	"time"
)

// Phi is the φ accrual detector of Hayashibara et al. (SRDS 2004). Its level is
//
//	φ(now) = −log10 P(X + AcceptablePause > now − last)
//
// with X the gap between two heartbeats, of the configured [Distribution]
// fitted to the mean and the standard deviation of the latest gaps, and last
// the arrival of the last heartbeat. It has no unit; 3 means that one
// heartbeat in a thousand is later than this, as far as the law is right.
// At last itself and before, the level is exactly 0.
//
// # What a gap teaches
//
// A gap teaches the law its length, with these exceptions:
//
//   - A gap of 0, or a heartbeat before the last one, teaches nothing.
//   - Call wait the time to the deadline of the level 8, or of Threshold if that
//     is higher. A gap longer than the wait is an outage. It is learnt only up
//     to the deadline of the level 8 less AcceptablePause, as it stood before the
//     first outage within a window. So one outage of ten minutes hardly moves a
//     window of a few hundred gaps, and many do not build on each other. In a
//     younger window it weighs more: after forty gaps the wait grows by 7 % with
//     a Gaussian, by 41 % with an Exponential, and to 2.7 times its length with a
//     LogNormal. (The level is not lower for a lower Threshold: cut that
//     early, gaps would seem to vary less than they do.)
//   - From the third outage on, each within a window of the one before, those
//     below ten waits are learnt up to two waits, and up to ten times what the
//     first was cut to: recurrent pauses become usual, as far as the law can have
//     them. (A LogNormal is soon very patient then.)
//   - The third outage in a row is learnt up to two waits, and those that follow
//     it up to ten: a process that became slower is followed within a window.
//   - An outage of ten waits or more is taken for a death. If after it outages
//     follow each other and the third or a later one is shorter than that, this
//     is another process than before, and the window starts again with the prior
//     alone; but not twice before the prior has faded.
//   - Heartbeats that queued up during an outage and come all at once teach
//     nothing: gaps below a hundredth of what the mean was before the outage, at
//     most as many as the outage had room for.
//   - AcceptablePause is not learnt: a gap that is no outage is learnt up to the
//     wait less the pause. The wait by which recurrent outages are cut has it in.
//   - With a law that is not of this package, a gap up to twice the mean is never
//     taken for an outage.
//
// A Phi is safe for concurrent use. A heartbeat and a query cost O(1) and
// allocate nothing, except what a law from outside this package does. It starts
// no goroutine and no timer. It must be made by [NewPhi]; the zero value panics
// at its first heartbeat.
type Phi struct {
	threshold float64
	unit      float64 // kind.unit of the threshold
	surely    float64 // a gap up to surely times the mean is no outage
	expected  float64 // the prior's mean in seconds
	fade      float64 // what the prior's weight loses with each gap
	minStdDev float64 // seconds
	minRel    float64
	pause     int64 // nanoseconds

	// due is the deadline of the threshold as an offset, so that Suspected
	// needs no lock; unknownDue when it has to be computed.
	due dueTime

	kind kind

	// What follows is protected by mu. That the small fields stand together
	// keeps the struct within 320 bytes.
	fitted   bool // a and b, or foreign, are the law of the present window
	answered bool // asked.deadline is that of the present window
	outages  outages
	usualGap int64 // nanoseconds, the mean before the last outage
	cut      int64 // nanoseconds of an outage that are learnt
	mu       sync.Mutex
	arrival  arrival
	window   Window
	a, b     float64 // the parameters of a law of this package
	foreign  *foreignLaw
	deadline time.Time // the instant of due; to add them up anew would cost as much again
	asked    answer    // for the last other level
}

// foreignLaw is a law from outside the package.
type foreignLaw struct{ family, fitted Distribution }

// answer remembers the deadline of a level.
type answer struct {
	level, unit float64
	deadline    time.Time
}

const unknownDue = math.MinInt64

// forget drops the deadlines after a heartbeat. It requires mu.
func (d *Phi) forget() {
	if d.due.load() != unknownDue { // a load is much cheaper than a store
		d.due.store(unknownDue)
	}
	d.answered = false
}

// fit returns the law fitted to the present gaps. It requires mu, and gives it
// up while a foreign law is fitted; nothing here is deferred, so that mu is
// free if a foreign law panics.
func (d *Phi) fit() law {
	switch {
	case d.fitted:
	case d.kind != foreign:
		d.a, d.b = d.kind.fit(d.stats())
		d.fitted = true
	default:
		s, count := d.stats(), d.arrival.count
		d.mu.Unlock()
		fitted := d.foreign.family.Fit(s)
		d.mu.Lock()
		if d.arrival.count != count {
			return law{other: fitted} // a heartbeat came meanwhile
		}
		d.foreign.fitted, d.fitted = fitted, true
	}
	return d.present()
}

// present returns the law as last fitted. It requires mu.
func (d *Phi) present() law {
	l := law{a: d.a, b: d.b}
	if d.foreign != nil {
		l.other = d.foreign.fitted
	}
	return l
}

// level returns φ after a silence of elapsed nanoseconds.
func (d *Phi) level(l law, elapsed int64) float64 {
	if elapsed <= 0 {
		return 0
	}
	return d.kind.phi(l, float64(elapsed-d.pause)/nanos)
}

// Suspicion returns φ at now. See [Phi] for the formula.
func (d *Phi) Suspicion(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	if d.arrival.count == 0 {
		d.mu.Unlock()
		return 0
	}
	var l law
	if d.fitted { // fit asks too, but is too large to be inlined
		l = d.present()
	} else {
		l = d.fit()
	}
	elapsed := minus(off, d.arrival.off)
	d.mu.Unlock()
	return d.level(l, elapsed)
}

// Deadline returns the first instant at which φ reaches level if no heartbeat
// arrives. It agrees with [Phi.Suspicion] to the nanosecond: the level is
// reached at that instant and not one nanosecond earlier.
func (d *Phi) Deadline(level float64) time.Time {
	if math.IsNaN(level) {
		level = math.Inf(1) // equal to itself, and as much out of reach
	}
	d.mu.Lock()
	if d.arrival.count == 0 {
		d.mu.Unlock()
		return time.Time{}
	}
	var deadline time.Time
	if level == d.threshold {
		deadline, _ = d.settle()
	} else {
		deadline = d.settleFor(level)
	}
	d.mu.Unlock()
	return deadline
}

// settle returns the threshold's deadline, also as an offset. It requires mu and
// a heartbeat, and gives mu up while it asks a foreign law.
func (d *Phi) settle() (deadline time.Time, due int64) {
	if due = d.due.load(); due != unknownDue {
		return d.deadline, due
	}
	silence, current := d.reach(d.threshold, d.unit)
	deadline, due = d.arrival.after(silence), plus(d.arrival.off, silence)
	if silence == never {
		due = never
	}
	if current {
		d.deadline = deadline
		d.due.store(due)
	}
	return deadline, due
}

// settleFor returns the deadline of a level other than the threshold. It
// requires mu and a heartbeat, and gives mu up while it asks a foreign law.
func (d *Phi) settleFor(level float64) time.Time {
	if level != d.asked.level {
		d.asked, d.answered = answer{level: level, unit: d.kind.unit(level)}, false
	}
	if d.answered {
		return d.asked.deadline
	}
	silence, current := d.reach(level, d.asked.unit)
	deadline := d.arrival.after(silence)
	if current && level == d.asked.level { // else somebody asked for another one meanwhile
		d.asked.deadline, d.answered = deadline, true
	}
	return deadline
}

// reach returns the smallest silence, in nanoseconds, at which φ is at least
// level, never if there is none, and whether that is about the last heartbeat.
// It requires mu, and gives it up while it asks a foreign law.
func (d *Phi) reach(level, unit float64) (silence int64, current bool) {
	if level <= 0 {
		return 0, true
	}
	return d.consult(func(l law) int64 {
		guess := plus(max(toNanoseconds(d.kind.at(l, unit)), -d.pause), d.pause)
		return first(guess, func(elapsed int64) bool { return d.level(l, elapsed) >= level })
	})
}

// consult returns what f says of the law fitted to the present gaps. It
// requires mu, and gives it up while it asks a foreign law. If a heartbeat came
// meanwhile it asks again, a few times: a law slower than the heartbeats must
// not keep a caller for ever, so its answer may be an old one, and then is not
// current.
func (d *Phi) consult(f func(law) int64) (x int64, current bool) {
	const tries = 4
	for range tries {
		count := d.arrival.count
		l := d.fit()
		if d.kind != foreign {
			return f(l), true
		}
		d.mu.Unlock()
		x = f(l)
		d.mu.Lock()
		if d.arrival.count == count {
			return x, true
		}
	}
	return x, false
}

// Suspected reports whether φ has reached the threshold at now. Between two
// heartbeats it takes no lock and costs one comparison; the first call after a
// heartbeat computes the deadline.
func (d *Phi) Suspected(now time.Time) bool {
	due := d.due.load()
	if due == unknownDue {
		d.mu.Lock()
		if d.arrival.count == 0 {
			d.mu.Unlock()
			return false
		}
		_, due = d.settle()
		d.mu.Unlock()
	}
	return isDue(due, now)
}

// Threshold returns the φ from which the process is suspected.
func (d *Phi) Threshold() float64 { return d.threshold }
