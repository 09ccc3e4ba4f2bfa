package watchdog

import (
	"math"
	"sync/atomic"
	"time"
)

// A Part is what must kick in time: a loop, a worker, a check that must not
// hang. It is made by [Watchdog.Add], and safe for concurrent use.
type Part struct {
	dog     *Watchdog
	name    string
	timeout time.Duration

	kicked     atomic.Int64 // the last kick, see offset
	wallKicked atomic.Int64 // the same by the wall clock
}

// Kick says that this part was well at now. It returns true if no part has ever
// missed its deadline, and moves that of this part to now + timeout.
//
// It returns false if any part is overdue at now, this one included, or has been
// before. Then stop: a miss is for good, and no later kick is accepted. Since the
// deadlines are compared before this one is moved, a kick that comes too late is a
// miss, whether or not a timer has had a chance to fire.
//
// Read the clock for now when the work is done. A pause between that reading and
// Kick is not forgiven either: the deadline counts from the reading, and the next
// kick or [Watchdog.Run] finds it missed. A now before the last kick moves nothing,
// unless a clock was set back, see [Watchdog].
//
// It costs one comparison a part, takes no lock and allocates nothing.
func (p *Part) Kick(now time.Time) bool {
	if !p.dog.Check(now) {
		return false
	}
	p.note(now)
	return true
}

// Done says that the part ended at now, and is no longer to be watched; its name
// can be used again. It reports what Kick would: an end that comes too late is a
// miss. Kicks of a part that is done only check the others.
func (p *Part) Done(now time.Time) bool {
	ok := p.dog.Check(now)
	p.dog.remove(p)
	return ok
}

func (p *Part) note(now time.Time) {
	wall := !monotonic(now)
	latest := p.move(&p.kicked, offset(now), wall)
	if p.dog.wallClock {
		// What is older by the monotonic clock, too, was not set back.
		p.move(&p.wallKicked, wallOffset(now), wall || latest)
	}
}

// move takes a kick that is older than the last one for out of order, and, where
// the clock can be set back, one that is older by more than the timeout for that:
// to hold on to the last one would blind the part until the clock has caught up.
// It reports whether it has moved the last kick.
func (p *Part) move(kicked *atomic.Int64, off int64, canBeSetBack bool) bool {
	for {
		last := kicked.Load()
		setBack := canBeSetBack && since(off, last) > p.timeout
		if off <= last && !setBack {
			return false
		}
		if kicked.CompareAndSwap(last, off) {
			return true
		}
	}
}

// silence returns the time from the last kick to an instant, given by both
// clocks, by the one that says more.
func (p *Part) silence(off, wall int64) time.Duration {
	silence := since(p.kicked.Load(), off)
	if p.dog.wallClock {
		silence = max(silence, since(p.wallKicked.Load(), wall))
	}
	return silence
}

func (p *Part) deadline() time.Time {
	return epoch.Add(time.Duration(p.kicked.Load())).Add(p.timeout)
}

// epoch is the origin of instants. It carries a monotonic reading, so instants
// taken from time.Now are compared by it, and all others by the wall clock.
var epoch = time.Now()

// offset returns t in nanoseconds since epoch, at most 292 years either way.
func offset(t time.Time) int64 { return int64(t.Sub(epoch)) }

// monotonic reports whether t has a reading of the monotonic clock.
func monotonic(t time.Time) bool { return t != t.Round(0) }

func wallOffset(t time.Time) int64 { return int64(t.Round(0).Sub(epoch.Round(0))) }

// since returns the time from the offset last to now, from 0 to 292 years.
func since(last, now int64) time.Duration {
	if now <= last {
		return 0
	}
	return time.Duration(min(uint64(now)-uint64(last), math.MaxInt64))
}
