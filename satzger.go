package liveness

import (
	"cmp"
	"math"
	"sync"
	"time"
)

// SatzgerConfig configures a [Satzger]. The zero value is usable: each field
// says what its zero means.
type SatzgerConfig struct {
	// Threshold is the level from which the process is suspected, above 0 and
	// at most 1e12. A threshold s of the original corresponds to −log10(1−s):
	// its 0.5 to 0.3. What is above log10(n+1) for a WindowSize of n is
	// extrapolated. Zero means 8.
	Threshold float64

	// ScalingFactor is α, by which the silence is multiplied, above 0 and at
	// most 100. Below 1 the process is suspected less: 0.9 is common. Above 1
	// levels promise more than the gaps say. Zero means 1.
	ScalingFactor float64

	// WindowSize is the number n of gaps, from 1 to 1048576, at 24 bytes
	// each. Zero means 1000.
	WindowSize int

	// ExpectedInterval is the gap expected before any was seen, from 1 µs to
	// 100 days: as long as there are fewer than 100 gaps, or than WindowSize
	// if that is smaller, those that are missing are taken to be this long.
	// Zero means 1 s.
	ExpectedInterval time.Duration
}

// Satzger is the accrual detector of Satzger, Pietzowski, Trumler and Ungerer
// ("A new adaptive accrual failure detector for dependable distributed systems",
// SAC 2007), on a scale that does not end. Of the latest n gaps x, and with t the
// time since the last heartbeat, the original's suspicion is their share that is
// over,
//
//	s(t) = |{x ≤ α t}| / n
//
// which is [Satzger.Share]. It ends at 1: after the longest gap it cannot tell a
// process that is a little late from one that died long ago. So the level is
//
//	−log10 ((N + 1)/(n + 1)),   N = |{x > α t}| = n (1 − s(t))
//
// up to the longest gap m, where it is log10(n+1), and from there on
//
//	log10(n+1) · α t / m
//
// It has the scale of the φ of a [Phi]: as long as each gap is as likely as any
// other to be the longest, and α is 1, the next one is longer than xₖ, the k-th
// shortest, with the probability (n + 1 − k)/(n + 1), and the level at xₖ is −log10
// of that. No law is assumed up to there. Beyond m nothing is known, and the level
// grows as if the gaps followed the exponential law on which m is the quantile
// that it was; at the default threshold and n = 1000, until 2.7 times the longest
// gap. So all that a consumer reads above 3 hangs on the one longest gap, and for
// gaps with heavy tails grows too fast. Levels below that are what this detector
// is for.
//
// # What a gap teaches
//
// A gap teaches its length, with the exceptions and by the rules that [Phi]
// describes: gaps of 0, heartbeats out of order, outages, deaths, and heartbeats
// that queued up. The wait is here the time to the level 8, or to Threshold if
// that is higher; an outage is learnt as m, as it stood before the first outage
// within a window; the usual gap that queued heartbeats are compared with is the
// median.
//
// A Satzger is safe for concurrent use. A heartbeat and a query cost O(log n) on
// average, but [Satzger.Suspected] costs O(1), and none of them allocates. It
// starts no goroutine and no timer. It must be made by [NewSatzger]; the zero
// value panics at its first heartbeat.
type Satzger struct {
	threshold, scale float64

	due dueTime // the deadline of the threshold

	mu      sync.Mutex // protects what follows
	arrival arrival
	gaps    gaps
	count   int     // n
	longest int64   // m
	decades float64 // log10(n+1)
	wait    int64   // the time to the threshold
}

// NewSatzger returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewSatzger(cfg SatzgerConfig) (*Satzger, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	d := &Satzger{
		threshold: cfg.Threshold,
		scale:     cfg.ScalingFactor,
		gaps:      makeGaps(cfg.WindowSize, cfg.ExpectedInterval),
	}
	d.settle()
	return d, nil
}

func (cfg *SatzgerConfig) setDefaults() {
	cfg.Threshold = or(cfg.Threshold, defaultThreshold)
	cfg.ScalingFactor = or(cfg.ScalingFactor, 1)
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultWindow)
	cfg.ExpectedInterval = cmp.Or(cfg.ExpectedInterval, defaultInterval)
}

func (cfg *SatzgerConfig) check() error {
	return cmp.Or(
		checkThreshold(cfg.Threshold),
		checkFactor("ScalingFactor", cfg.ScalingFactor),
		checkWindowSize("WindowSize", cfg.WindowSize),
		checkDuration("ExpectedInterval", cfg.ExpectedInterval),
	)
}

// Heartbeat records that a heartbeat arrived and learns from the gap since the
// last one, by the rules in the type's comment. One before the last is taken as
// delivered out of order and changes nothing, unless it is the second in a row
// that lies further back than the detector would have waited: then the clock was
// set back, and it is the last one.
func (d *Satzger) Heartbeat(at time.Time) {
	if d.scale == 0 {
		panic("liveness: Satzger not made by NewSatzger")
	}
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	patience := d.patience()
	gap, moved := d.arrival.next(at, off, patience)
	if gap > 0 {
		d.gaps.learn(gap, patience, d.longest)
		d.settle()
	}
	switch {
	case moved && d.wait < never:
		d.due.store(plus(off, d.wait))
	case moved:
		d.due.store(never)
	}
}

// patience returns how long a gap is no outage. It requires mu.
func (d *Satzger) patience() int64 { return d.beyond(max(d.threshold, outageLevel)) }

// settle takes stock of the gaps. It requires mu.
func (d *Satzger) settle() {
	if n := d.gaps.count(); n != d.count {
		d.count, d.decades = n, math.Log10(float64(n+1))
	}
	d.longest = d.gaps.at(d.count)
	d.wait = d.reach(d.threshold)
}

// level returns the level after a silence of elapsed nanoseconds. It requires mu.
func (d *Satzger) level(elapsed int64) float64 {
	if elapsed <= 0 {
		return 0
	}
	scaled := d.scale * float64(elapsed)
	if longest := float64(d.longest); scaled >= longest {
		return d.decades * (scaled / longest)
	}
	return math.Log10(float64(d.count+1) / float64(d.gaps.longer(int64(scaled))+1))
}

// reach returns the smallest silence at which the level is reached, never if
// there is none. It requires mu.
func (d *Satzger) reach(level float64) int64 {
	switch {
	case level <= 0:
		return 0
	case math.IsNaN(level):
		return never
	}
	guess := d.beyond(level)
	if level < d.decades { // k gaps of all n have to be over, (n+1)/(n+1−k) ≥ 10^level
		k := int(math.Ceil(float64(d.count+1) * -math.Expm1(-level*math.Ln10)))
		guess = toNanoseconds(float64(d.gaps.at(min(max(k, 1), d.count))) / d.scale / nanos)
	}
	return first(guess, func(elapsed int64) bool { return d.level(elapsed) >= level })
}

// beyond returns the silence at which a level above those of the gaps is
// reached, to within a few nanoseconds. It requires mu.
func (d *Satzger) beyond(level float64) int64 {
	return toNanoseconds(level / d.decades * float64(d.longest) / d.scale / nanos)
}

// Suspicion returns the level at now. See [Satzger] for the formula.
func (d *Satzger) Suspicion(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrival.count == 0 {
		return 0
	}
	return d.level(minus(off, d.arrival.off))
}

// Share returns the suspicion value of the original, s, from 0 to 1: the share of
// the gaps learnt that are no longer than the silence at now times the scaling
// factor. It is 0 before there are any; ExpectedInterval does not count.
func (d *Satzger) Share(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrival.count == 0 {
		return 0
	}
	elapsed, n := minus(off, d.arrival.off), d.gaps.learnt.Len()
	scaled := d.scale * float64(elapsed)
	switch {
	case elapsed <= 0 || n == 0:
		return 0
	case scaled >= float64(d.longest):
		return 1
	}
	return float64(n-d.gaps.learnt.Above(int64(scaled))) / float64(n)
}

// Deadline returns the first instant at which the level is reached if no
// heartbeat arrives, to the nanosecond. It costs O(log n).
func (d *Satzger) Deadline(level float64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.arrival.count == 0 {
		return time.Time{}
	}
	if level == d.threshold {
		return d.arrival.after(d.wait)
	}
	return d.arrival.after(d.reach(level))
}

// Suspected reports whether the level has reached the threshold at now. It takes
// no lock and costs one comparison.
func (d *Satzger) Suspected(now time.Time) bool { return isDue(d.due.load(), now) }

// Threshold returns the level from which the process is suspected.
func (d *Satzger) Threshold() float64 { return d.threshold }
