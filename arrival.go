package liveness

import (
	"math"
	"time"
)

// arrival is the newest heartbeat.
type arrival struct {
	off   int64     // offset(at)
	count uint64    // heartbeats so far, including those that taught nothing
	at    time.Time // as the caller gave it, so that deadlines keep its location and monotonic reading

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

// until returns the instant of an offset, or the last one within reach for never.
func (a *arrival) until(off int64) time.Time {
	if off == never {
		return a.after(never)
	}
	return a.at.Add(time.Duration(minus(off, a.off)))
}

// next takes in a heartbeat, given how long the detector waits for one. It
// returns the gap there is to learn from, 0 if there is none, and whether the
// newest heartbeat is another one now.
func (a *arrival) next(at time.Time, off, wait int64) (gap int64, moved bool) {
	a.count++
	if a.count > 1 {
		if gap = minus(off, a.off); gap < 0 {
			return 0, a.rewind(at, off, wait)
		}
	}
	a.set(at, off)
	return gap, true
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

// forget makes it that no heartbeat was heard. The instant stays: whoever has
// begun to ask about it, and waits for a foreign law, is answered about it.
func (a *arrival) forget() { a.count = 0 }
