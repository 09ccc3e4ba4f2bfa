package liveness

import (
	"math"
	"sync"
	"sync/atomic"
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
//   - An outage, a gap that outlasted the deadline, is learnt only up to that
//     deadline, as it stood before. So one outage of ten minutes leaves the
//     detection time about where it was, once a few hundred gaps stand against
//     it; after forty it may grow by a quarter. The deadline meant is that of the
//     level 8, or of Threshold if that is higher: a consumer who wants to hear
//     early must not make the detector deaf to ordinary delays.
//   - The third outage in a row, and those that follow it, are learnt up to ten
//     times as long: a process that became slower is followed within a window.
//   - An outage ten times as long as the wait was a death. If the first gap
//     after it is an outage too, but no death, this is another process than
//     before: the window starts again with that gap, and the prior with it.
//
// A Phi is safe for concurrent use. A heartbeat and a query cost O(1) and
// allocate nothing, foreign laws aside. It must be made by [NewPhi].
type Phi struct {
	threshold  float64
	unit       float64 // kind.unit of the threshold
	outageUnit float64 // kind.unit of the level of an outage
	surely     float64 // a gap below surely times the mean, plus pause, is no outage
	expected   float64 // the prior's mean in seconds
	fade       float64 // what the prior's weight loses with each gap
	minStdDev  float64 // seconds
	minRel     float64
	pause      int64 // nanoseconds

	// due is the deadline of the threshold as an offset, so that Suspected
	// needs no lock; unknownDue when it has to be computed.
	due atomic.Int64

	kind kind

	// What follows is protected by mu. The flags share a word with kind,
	// which keeps the struct within 320 bytes.
	outages  uint8 // in a row, as far as they count
	died     bool  // the last gap was a death
	fitted   bool  // a and b, or foreign, are the law of the present window
	mu       sync.Mutex
	arrival  arrival
	window   Window
	a, b     float64 // the parameters of a law of this package
	foreign  *foreignLaw
	deadline time.Time // the instant of due
	asked    answer    // for the last other level
}

// foreignLaw is a law from outside the package.
type foreignLaw struct{ family, fitted Distribution }

// answer remembers the deadline of a level.
type answer struct {
	level, unit float64
	deadline    time.Time
	known       bool // since the last heartbeat
}

const unknownDue = math.MinInt64

// forget drops the deadlines after a heartbeat. It requires mu.
func (d *Phi) forget() {
	if d.due.Load() != unknownDue { // a load is much cheaper than a store
		d.due.Store(unknownDue)
	}
	d.asked.known = false
}

// fit returns the law fitted to the present gaps. It requires mu, and gives it
// up while a foreign law is fitted; nothing here is deferred, so that mu is
// free if a foreign law panics.
func (d *Phi) fit() law {
	for !d.fitted {
		s := d.stats()
		if d.kind != foreign {
			d.a, d.b = d.kind.fit(s)
			d.fitted = true
			break
		}
		count := d.arrival.count
		d.mu.Unlock()
		fitted := d.foreign.family.Fit(s)
		d.mu.Lock()
		if d.arrival.count == count {
			d.foreign.fitted, d.fitted = fitted, true
		}
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
	if !d.fitted { // fit asks too, but is too large to be inlined
		d.fit()
	}
	l := d.present()
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
		d.settle()
		deadline = d.deadline
	} else {
		deadline = d.settleFor(level)
	}
	d.mu.Unlock()
	return deadline
}

// settle computes the threshold's deadline if it is unknown. It requires mu and
// a heartbeat, and gives mu up while it asks a foreign law.
func (d *Phi) settle() {
	if d.due.Load() == unknownDue {
		silence := d.reach(d.threshold, d.unit)
		d.deadline = d.arrival.at.Add(time.Duration(silence))
		d.due.Store(d.arrival.off + silence)
	}
}

// settleFor returns the deadline of a level other than the threshold. It
// requires mu and a heartbeat, and gives mu up while it asks a foreign law.
func (d *Phi) settleFor(level float64) time.Time {
	if level != d.asked.level {
		d.asked = answer{level: level, unit: d.kind.unit(level)}
	}
	if d.asked.known {
		return d.asked.deadline
	}
	silence := d.reach(level, d.asked.unit)
	deadline := d.arrival.at.Add(time.Duration(silence))
	if level == d.asked.level { // else somebody asked for another one meanwhile
		d.asked.deadline, d.asked.known = deadline, true
	}
	return deadline
}

// reach returns the smallest silence, in nanoseconds, at which φ is at least
// level, or the longest within reach. It requires mu, and gives it up while it asks a foreign law.
func (d *Phi) reach(level, unit float64) int64 {
	if level <= 0 {
		return 0
	}
	silence := d.consult(func(l law) int64 {
		guess := plus(max(toNanoseconds(d.kind.at(l, unit)), -d.pause), d.pause)
		return first(guess, func(elapsed int64) bool { return d.level(l, elapsed) >= level })
	})
	return d.arrival.within(silence)
}

// consult returns what f says of the law fitted to the present gaps. It
// requires mu, and gives it up while f asks a foreign law; it asks again if a
// heartbeat came meanwhile, so the answer is about the last one.
func (d *Phi) consult(f func(law) int64) int64 {
	for {
		l := d.fit()
		if d.kind != foreign {
			return f(l)
		}
		count := d.arrival.count
		d.mu.Unlock()
		x := f(l)
		d.mu.Lock()
		if d.arrival.count == count {
			return x
		}
	}
}

// Suspected reports whether φ has reached the threshold at now. Between two
// heartbeats it takes no lock and costs one comparison; the first call after a
// heartbeat computes the deadline.
func (d *Phi) Suspected(now time.Time) bool {
	due := d.due.Load()
	if due == unknownDue {
		d.mu.Lock()
		if d.arrival.count == 0 {
			d.mu.Unlock()
			return false
		}
		d.settle()
		due = d.due.Load()
		d.mu.Unlock()
	}
	return isDue(due, now)
}

// Threshold returns the φ from which the process is suspected.
func (d *Phi) Threshold() float64 { return d.threshold }
