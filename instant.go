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

// unknownDue stands for a deadline that has to be computed.
const unknownDue = math.MinInt64

// forget makes the deadline unknown.
func (d *dueTime) forget() {
	if d.load() != unknownDue { // a load is much cheaper than a store
		d.store(unknownDue)
	}
}

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
