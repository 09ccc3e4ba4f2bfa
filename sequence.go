package liveness

import (
	"sync"
	"time"
)

// maxAhead is how far a number may be ahead of time.
const maxAhead = 1000

// sequence is what the detectors have in common that expect heartbeats by their
// sequence numbers, as [Chen] describes. They differ in how they get from the
// latest arrivals to EA and to α.
type sequence struct {
	interval int64
	jacobson *jacobson // adapts the margin of a Bertier; others have none
	short    *Window   // the latest samples of window in a TwoWindow; others have none

	due dueTime // the freshness point

	mu       sync.Mutex // protects what follows
	margin   int64      // α
	arrival  arrival
	highest  uint64 // l
	missed   uint64
	ignored  uint64
	odd      uint64 // the last number that was absurd, if no other came since
	first    uint64 // the sequence number of the first heartbeat in the window
	firstOff int64  // its arrival, from which the schedule is counted
	window   Window // how far arrivals were behind the schedule: Aᵢ − η sᵢ
	usual    int64  // the mean of the window: Σ(Aᵢ − η sᵢ)/n
	expected int64  // EA as an offset
}

// Heartbeat records the arrival of a heartbeat that carries no sequence number.
// The first is taken for number 0, and any other to be as many above the last
// one as intervals have gone by since, to the nearest, and at least one; at the
// same instant as the last one or before, it is a repetition.
// Use HeartbeatSeq where there are numbers.
func (d *sequence) Heartbeat(at time.Time) {
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	if seq, ok := d.number(off); ok {
		d.take(seq, at, off)
	} else {
		d.rewind(at, off)
	}
}

// HeartbeatSeq records the arrival of the heartbeat with the given sequence
// number, which the sender raises by one for each heartbeat it sends. See
// [Chen] for which ones are ignored.
func (d *sequence) HeartbeatSeq(seq uint64, at time.Time) {
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isNew(seq, off) {
		d.take(seq, at, off)
	}
}

// number returns that of a heartbeat that carries none, by the intervals that
// have gone by, and false if it does not come after the last one. It requires mu.
func (d *sequence) number(off int64) (seq uint64, ok bool) {
	if d.arrival.count == 0 {
		return 0, true
	}
	gap := minus(off, d.arrival.off)
	steps := max(gap/d.interval+gap%d.interval*2/d.interval, 1)
	return d.highest + uint64(steps), gap > 0
}

// rewind handles a heartbeat without a number that does not come after the last
// one, and reports whether it says that the clock was set back. It requires mu.
func (d *sequence) rewind(at time.Time, off int64) bool {
	if off == d.arrival.off || !d.arrival.rewind(at, off, d.wait()) {
		return false
	}
	d.restart(at, off)
	d.expect()
	return true
}

// isNew reports whether the heartbeat with this number is to be taken in, and
// otherwise counts it as ignored. It requires mu.
func (d *sequence) isNew(seq uint64, off int64) bool {
	switch {
	case d.arrival.count == 0:
		return true
	case seq <= d.highest:
		d.odd = 0
	case !d.absurd(seq, off):
		return true
	}
	d.ignored++
	return false
}

// absurd reports whether seq is further than a sender of this interval can have
// come by now, with plenty of slack, and does not go on from the last number of
// which this was said. It requires mu.
func (d *sequence) absurd(seq uint64, off int64) bool {
	gap := max(minus(off, d.arrival.off), 0)
	goesOn := d.odd > 0 && seq > d.odd && seq-d.odd <= maxAhead
	if goesOn || seq-d.highest <= uint64(gap/d.interval)*2+maxAhead {
		d.odd = 0
		return false
	}
	d.odd = seq
	return true
}

// take takes in a heartbeat that is not old. It requires mu.
func (d *sequence) take(seq uint64, at time.Time, off int64) {
	if d.interval == 0 {
		panic("liveness: detector not made by NewChen, NewBertier or NewTwoWindow")
	}
	if d.arrival.count++; d.arrival.count > 1 {
		d.missed += seq - d.highest - 1
	}
	d.highest = seq
	scheduled, ok := d.schedule()
	switch late := minus(off, scheduled); {
	case d.arrival.count == 1 || !ok:
		d.restart(at, off)
	case off < d.arrival.off:
		if d.arrival.rewind(at, off, d.wait()) {
			d.restart(at, off)
		} else if d.shifted(minus(d.arrival.off, scheduled)) { // the numbers jumped as well
			stray := d.arrival.strayOff
			d.restart(d.arrival.at, d.arrival.off)
			d.arrival.strayOff = stray
		}
	case d.shifted(late):
		if late > d.usual {
			d.adapt(d.wait())
		}
		d.restart(at, off)
	default:
		d.adapt(minus(late, d.usual))
		d.arrival.set(at, off)
		d.add(late)
		if d.expect(); d.due.load() > off {
			return
		}
		d.restart(at, off) // an old sample that was very late has left in exchange
	}
	d.expect()
}

// expect computes EA and the freshness point after a change. It requires mu.
func (d *sequence) expect() {
	scheduled, _ := d.schedule()
	d.usual = d.window.sums.Nearest(d.window.Len())
	late := d.usual
	if d.short != nil {
		late = max(late, d.short.sums.Nearest(d.short.Len()))
	}
	d.expected = plus(scheduled, d.interval+late)
	d.due.store(plus(d.expected, d.margin))
}

// restart begins the window and the schedule with the highest heartbeat. It requires mu.
func (d *sequence) restart(at time.Time, off int64) {
	d.arrival.set(at, off)
	d.first, d.firstOff = d.highest, off
	d.window.Reset()
	if d.short != nil {
		d.short.Reset()
	}
	d.add(0)
}

// add takes in how far an arrival was behind the schedule. It requires mu.
func (d *sequence) add(late int64) {
	d.window.Add(time.Duration(late))
	if d.short != nil {
		d.short.Add(time.Duration(late))
	}
}

// adapt learns how far an arrival was from what was expected. It requires mu.
func (d *sequence) adapt(away int64) {
	if d.jacobson != nil {
		d.margin = d.jacobson.learn(away)
	}
}

// wait returns how long after the last heartbeat another one is overdue. It requires mu.
func (d *sequence) wait() int64 { return d.interval + d.margin }

// schedule returns when the highest heartbeat was due by the first in the
// window, and whether that is within reach. It requires mu.
func (d *sequence) schedule() (off int64, ok bool) {
	n := d.highest - d.first
	if n > uint64(never/d.interval) {
		return never, false
	}
	return plus(d.firstOff, int64(n)*d.interval), true
}

// shifted reports whether an arrival that is late by this much is no mere delay. It requires mu.
func (d *sequence) shifted(late int64) bool {
	away := minus(late, d.usual)
	return away <= -d.wait() || away >= d.wait()
}

// Suspicion returns max(0, now − EA)/α.
func (d *sequence) Suspicion(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	silent, beyond, margin := d.arrival.count > 0 && off > d.arrival.off, minus(off, d.expected), d.margin
	d.mu.Unlock()
	if !silent {
		return 0
	}
	return ratio(beyond, margin)
}

// Deadline returns EA plus level times α, to the nanosecond: the freshness point
// for level 1. It is after the last heartbeat for any level above 0.
func (d *sequence) Deadline(level float64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.arrival.count == 0:
		return time.Time{}
	case level <= 0:
		return d.arrival.at
	}
	due := plus(d.expected, reachRatio(level, d.margin))
	return d.arrival.after(max(minus(due, d.arrival.off), 1))
}

// Suspected reports whether now is at or after the freshness point. It takes no
// lock and costs one comparison.
func (d *sequence) Suspected(now time.Time) bool { return isDue(d.due.load(), now) }

// Threshold returns 1.
func (d *sequence) Threshold() float64 { return 1 }

// Missed returns how many sequence numbers have been passed over so far: the
// heartbeats that were lost, and those that came too late to count.
func (d *sequence) Missed() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.missed
}

// Ignored returns how many heartbeats with a sequence number have been ignored
// so far. If it grows while nothing else comes, the sender has begun to count
// anew, and needs a new detector.
func (d *sequence) Ignored() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ignored
}
