package livenesstest

import (
	"errors"
	"fmt"
	"math"
	"time"

	"example.com/liveness"
)

// TestDetector checks the contract of [liveness.Detector] on fresh detectors
// from newDetector, which must suit a process that beats every interval and be
// safe for concurrent use:
//
//   - before the first heartbeat nothing is suspected and there is no deadline;
//   - the level is finite, not below 0, 0 at a heartbeat, never falls in
//     silence and grows beyond any bound (accruement);
//   - regular heartbeats are never suspected (upper bound), and silence is,
//     after one heartbeat as well as after many;
//   - Deadline is the exact inverse of Suspicion and of [liveness.Suspected],
//     and a higher level is never reached sooner;
//   - asking changes nothing;
//   - a heartbeat ends suspicion, and one long outage does not double the
//     detection time;
//   - one heartbeat from before the last changes nothing, and of two in a row
//     from long before the second is the last one: see Heartbeat of
//     [liveness.Detector];
//   - clocks that jump or lie at the ends of what a Time can hold do no harm;
//   - neither a heartbeat nor, between two of them, a repeated query allocates.
func TestDetector(interval time.Duration, newDetector func() liveness.Detector) error {
	const least, most = time.Microsecond, 100 * 24 * time.Hour
	switch {
	case interval < least || interval > most:
		return fmt.Errorf("livenesstest: interval is %v, want a duration from 1µs to 100 days", interval)
	case newDetector == nil:
		return errors.New("livenesstest: newDetector is nil, want a function that makes a detector")
	case newDetector() == nil:
		return errors.New("livenesstest: newDetector returned nil, want a detector")
	}
	k := kit{interval: interval, fresh: newDetector}
	var r report
	r.run("unknown", k.unknown)
	r.run("levels", k.levels)
	r.run("late heartbeat", k.late)
	r.run("deadlines", k.deadlines)
	r.run("regular heartbeats", k.regular)
	r.run("asking", k.asking)
	r.run("outage", k.outage)
	r.run("backwards", k.backwards)
	r.run("extremes", k.extremes)
	r.run("concurrency", k.concurrency)
	r.run("allocations", k.allocations)
	return r.err()
}

type kit struct {
	interval time.Duration
	fresh    func() liveness.Detector
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// history returns a detector that heard n heartbeats with a small steady jitter, and the last of them.
func (k kit) history(n int) (liveness.Detector, time.Time) {
	d := k.fresh()
	return d, k.beats(d, start, n)
}

// beats gives d n heartbeats, the first at from, and returns the last.
func (k kit) beats(d liveness.Detector, from time.Time, n int) time.Time {
	at := from
	for i := range n {
		at = from.Add(time.Duration(i)*k.interval + k.interval/100*time.Duration(i*i%7-3))
		d.Heartbeat(at)
	}
	return at
}

func valid(level float64) bool {
	return level >= 0 && level <= math.MaxFloat64 && !math.Signbit(level)
}

func (k kit) unknown(r *report) {
	d := k.fresh()
	for _, now := range []time.Time{{}, start, start.AddDate(100, 0, 0)} {
		r.check(d.Suspicion(now) == 0, "unknown is not suspected", "Suspicion(%v) = %v before the first heartbeat", now, d.Suspicion(now))
		r.check(!liveness.Suspected(d, now), "unknown is not suspected", "Suspected(%v) before the first heartbeat", now)
	}
	for _, level := range []float64{-1, 0, 1, d.Threshold(), math.Inf(1), math.NaN()} {
		r.check(d.Deadline(level).IsZero(), "no deadline before the first heartbeat", "Deadline(%v) = %v", level, d.Deadline(level))
	}
	r.check(d.Threshold() > 0 && d.Threshold() <= math.MaxFloat64, "threshold", "Threshold() = %v", d.Threshold())
}

func (k kit) levels(r *report) {
	for _, n := range []int{1, 2, 3, 10, 1200} {
		d, last := k.history(n)
		r.check(d.Suspicion(last) == 0, "0 at a heartbeat", "Suspicion = %v at heartbeat %d", d.Suspicion(last), n)
		before := 0.0
		silence := time.Duration(0)
		step := func(by time.Duration) {
			silence += by
			level := d.Suspicion(last.Add(silence))
			r.check(valid(level), "finite and not below 0", "Suspicion = %v after %v of silence", level, silence)
			r.check(!(level < before), "never falls in silence", "Suspicion = %v after %v of silence, and was %v", level, silence, before)
			before = level
		}
		// Nanosecond by nanosecond around what matters, and in growing steps between.
		for silence < 40*k.interval {
			for range 50 {
				step(1)
			}
			step(k.interval / 50)
		}
		for silence < 100*365*24*time.Hour {
			at := before
			step(silence / 4)
			r.check(before > at, "grows without bound", "Suspicion stays at %v from %v to %v of silence", at, silence*4/5, silence)
		}
		r.check(before > d.Threshold(), "silence is suspected", "Suspicion = %v after %v of silence and %d heartbeats", before, silence, n)
	}
}

// late checks the contract around a heartbeat that came nine tenths of an interval late.
func (k kit) late(r *report) {
	d, last := k.history(1200)
	last = last.Add(k.interval + k.interval/10*9)
	d.Heartbeat(last)
	for _, now := range []time.Time{last.Add(-k.interval / 2), last.Add(-1), last} {
		r.check(d.Suspicion(now) == 0, "0 until after the last heartbeat", "Suspicion = %v at %v from it", d.Suspicion(now), now.Sub(last))
	}
	for level := d.Threshold() * 1e-6; level < 2*d.Threshold(); level *= 1.5 {
		due := d.Deadline(level)
		r.check(due.After(last), "a deadline is after the last heartbeat", "Deadline(%v) is %v from it", level, due.Sub(last))
		r.check(d.Suspicion(due) >= level && d.Suspicion(due.Add(-1)) < level, "deadline inverts", "after a late heartbeat, Suspicion is %v at Deadline(%v) and %v a nanosecond before", d.Suspicion(due), level, d.Suspicion(due.Add(-1)))
	}
}

func (k kit) deadlines(r *report) {
	for _, n := range []int{1, 2, 10, 1200} {
		d, last := k.history(n)
		for _, level := range []float64{math.Inf(-1), -1, 0} {
			r.check(d.Deadline(level).Equal(last), "level 0 is reached at the heartbeat", "Deadline(%v) = %v, last heartbeat %v", level, d.Deadline(level), last)
		}
		horizon := last.AddDate(200, 0, 0)
		for _, level := range []float64{math.Inf(1), math.NaN()} {
			r.check(!d.Deadline(level).Before(horizon), "what is never reached", "Deadline(%v) = %v, want about 292 years off", level, d.Deadline(level))
		}
		before := last
		for level := d.Threshold() * 1e-6; level < d.Threshold()*1e4; level *= 1.5 {
			due := d.Deadline(level)
			r.check(!due.Before(before), "a higher level is not reached sooner", "Deadline(%v) = %v, and %v for less", level, due, before)
			before = due
			if !due.Before(horizon) {
				continue
			}
			r.check(d.Suspicion(due) >= level, "deadline inverts", "after %d heartbeats, Suspicion(Deadline(%v)) = %v, want at least that level: round the deadline up", n, level, d.Suspicion(due))
			r.check(d.Suspicion(due.Add(-1)) < level, "deadline inverts", "after %d heartbeats, Suspicion is %v a nanosecond before Deadline(%v)", n, d.Suspicion(due.Add(-1)), level)
		}
		due := d.Deadline(d.Threshold())
		r.check(liveness.Suspected(d, due), "suspected from the deadline on", "not suspected at %v", due)
		r.check(!liveness.Suspected(d, due.Add(-1)), "not suspected before the deadline", "suspected a nanosecond before %v", due)
		r.check(due.Location() == last.Location(), "deadline keeps the location", "%v", due)
	}
}

func (k kit) regular(r *report) {
	d := k.fresh()
	at := start
	for i := range 3000 {
		d.Heartbeat(at)
		r.check(!liveness.Suspected(d, at), "a heartbeat is trusted", "suspected at heartbeat %d", i)
		next := at.Add(k.interval)
		r.check(!liveness.Suspected(d, next.Add(-1)), "regular heartbeats are trusted", "suspected before heartbeat %d was due", i+1)
		at = next
	}
}

func (k kit) asking(r *report) {
	quiet, asked := k.fresh(), k.fresh()
	at := start
	for i := range 1500 {
		at = at.Add(k.interval + k.interval/20*time.Duration(i%5-2))
		if i%400 == 399 {
			at = at.Add(100 * k.interval)
		}
		quiet.Heartbeat(at)
		asked.Heartbeat(at)
		asked.Suspicion(at.Add(k.interval * time.Duration(i%30)))
		asked.Suspicion(at.Add(-k.interval))
		asked.Deadline(float64(i%12) - 1)
		liveness.Suspected(asked, at.Add(k.interval*50))
		if now := at.Add(3 * k.interval); i%100 == 0 {
			r.check(quiet.Suspicion(now) == asked.Suspicion(now), "asking changes nothing", "Suspicion is %v, and %v where it was asked before", quiet.Suspicion(now), asked.Suspicion(now))
		}
	}
}

func (k kit) outage(r *report) {
	d, last := k.history(1200)
	usual := d.Deadline(d.Threshold()).Sub(last)
	back := last.Add(600 * k.interval)
	r.check(liveness.Suspected(d, back), "an outage is suspected", "not suspected after %v", back.Sub(last))
	d.Heartbeat(back)
	r.check(!liveness.Suspected(d, back), "a heartbeat ends suspicion", "still suspected")
	last = k.beats(d, back.Add(k.interval), 3)
	after := d.Deadline(d.Threshold()).Sub(last)
	r.check(after < 2*usual, "one outage does not blind", "the detection time was %v and is %v", usual, after)
}

func (k kit) backwards(r *report) {
	d, last := k.history(100)
	now := last.Add(2 * k.interval)
	want := d.Suspicion(now)
	for _, stray := range []time.Time{last.Add(-50 * k.interval), last} {
		d.Heartbeat(stray)
		r.check(d.Suspicion(now) <= want, "a stray heartbeat raises nothing", "Suspicion was %v and is %v after one %v back", want, d.Suspicion(now), last.Sub(stray))
	}
	r.check(d.Suspicion(last.Add(-time.Hour)) == 0, "0 before the last heartbeat", "Suspicion = %v", d.Suspicion(last.Add(-time.Hour)))

	// The clock is set back for good: silence must still be noticed, and
	// heartbeats on the new time trusted.
	at := last.Add(-1e6 * k.interval)
	for range 5 {
		at = at.Add(k.interval)
		d.Heartbeat(at)
	}
	r.check(!liveness.Suspected(d, at.Add(k.interval)), "a clock set back", "regular heartbeats are suspected")
	r.check(liveness.Suspected(d, at.Add(1000*k.interval)), "a clock set back", "after heartbeats in a row from long before the last one, a silence of %v is not suspected: the clock was set back", 1000*k.interval)
}

func (k kit) extremes(r *report) {
	d := k.fresh()
	instants := []time.Time{
		start, start, start.Add(1), {}, time.Unix(0, 0), time.Unix(1<<40, 0), time.Unix(-1<<40, 0),
		time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC), time.Now(), time.Now().Round(0), start, start.Add(k.interval),
	}
	for _, at := range instants {
		d.Heartbeat(at)
		for _, now := range instants {
			level := d.Suspicion(now)
			r.check(valid(level), "finite for any instants", "Suspicion(%v) = %v after a heartbeat at %v", now, level, at)
			liveness.Suspected(d, now)
		}
		d.Deadline(d.Threshold())
	}
	last := k.beats(d, start.Add(time.Hour), 20)
	r.check(!liveness.Suspected(d, last), "finite for any instants", "suspected at a heartbeat")
}

func (k kit) concurrency(r *report) {
	d := k.fresh()
	r.concurrently(4, func(g int) {
		for i := range 500 {
			at := start.Add(time.Duration(i)*k.interval + time.Duration(g))
			d.Heartbeat(at)
			d.Suspicion(at)
			liveness.Suspected(d, at)
			d.Deadline(float64(g))
		}
	})
	last := k.beats(d, start.Add(500*k.interval), 10)
	level := d.Suspicion(last.Add(k.interval))
	r.check(valid(level) && level < d.Threshold(), "concurrent use", "Suspicion = %v an interval after regular heartbeats from several goroutines", level)
}

func (k kit) allocations(r *report) {
	d, at := k.history(1200)
	heartbeat := func() {
		at = at.Add(k.interval)
		d.Heartbeat(at)
	}
	heartbeat()
	query := func() {
		d.Suspicion(at)
		d.Deadline(d.Threshold())
		liveness.Suspected(d, at)
	}
	for name, f := range map[string]func(){"a heartbeat": heartbeat, "a repeated query": query} {
		n := allocs(f)
		r.check(n < 1, "no allocations", "%v for %s", n, name)
	}
}
