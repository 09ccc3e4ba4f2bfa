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
// with X the gap between two heartbeats, of the configured [Distribution], which
// is [Empirical] or fitted to the mean and the standard deviation of the latest
// gaps, and last the arrival of the last heartbeat. It has no unit; 3 means that one
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
//   - With an [Empirical] law, or one that is not of this package, a gap up to twice
//     the mean is never taken for an outage. An Empirical law learns of a single
//     outage only that it was a mistake.
//
// # The first heartbeats
//
// A [Gaussian], an [Exponential] or a [LogNormal] is fitted as if the statistics
// of the window were the truth. After few gaps they are not, and φ promises too
// much. [StudentT], [Lomax], [LogStudentT] and [ShiftedExponential] are the exact
// laws of the next gap after n gaps of theirs. For n they take the gaps in the
// window and the present weight of the prior together. With a PriorWeight of
// 1e-100 and a MinStdDev of 1 µs, which are as good as none, φ is exact from the
// third heartbeat on, with a Lomax from the second: the next gap reaches φ = t
// with probability 10^−t. With a prior and a floor it is as exact as these are
// true.
//
// Where the gaps and the prior are too few for such a law, two in all, or one for
// a Lomax, the prior is given the weight that lacks. Such a φ is small: fitted to
// two gaps, a StudentT is at 8 after 10^7 deviations.
//
// A Phi is safe for concurrent use. A heartbeat and a query cost O(1), or what
// [Empirical] says with that law, and
// allocate nothing, except what a law from outside this package does. It starts
// no goroutine and no timer. It must be made by [NewPhi]; the zero value panics
// at its first heartbeat.
type Phi struct {
	*settings // nil in a zero Phi

	// due is the deadline of the threshold as an offset, so that Suspected
	// needs no lock; unknownDue when it has to be computed.
	due dueTime

	// What follows is protected by mu. A usual heartbeat touches nothing below
	// arrival: with what is above it, that is three lines of memory.
	mu       sync.Mutex
	fitted   bool // a and b, and more, are the law of the present window
	answered bool // asked.silence is that of the present window
	outages  outages
	more     *more // nil where the law needs no more than a and b
	window   Window
	arrival  arrival
	a, b     float64 // the parameters of a law of this package
	usualGap int64   // nanoseconds, the mean before the last outage
	cut      int64   // nanoseconds of an outage that are learnt
	asked    answer  // for the last other level
}

// answer remembers the silence, in nanoseconds, at which a level is reached.
type answer struct {
	level, unit float64
	silence     int64
}

// forget drops the deadlines after a heartbeat. It requires mu.
func (d *Phi) forget() {
	d.due.forget()
	d.answered = false
}

// fit returns the law fitted to the present gaps. It requires mu, and gives it
// up while a foreign law is fitted; nothing here is deferred, so that mu is
// free if a foreign law panics.
func (d *Phi) fit() law {
	switch {
	case d.fitted:
	case d.kind.predictive():
		d.a, d.b, d.more.c = d.kind.fitPredictive(d.stats())
		d.fitted = true
	case d.kind != foreign:
		mean, stdDev, _ := d.moments()
		d.a, d.b = d.kind.fit(mean, stdDev)
		d.fitted = true
	default:
		s, count, m := d.stats(), d.arrival.count, d.more
		d.mu.Unlock()
		fitted := m.family.Fit(s)
		d.mu.Lock()
		if d.arrival.count != count || d.more != m {
			return law{other: &fitted} // a heartbeat came meanwhile, or a saved state
		}
		m.fitted, d.fitted = &fitted, true
	}
	return d.present()
}

// present returns the law as last fitted. It requires mu.
func (d *Phi) present() law {
	l := law{a: d.a, b: d.b}
	if d.more != nil {
		l.c, l.other = d.more.c, d.more.fitted
	}
	return l
}

// at returns the law's quantile for a level's unit. It requires mu but for a foreign law.
func (d *Phi) at(l law, unit float64) float64 {
	switch d.kind {
	case studentT:
		return Gaussian{l.a, l.b}.at(d.more.quantiles.at(l.c, unit))
	case logStudentT:
		return LogNormal{l.a, l.b}.at(d.more.quantiles.at(l.c, unit))
	case empirical:
		return d.more.ratios.quantile(Gaussian{l.a, l.b}, unit)
	}
	return d.kind.at(l, unit)
}

// level returns φ after a silence of elapsed nanoseconds. It requires mu for an
// Empirical law.
func (d *Phi) level(l law, elapsed int64) float64 {
	if elapsed <= 0 {
		return 0
	}
	if d.kind == empirical {
		return d.more.ratios.phi(Gaussian{l.a, l.b}, elapsed-d.pause)
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
	if d.kind == empirical { // its law is no copy
		level := d.level(l, elapsed)
		d.mu.Unlock()
		return level
	}
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
		deadline = d.arrival.until(d.settle())
	} else {
		deadline = d.settleFor(level)
	}
	d.mu.Unlock()
	return deadline
}

// settle returns the threshold's deadline as an offset. It requires mu and a
// heartbeat, and gives mu up while it asks a foreign law.
func (d *Phi) settle() int64 {
	if due := d.due.load(); due != unknownDue {
		return due
	}
	silence, current := d.reach(d.threshold, d.unit)
	due := plus(d.arrival.off, silence)
	if silence == never {
		due = never
	}
	if current {
		d.due.store(due)
	}
	return due
}

// settleFor returns the deadline of a level other than the threshold. It
// requires mu and a heartbeat, and gives mu up while it asks a foreign law.
func (d *Phi) settleFor(level float64) time.Time {
	if level != d.asked.level {
		d.asked, d.answered = answer{level: level, unit: d.kind.unit(level)}, false
	}
	silence, current := d.asked.silence, false
	if !d.answered {
		silence, current = d.reach(level, d.asked.unit)
	}
	if current && level == d.asked.level { // else somebody asked for another one meanwhile
		d.asked.silence, d.answered = silence, true
	}
	return d.arrival.after(silence)
}

// reach returns the smallest silence, in nanoseconds, at which φ is at least
// level, never if there is none, and whether that is about the last heartbeat.
// It requires mu, and gives it up while it asks a foreign law.
func (d *Phi) reach(level, unit float64) (silence int64, current bool) {
	if level <= 0 {
		return 0, true
	}
	return d.consult(func(l law) int64 {
		guess := plus(max(toNanoseconds(d.at(l, unit)), -d.pause), d.pause)
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
		count, m := d.arrival.count, d.more
		l := d.fit()
		if d.kind != foreign {
			return f(l), true
		}
		d.mu.Unlock()
		x = f(l)
		d.mu.Lock()
		switch {
		case d.arrival.count == 0: // a saved state, which knows of no silence
			return x, false
		case d.arrival.count == count && d.more == m:
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
		due = d.settle()
		d.mu.Unlock()
	}
	return isDue(due, now)
}

// Threshold returns the φ from which the process is suspected.
func (d *Phi) Threshold() float64 {
	if d.settings == nil {
		return 0
	}
	return d.threshold
}
