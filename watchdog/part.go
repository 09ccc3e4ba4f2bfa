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

// Kick says that the part is well at now, and reports whether all parts are and
// ever were. It compares now with the deadlines before it moves its own: so a
// kick that comes too late is a miss, also if it comes before any timer could
// fire, as it may when a frozen process goes on. After false, stop: nothing
// brings the watchdog back, and no later kick is accepted.
//
// Take now from the clock where the work is known to be done. If the process is
// frozen between reading the clock and Kick, the kick counts from the reading,
// so the pause is not forgiven either: the next kick or [Watchdog.Run] sees it.
// A now before the last kick moves nothing.
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

// Name returns the name.
func (p *Part) Name() string { return p.name }

func (p *Part) note(now time.Time) {
	off := offset(now)
	for {
		last := p.kicked.Load()
		if off <= last || p.kicked.CompareAndSwap(last, off) {
			break
		}
	}
	if p.dog.wallClock {
		p.noteWall(wallOffset(now))
	}
}

// noteWall takes a kick that is older than the last one for out of order, and
// one that is older by more than the timeout for a clock that was set back: to
// hold on to the last one would blind the part until the clock has caught up.
func (p *Part) noteWall(off int64) {
	for {
		last := p.wallKicked.Load()
		if off <= last && since(off, last) <= p.timeout || p.wallKicked.CompareAndSwap(last, off) {
			return
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

func wallOffset(t time.Time) int64 { return int64(t.Round(0).Sub(epoch.Round(0))) }

// since returns the time from the offset last to now, from 0 to 292 years.
func since(last, now int64) time.Duration {
	if now <= last {
		return 0
	}
	return time.Duration(min(uint64(now)-uint64(last), math.MaxInt64))
}
