package liveness

import (
	"sync"
	"time"
)

// countdown is what the detectors have in common whose level is the silence as
// a multiple of a timeout.
type countdown struct {
	due dueTime // the deadline

	mu      sync.Mutex // protects what follows, unless the timeout never changes
	timeout int64
	arrival arrival
}

// Suspicion returns the silence at now as a multiple of the timeout.
func (d *countdown) Suspicion(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	count, elapsed, timeout := d.arrival.count, minus(off, d.arrival.off), d.timeout
	d.mu.Unlock()
	if count == 0 {
		return 0
	}
	return ratio(elapsed, timeout)
}

// Deadline returns the last heartbeat plus level times the timeout, to the nanosecond.
func (d *countdown) Deadline(level float64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrival.count == 0 {
		return time.Time{}
	}
	return d.arrival.after(reachRatio(level, d.timeout))
}

// Suspected reports whether the silence at now has lasted for the timeout. It
// takes no lock and costs one comparison.
func (d *countdown) Suspected(now time.Time) bool { return isDue(d.due.load(), now) }

// Threshold returns 1.
func (d *countdown) Threshold() float64 { return 1 }

// ratio returns elapsed as a multiple of scale, 0 for a negative one.
func ratio(elapsed, scale int64) float64 {
	if elapsed <= 0 {
		return 0
	}
	return float64(elapsed) / float64(scale)
}

// reachRatio returns the smallest elapsed time at which ratio is at least level.
func reachRatio(level float64, scale int64) int64 {
	if level <= 0 {
		return 0
	}
	guess := toNanoseconds(level * float64(scale) / nanos)
	return first(guess, func(elapsed int64) bool { return ratio(elapsed, scale) >= level })
}

// unheard makes it that no heartbeat was heard. It requires mu.
func (d *countdown) unheard() {
	d.arrival.forget()
	d.due.store(never)
}
