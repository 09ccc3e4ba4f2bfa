package liveness

import (
	"cmp"
	"math"
	"time"
)

const (
	defaultQuantile = 0.99
	defaultFactor   = 2.5
)

// QuantileConfig configures a [Quantile]. The zero value is usable: each field
// says what its zero means.
type QuantileConfig struct {
	// Quantile is p, the share of the gaps that are no longer than the
	// quantile, above 0 and at most n/(n+1) for a WindowSize of n: no n gaps
	// know more. Zero means 0.99.
	Quantile float64

	// Factor multiplies the quantile, from 1 to 100. Zero means 2.5: of
	// regular heartbeats one may be lost without a mistake.
	Factor float64

	// Margin, up to 100 days, is added to the product. Zero means none.
	Margin time.Duration

	// WindowSize is the number n of gaps the quantile is taken from, from 1
	// to 1048576, at 24 bytes each. Zero means 1000.
	WindowSize int

	// ExpectedInterval is the gap expected before any was seen, from 1 µs to
	// 100 days: as long as there are fewer than 100 gaps, or than WindowSize
	// if that is smaller, those that are missing are taken to be this long.
	// Zero means 1 s.
	ExpectedInterval time.Duration
}

// Quantile suspects a process after a silence that is longer than nearly all of
// its latest gaps, with a factor or a margin for what they do not show. Of the
// latest n gaps in order of length, x₁ to xₙ, it takes
//
//	timeout = Factor · xₖ + Margin,   k = min(⌈p (n + 1)⌉, n)
//
// rounded up to a nanosecond. The level is the silence as a multiple of it,
//
//	(now − last) / timeout
//
// with last the arrival of the last heartbeat, and its threshold is 1. The order
// statistic is exact, and no law is assumed.
//
// # What it promises
//
// Whatever the law of the gaps, as long as each is as likely as any other to be
// the longest, the next one is longer than xₖ with the probability
// (n + 1 − k)/(n + 1), which is at most 1 − p. So with a Factor of 1 and no
// Margin it makes 1 − p mistakes a heartbeat: with p = 0.99 one in a hundred
// heartbeats, or one every two minutes at a heartbeat a second. That is the price
// of any timeout at a quantile, and mostly far too high to act upon. What Factor
// and Margin save is not promised by the gaps: it depends on their tail. A
// window of n gaps says nothing of what is rarer than one in n, and gaps that
// come in bursts break the promise.
//
// # What a gap teaches
//
// A gap teaches its length, with the exceptions and by the rules that [Phi]
// describes: gaps of 0, heartbeats out of order, outages, deaths, and heartbeats
// that queued up. The wait is here the timeout, or 2.5 xₖ if that is longer; an
// outage is learnt as xₖ, as it stood before the first outage within a window,
// so that a single one never moves the timeout up; the usual gap that queued
// heartbeats are compared with is the median.
//
// A Quantile is safe for concurrent use. A heartbeat costs O(log n) on average
// and a query O(1), and neither allocates. It starts no goroutine and no timer.
// It must be made by [NewQuantile]; the zero value panics at its first heartbeat.
type Quantile struct {
	countdown

	p, factor, margin float64

	// Protected by mu.
	gaps     gaps
	quantile int64 // xₖ
}

// NewQuantile returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewQuantile(cfg QuantileConfig) (*Quantile, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	d := &Quantile{
		p:      cfg.Quantile,
		factor: cfg.Factor,
		margin: float64(cfg.Margin),
		gaps:   makeGaps(cfg.WindowSize, cfg.ExpectedInterval),
	}
	d.settle()
	return d, nil
}

func (cfg *QuantileConfig) setDefaults() {
	cfg.Quantile = or(cfg.Quantile, defaultQuantile)
	cfg.Factor = or(cfg.Factor, defaultFactor)
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultWindow)
	cfg.ExpectedInterval = cmp.Or(cfg.ExpectedInterval, defaultInterval)
}

func (cfg *QuantileConfig) check() error {
	n := float64(cfg.WindowSize)
	return cmp.Or(
		checkWindowSize("WindowSize", cfg.WindowSize),
		check(cfg.Quantile > 0 && cfg.Quantile <= n/(n+1), "Quantile", cfg.Quantile,
			"a number above 0, at most n/(n+1) = %.6g for a WindowSize of %d", n/(n+1), cfg.WindowSize),
		check(cfg.Factor >= 1 && cfg.Factor <= maxFactor, "Factor", cfg.Factor, "a number from 1 to %v", maxFactor),
		checkDurationOrZero("Margin", cfg.Margin),
		checkDuration("ExpectedInterval", cfg.ExpectedInterval),
	)
}

// Heartbeat records that a heartbeat arrived and learns from the gap since the
// last one, by the rules in the type's comment. One before the last is taken as
// delivered out of order and changes nothing, unless it is the second in a row
// that lies further back than the timeout: then the clock was set back, and it
// is the last one.
func (d *Quantile) Heartbeat(at time.Time) {
	if d.factor == 0 {
		panic("liveness: Quantile not made by NewQuantile")
	}
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	gap, moved := d.arrival.next(at, off, d.timeout)
	if gap > 0 {
		wait := max(d.timeout, times(5, d.quantile)/2) // in case of a small Factor
		d.gaps.learn(gap, wait, d.quantile)
		d.settle()
	}
	if moved {
		wait := d.timeout
		if wait > exactTimeout { // the level is 1 some nanoseconds before
			wait = reachRatio(1, wait)
		}
		d.due.store(plus(off, wait))
	}
}

// exactTimeout is the longest timeout, of 104 days, of which a float64 tells
// silences that are shorter by a nanosecond.
const exactTimeout = 1 << 53

// settle computes the timeout. It requires mu.
func (d *Quantile) settle() {
	const (
		rounding   = 1e-9    // 0.07 times 100 is above 7
		maxTimeout = 1 << 62 // 146 years
	)
	n := d.gaps.count()
	k := int(math.Ceil(d.p*float64(n+1) - rounding))
	d.quantile = d.gaps.at(min(max(k, 1), n))
	d.timeout = int64(math.Ceil(min(d.factor*float64(d.quantile)+d.margin, maxTimeout)))
}
