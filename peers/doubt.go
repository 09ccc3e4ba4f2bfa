package peers

import (
	"cmp"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultPeriod    = 100 * time.Millisecond
	defaultLateness  = 200 * time.Millisecond
	defaultGrace     = time.Second
	graces           = 10 // in a row, by default
	defaultRecovery  = time.Second
	defaultMaxFactor = 8

	// suspendGap is how far the wall clock gets ahead of the monotonic one
	// before that is taken for a suspension of the machine.
	suspendGap = time.Second
)

// Doubt configures when a monitor doubts itself. The zero value is usable.
//
// A monitor knows when it wanted to be woken: at the next deadline, and at least
// once a Period. If it comes later than that by more than MaxLateness, it was
// stalled itself (stopped, starved, asleep), and the silence of its peers says
// nothing: their heartbeats may wait in a socket. Then, in this order:
//
//   - Nobody is convicted for Grace, nor while Backlog says that heartbeats
//     wait, so that the program can read them. All such times in a row last no
//     longer than MaxGrace: a monitor that is stalled again and again convicts
//     after that, with the next two rules.
//   - The time of the stall is not silence: it is added to the deadline of every
//     peer last heard before it.
//   - The score of the monitor's own health rises by 1, and every wait is
//     multiplied by the score plus 1, at most by MaxFactor. It falls by 1 after
//     each Recovery without a late round.
//
// It is the same if the wall clock is found to have run ahead of the monotonic
// one by a second or more, because the machine was suspended (or the clock set),
// but that no time is added, for the monotonic clock has not counted it. If the
// clock is found to have been set back, which only instants without a monotonic
// reading show, every silence begins again there.
//
// Each of these is told by an event [Stalled], and the end by [Recovered].
//
// A stall shorter than Period and MaxLateness together may go unnoticed, so
// their sum should be well below the shortest wait of a detector.
//
// The heartbeats that queued up are read in one go, and their gaps are no
// sample of anything. [liveness.Phi] discards them. Other detectors learn them
// unless heartbeats are given the instant at which the system received them
// (SO_TIMESTAMP on a socket), which is the better way for any detector; those are
// of the wall clock, and the instants of Advance have to be of the same clock.
type Doubt struct {
	// Period is the longest time between two rounds: what Advance returns is
	// no later. From 1 ms to 1 hour. Zero means 100 ms.
	Period time.Duration

	// MaxLateness is how late a round may be without being a stall, from
	// 1 ms to 1 hour. Zero means 200 ms.
	MaxLateness time.Duration

	// Grace is how long nobody is convicted after a stall, from 1 µs to 100
	// days: long enough to read what has queued up. Zero means 1 s.
	Grace time.Duration

	// MaxGrace bounds all graces in a row, from 1 µs to 100 days. Zero means
	// ten times Grace.
	MaxGrace time.Duration

	// Recovery is how long all rounds must be in time for the score to fall
	// by 1, from 1 µs to 100 days. Zero means 1 s.
	Recovery time.Duration

	// MaxFactor is the most that waits are multiplied by, from 1, which is
	// not at all, to 100. Zero means 8.
	MaxFactor int

	// Backlog reports whether heartbeats wait to be read. If it is set, it is
	// asked in each round in which somebody is about to be convicted, with
	// no lock held, and if it says yes nobody is. It must be safe for
	// concurrent use. Nil means that nobody knows.
	Backlog func() bool
}

func (c *Doubt) setDefaults() {
	c.Period = cmp.Or(c.Period, defaultPeriod)
	c.MaxLateness = cmp.Or(c.MaxLateness, defaultLateness)
	c.Grace = cmp.Or(c.Grace, defaultGrace)
	c.MaxGrace = cmp.Or(c.MaxGrace, min(graces*c.Grace, maxDuration))
	c.Recovery = cmp.Or(c.Recovery, defaultRecovery)
	c.MaxFactor = cmp.Or(c.MaxFactor, defaultMaxFactor)
}

func (c *Doubt) check() error {
	period := func(field string, d time.Duration) error {
		return check(d >= time.Millisecond && d <= time.Hour, field, d, "a duration from 1ms to 1h")
	}
	return cmp.Or(
		period("Doubt.Period", c.Period),
		period("Doubt.MaxLateness", c.MaxLateness),
		checkDuration("Doubt.Grace", c.Grace),
		checkDuration("Doubt.MaxGrace", c.MaxGrace),
		checkDuration("Doubt.Recovery", c.Recovery),
		check(1 <= c.MaxFactor && c.MaxFactor <= maxFactor, "Doubt.MaxFactor", c.MaxFactor, "a number from 1 to %d", maxFactor),
	)
}

// doubt is what a monitor knows of its own punctuality.
type doubt struct {
	cfg    Doubt
	rest   int64 // Run keeps that long from a round to the next
	health *Health

	promised atomic.Int64 // when the next round is due; never before the first has ended

	mu       sync.Mutex // protects what follows
	started  bool
	start    int64     // offset of the first round
	last     time.Time // the newest round
	stalls   stalls
	until    int64 // nobody is convicted before
	inARow   int64 // the beginning of the graces that follow each other
	calmed   int64 // when the score last moved
	heeding  int64 // since when a backlog has been found again and again; never if it has not
	heeded   int64 // when it was found last
	troubled bool  // a Stalled was not followed by a Recovered yet
	count    uint64
}

// begin opens a round at now.
func (d *doubt) begin(now time.Time) judgement {
	off := offset(now)
	d.mu.Lock()
	defer d.mu.Unlock()
	j := judgement{now: now, off: off, backlog: d.cfg.Backlog}
	if !d.started {
		d.started, d.start, d.last, d.until, d.inARow, d.calmed, d.heeding = true, off, now, off, off, off, never
	} else {
		d.notice(&j)
	}
	j.start, j.until, j.stalls = d.start, d.until, d.stalls
	j.factor = int64(d.health.Score() + 1)
	j.calm = max(plus(d.calmed, int64(d.cfg.Recovery)), off+1)
	if off > plus(d.heeded, int64(d.cfg.Period+d.cfg.MaxLateness)) {
		d.heeding = never // that was another one
	}
	j.bounded = d.heeding != never && off >= plus(d.heeding, int64(d.cfg.MaxGrace))
	return j
}

// notice finds out whether the monitor was stalled. It requires mu.
func (d *doubt) notice(j *judgement) {
	lateness := int64(d.cfg.MaxLateness)
	late := minus(j.off, max(d.promised.Load(), plus(offset(d.last), d.rest)))
	elapsed := minus(j.off, offset(d.last))
	ahead := suspended(d.last, j.now)
	switch {
	case elapsed < -lateness:
		j.rewound = true
		d.stalls = stalls{}
		d.start, d.calmed = min(d.start, j.off), j.off
		d.until, d.inARow = j.off, j.off
		d.stalled(j, ClockSetBack, -elapsed)
	case late > lateness:
		d.stalls.add(stall{j.off, late})
		d.heeded = plus(d.heeded, late) // nobody could look whether the backlog is still there
		d.stalled(j, LateRound, late)
	case ahead >= suspendGap:
		d.stalled(j, ClockAhead, int64(ahead))
	case minus(j.off, d.calmed) >= int64(d.cfg.Recovery):
		d.calmed = j.off
		score := d.health.Apply(-1)
		if d.troubled && score == 0 && j.off >= d.until {
			d.troubled = false
			j.announce = append(j.announce, Event[struct{}]{Kind: Recovered, At: j.now})
		}
	}
	if elapsed > 0 || j.rewound {
		d.last = j.now
	}
}

// stalled notes a stall. It requires mu.
func (d *doubt) stalled(j *judgement, why Reason, length int64) {
	grace := int64(d.cfg.Grace)
	idle := int64(0) // what neither ends a row of graces nor uses it up: in it nobody could have been convicted
	if why == LateRound {
		idle = length
	}
	if d.inARow = plus(d.inARow, idle); minus(j.off, idle) > plus(d.until, grace) {
		d.inARow = j.off // the graces before are over
	}
	d.until = max(d.until, min(plus(j.off, grace), plus(d.inARow, int64(d.cfg.MaxGrace))))
	d.calmed = j.off
	d.count++
	d.troubled = true
	score := d.health.Apply(1)
	j.announce = append(j.announce, Event[struct{}]{
		Kind: Stalled, Reason: why, At: j.now, Length: time.Duration(length), Score: score,
	})
}

// end closes a round that is to be followed by one at next.
func (d *doubt) end(j *judgement, next int64) {
	asked := d.cfg.Backlog != nil && j.backlog == nil
	d.mu.Lock()
	defer d.mu.Unlock()
	d.promised.Store(next)
	switch {
	case j.heeded:
		d.heeding, d.heeded = min(d.heeding, j.off), max(j.off, j.until) // in a grace it is not asked again
	case asked:
		d.heeding = never
	}
}

// suspended returns how far the wall clock has got ahead of the monotonic one
// from a to b; 0 if one of them lacks a reading of it.
func suspended(a, b time.Time) time.Duration {
	wall := b.Round(0).Sub(a.Round(0))
	return max(wall-b.Sub(a), 0)
}

// peek returns how a round would judge that found nothing new.
func (d *doubt) peek() judgement {
	d.mu.Lock()
	defer d.mu.Unlock()
	j := judgement{start: math.MinInt64, factor: int64(d.health.Score() + 1), stalls: d.stalls}
	if d.started {
		j.start = d.start
	}
	return j
}
