package liveness

import (
	"cmp"
	"math"
	"time"
)

const (
	defaultGain = 0.1
	defaultBias = 1
	// leastMarginShare is the default of MinMargin as a share of the interval.
	leastMarginShare = 10
)

// BertierConfig configures a [Bertier].
type BertierConfig struct {
	// Interval is the period η at which the process sends heartbeats, from
	// 1 µs to 100 days. It is required.
	Interval time.Duration

	// WindowSize is the number n of arrivals the expected arrival is
	// estimated from, from 1 to 1048576, at 8 bytes each. Zero means 1000.
	WindowSize int

	// MinMargin is the least margin α, from 1 µs to 100 days, and the one
	// that a detector begins with. Without it, a process that has been
	// regular would be suspected for a delay of a nanosecond. Set it no lower
	// than what a timer, a scheduler and a collection may take. Zero means a
	// tenth of Interval, but no less than 1 µs.
	MinMargin time.Duration

	// Gain is γ, the weight of the newest error, above 0 and at most 1. Zero
	// means 0.1.
	Gain float64

	// Bias is β, the weight of the mean error, above 0 and at most 100. Zero
	// means 1.
	Bias float64

	// Deviations is φ, the number of mean deviations in the margin, above 0
	// and at most 100. Zero means 4.
	Deviations float64
}

// Bertier is the detector of Bertier, Marin and Sens ("Implementation and
// performance evaluation of an adaptable failure detector", DSN 2002): a [Chen]
// whose margin is learnt, as Jacobson estimates the timeouts of TCP. It suspects
// from the freshness point EA + α on, with EA as for a Chen, and after the
// arrival A of each heartbeat
//
//	error = A − EA − delay
//	delay = delay + γ error
//	var   = var + γ (|error| − var)
//	α     = β delay + φ var, but at least MinMargin and at most 100 days
//
// to the nearest nanosecond, from delay = var = 0. EA is the arrival that was
// expected of this heartbeat, by its number if others were lost, and without the
// margin. The level grows from 0 at EA through 1 at the freshness point:
//
//	max(0, now − EA) / α   after the last heartbeat, 0 until then
//
// and its threshold is 1. What is ignored, and when the window starts again, is
// described at Chen.
//
// An arrival that is late by η + α or more, after an outage or a pause of the
// sender, is an error of η + α: with the default weights it makes the wait η + α
// longer by half, and nine tenths of that are forgotten in 36 heartbeats. One
// that is early by as much, after a jump of the numbers, teaches the margin nothing.
//
// There is nothing to tune it by, as its authors intended, and the point at which
// it settles is an early one: it detects in little more than η and makes many
// mistakes. A lost heartbeat is always one, unless α has grown to η. To trade one
// for the other use other levels than 1, or MinMargin, or a Chen or a
// [TwoWindow].
//
// A Bertier is safe for concurrent use. Each call costs O(1) and allocates
// nothing. It starts no goroutine and no timer. It must be made by [NewBertier];
// the zero value panics at its first heartbeat.
type Bertier struct{ sequence }

// NewBertier returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewBertier(cfg BertierConfig) (*Bertier, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Bertier{sequence{
		interval: int64(cfg.Interval),
		margin:   int64(cfg.MinMargin),
		window:   makeWindow(cfg.WindowSize),
		jacobson: &jacobson{
			gain:       cfg.Gain,
			bias:       cfg.Bias,
			deviations: cfg.Deviations,
			least:      int64(cfg.MinMargin),
		},
	}}, nil
}

func (cfg *BertierConfig) setDefaults() {
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultWindow)
	cfg.MinMargin = cmp.Or(cfg.MinMargin, max(cfg.Interval/leastMarginShare, minDuration))
	cfg.Gain = or(cfg.Gain, defaultGain)
	cfg.Bias = or(cfg.Bias, defaultBias)
	cfg.Deviations = or(cfg.Deviations, defaultDeviations)
}

func (cfg *BertierConfig) check() error {
	return cmp.Or(
		checkDuration("Interval", cfg.Interval),
		checkWindowSize("WindowSize", cfg.WindowSize),
		checkDuration("MinMargin", cfg.MinMargin),
		check(cfg.Gain > 0 && cfg.Gain <= 1, "Gain", cfg.Gain, "a number above 0, at most 1"),
		checkFactor("Bias", cfg.Bias),
		checkFactor("Deviations", cfg.Deviations),
	)
}

// Margin returns the present margin α: that of the next freshness point.
func (d *Bertier) Margin() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Duration(d.margin)
}

// jacobson is the margin of a Bertier. Times are in nanoseconds.
type jacobson struct {
	gain, bias, deviations float64
	least                  int64
	delay, deviation       float64 // the means of the error, and of what it is apart from that
}

// learn returns the margin after an arrival that was this far behind EA.
func (j *jacobson) learn(behind int64) int64 {
	e := float64(behind) - j.delay
	j.delay += j.gain * e
	j.deviation += j.gain * (math.Abs(e) - j.deviation)
	return j.margin()
}

// margin returns the margin of what has been learnt.
func (j *jacobson) margin() int64 {
	margin := int64(math.Round(j.bias*j.delay + j.deviations*j.deviation))
	return min(max(margin, j.least), int64(maxDuration))
}
