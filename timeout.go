package liveness

import (
	"cmp"
	"sync"
	"time"
)

// FixedTimeout suspects a process after a constant silence. Its level is
//
//	(now − last) / timeout
//
// with last the arrival of the last heartbeat, so that 1 is the timeout and 2
// twice the timeout; its threshold is 1. It learns nothing: it is for links
// whose worst case is known, and the yardstick for the detectors that learn. To
// let a process that sends every interval pause for a while, set the timeout to
// the sum of both.
//
// A FixedTimeout is safe for concurrent use. It must be made by
// [NewFixedTimeout]; the zero value panics at its first heartbeat.
type FixedTimeout struct{ countdown }

// NewFixedTimeout returns a detector with the given timeout, from 1 µs to 100 days.
func NewFixedTimeout(timeout time.Duration) (*FixedTimeout, error) {
	if err := checkDuration("timeout", timeout); err != nil {
		return nil, err
	}
	return &FixedTimeout{countdown{timeout: int64(timeout)}}, nil
}

// Heartbeat records that a heartbeat arrived. One before the last is taken as
// delivered out of order and changes nothing, unless it is the second in a row
// that lies further back than the timeout: then the clock was set back, and it
// is the last one.
func (d *FixedTimeout) Heartbeat(at time.Time) {
	if d.timeout == 0 {
		panic("liveness: FixedTimeout not made by NewFixedTimeout")
	}
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, moved := d.arrival.next(at, off, d.timeout); moved {
		d.due.store(plus(off, d.timeout))
	}
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

// ChenConfig configures a [Chen].
type ChenConfig struct {
	// Interval is the period η at which the process sends heartbeats, from
	// 1 µs to 100 days. It is required.
	Interval time.Duration

	// Margin is the safety margin α added to the expected arrival, from 1 µs
	// to 100 days. Larger is slower and surer: if the delay has mean E(D),
	// a crash is detected within Interval + Margin + E(D). To survive k lost
	// heartbeats in a row, set it to k intervals and the spread of the delay.
	// It is required.
	Margin time.Duration

	// WindowSize is the number n of arrivals the expected arrival is
	// estimated from, from 1 to 1048576, at 8 bytes each. Larger is steadier,
	// and less tolerant of an Interval that is not the sender's. Zero means
	// 32, as in the paper.
	WindowSize int
}

const (
	defaultChenWindow = 32
	// maxAhead is how far a number may be ahead of time.
	maxAhead = 1000
)

// Chen is the detector NFD-E of Chen, Toueg and Aguilera ("On the Quality of
// Service of Failure Detectors", IEEE Transactions on Computers 51(5), May
// 2002), for senders and monitors whose clocks are not synchronised. From the
// latest n heartbeats with sequence numbers sᵢ and arrivals Aᵢ it expects the
// one after the highest number l at
//
//	EA = 1/n Σ (Aᵢ − η sᵢ) + (l + 1) η
//
// to the nearest nanosecond, and suspects the process from the freshness point
// EA + α on. The level grows from 0 at EA through 1 at the freshness point:
//
//	max(0, now − EA) / α   after the last heartbeat, 0 until then
//
// and its threshold is 1. Because arrivals are normalised by their sequence
// numbers, a lost heartbeat does not shift the estimate, and because deadlines
// follow the sending times, a late heartbeat does not delay the next deadline.
//
// A heartbeat whose sequence number is not above all before it is old or
// repeated, and is ignored. So is one that is more than a thousand numbers ahead
// of twice as many as intervals have gone by, unless the next one goes on from
// there, by no more than a thousand. A sequence that starts again, as after a
// restart of the process, needs a new detector: see [Chen.Ignored].
//
// An arrival that is η + α or more away from what the window says is no delay
// but a shift: the sender was paused, the clock was set, the numbers jumped. The
// window starts again with it, and also with one that would be suspected at once
// because an old sample that was very late has left the window. So a heartbeat
// that is taken in is never answered with suspicion at once. A clock set back is
// believed at the second heartbeat in a row that lies further back than η + α.
//
// # How exact must the interval be
//
// EA lags behind a sender whose period differs from η by half a window of such
// differences. So keep α well above n/2 times the error of η: with the default
// n of 32 and a period 1 % off, above 0.16 η. A sender that works and then
// sleeps for η has a longer period than η; one that uses a ticker has not.
//
// A Chen is safe for concurrent use. Each call costs O(1) and allocates
// nothing. It starts no goroutine and no timer. It must be made by [NewChen];
// the zero value panics at its first heartbeat.
type Chen struct{ sequence }

// NewChen returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewChen(cfg ChenConfig) (*Chen, error) {
	if cfg.WindowSize == 0 {
		cfg.WindowSize = defaultChenWindow
	}
	if err := cmp.Or(
		checkDuration("Interval", cfg.Interval),
		checkDuration("Margin", cfg.Margin),
		checkWindowSize("WindowSize", cfg.WindowSize),
	); err != nil {
		return nil, err
	}
	return &Chen{sequence{
		interval: int64(cfg.Interval),
		margin:   int64(cfg.Margin),
		window:   makeWindow(cfg.WindowSize),
	}}, nil
}

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
	gap := minus(off, d.arrival.off)
	switch {
	case d.arrival.count == 0:
		d.take(0, at, off)
	case gap > 0:
		steps := max(gap/d.interval+gap%d.interval*2/d.interval, 1)
		d.take(d.highest+uint64(steps), at, off)
	case gap < 0 && d.arrival.rewind(at, off, d.wait()):
		d.restart(at, off)
		d.expect()
	}
}

// HeartbeatSeq records the arrival of the heartbeat with the given sequence
// number, which the sender raises by one for each heartbeat it sends. See
// [Chen] for which ones are ignored.
func (d *sequence) HeartbeatSeq(seq uint64, at time.Time) {
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.arrival.count == 0:
		d.take(seq, at, off)
	case seq <= d.highest:
		d.odd = 0
		d.ignored++
	case d.absurd(seq, off):
		d.ignored++
	default:
		d.take(seq, at, off)
	}
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
