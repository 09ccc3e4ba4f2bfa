package liveness

import (
	"math"
	"sync/atomic"
	"time"
)

// epoch is the origin of instants. It carries a monotonic reading, so instants
// taken from time.Now are compared by it, and all others by the wall clock.
var epoch = time.Now()

// offset returns t in nanoseconds since epoch, at most 292 years either way.
func offset(t time.Time) int64 { return int64(t.Sub(epoch)) }

// never is the offset of what does not happen within reach.
const never = math.MaxInt64

// dueTime is the offset of a deadline, for readers without a lock. The zero
// value is never.
type dueTime struct{ inverted atomic.Int64 }

func (d *dueTime) load() int64     { return d.inverted.Load() ^ never }
func (d *dueTime) store(due int64) { d.inverted.Store(due ^ never) }

// isDue reports whether now has come to the offset due.
func isDue(due int64, now time.Time) bool { return due != never && offset(now) >= due }

// minus returns a − b, or the nearest int64.
func minus(a, b int64) int64 {
	d := a - b
	if (a^b)&(a^d) < 0 {
		return extreme(a)
	}
	return d
}

// plus returns a + b, or the nearest int64.
func plus(a, b int64) int64 {
	s := a + b
	if (a^s)&(b^s) < 0 {
		return extreme(a)
	}
	return s
}

// extreme returns the int64 furthest from 0 on a's side.
func extreme(a int64) int64 {
	if a < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// toNanoseconds returns x seconds in whole nanoseconds, rounded up, within int64. NaN is never reached.
func toNanoseconds(x float64) int64 {
	ns := math.Ceil(x * 1e9)
	switch {
	case ns <= math.MinInt64:
		return math.MinInt64
	case ns < math.MaxInt64:
		return int64(ns)
	}
	return math.MaxInt64
}

// first returns the smallest d > 0 at which reached holds, given that it does
// not at 0, does from there on once it does, and that guess is near. It
// returns math.MaxInt64 where reached never holds.
func first(guess int64, reached func(d int64) bool) int64 {
	guess = max(guess, 1)
	low, high := int64(0), guess // reached(low) is false, reached(high) true
	if reached(guess) {
		for step := int64(1); high-step > low; step *= 2 {
			if !reached(high - step) {
				low = high - step
				break
			}
			high -= step
		}
	} else {
		low = guess
		for step := int64(1); ; step *= 2 {
			high = plus(low, step)
			if high == math.MaxInt64 || reached(high) {
				break
			}
			low = high
		}
	}
	for high-low > 1 {
		if middle := low + (high-low)/2; reached(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// arrival is the newest heartbeat.
type arrival struct {
	count uint64    // heartbeats so far, including those that taught nothing
	at    time.Time // as the caller gave it, so that deadlines keep its location and monotonic reading
	off   int64     // offset(at)

	// strayOff is where the last heartbeat was if it lay before at by more
	// than the detector waits, else noStray.
	strayOff int64
}

const noStray = math.MaxInt64

// set makes at the newest heartbeat.
func (a *arrival) set(at time.Time, off int64) {
	a.at, a.off, a.strayOff = at, off, noStray
}

// after returns the instant d nanoseconds after the newest heartbeat, or the last one within reach.
func (a *arrival) after(d int64) time.Time {
	return a.at.Add(time.Duration(minus(plus(a.off, d), a.off)))
}

// rewind handles a heartbeat before the newest one. It is taken as delivered
// out of order and changes nothing, unless it is the second in a row, in their
// own order, that lies further back than wait, which is how long the detector
// waits for a heartbeat: then the clock was set back, and holding on to the old
// instant would blind the detector until the clock has caught up. It reports
// whether the newest heartbeat was moved back.
func (a *arrival) rewind(at time.Time, off, wait int64) bool {
	switch {
	case minus(a.off, off) <= wait:
		a.strayOff = noStray
	case off >= a.strayOff:
		a.set(at, off)
		return true
	default:
		a.strayOff = off
	}
	return false
}
