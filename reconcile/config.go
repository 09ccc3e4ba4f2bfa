package reconcile

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"
)

const (
	defaultLow        = 0.5
	defaultHigh       = 2
	defaultMaxAge     = 24 * time.Hour
	defaultMaxNothing = 0.01
	maxAge            = 1000 * 24 * time.Hour
)

// Config configures a [Checker]. Each field says what its zero means.
type Config struct {
	// Keys are those that every run must bring, at least one, none of them
	// empty or there twice.
	Keys []string

	// Low and High are the band of a count, as multiples of that of the same
	// weekday a week before: Low above 0 and at most 1, High at least 1 and
	// finite. Zero means 0.5 and 2.
	//
	// A count n outside of it, where it was m before, is a finding if it
	// differs by more than chance does, too: |n − m| > 4 √(n + m), the standard
	// deviation of the difference of two Poisson counts. So a key with few
	// records is not judged by their number, except by whether there are any.
	Low, High float64

	// MaxAge is how old the newest record of a key may be, from 1 s to 1000
	// days. Zero means a day.
	MaxAge time.Duration

	// MaxNothing is the share of the values of a field, under one key, that may
	// become nothing, above 0 and at most 1. Zero means 0.01. Nothing is allowed
	// for chance: 1 of 50 is too many by default.
	MaxNothing float64
}

func (cfg *Config) setDefaults() {
	if unset(cfg.Low) {
		cfg.Low = defaultLow
	}
	if unset(cfg.High) {
		cfg.High = defaultHigh
	}
	if cfg.MaxAge == 0 {
		cfg.MaxAge = defaultMaxAge
	}
	if unset(cfg.MaxNothing) {
		cfg.MaxNothing = defaultMaxNothing
	}
}

// check requires sorted keys.
func (cfg *Config) check() error {
	distinct := len(slices.Compact(slices.Clone(cfg.Keys))) == len(cfg.Keys)
	return cmp.Or(
		check(len(cfg.Keys) > 0 && cfg.Keys[0] != "" && distinct, "Keys", fmt.Sprintf("%q", cfg.Keys),
			"at least one key, none of them empty or there twice"),
		check(0 < cfg.Low && cfg.Low <= 1, "Low", cfg.Low, "a number above 0, at most 1"),
		check(1 <= cfg.High && cfg.High <= math.MaxFloat64, "High", cfg.High, "a finite number, at least 1"),
		check(time.Second <= cfg.MaxAge && cfg.MaxAge <= maxAge, "MaxAge", cfg.MaxAge, "a duration from 1s to 1000 days"),
		check(0 < cfg.MaxNothing && cfg.MaxNothing <= 1, "MaxNothing", cfg.MaxNothing, "a number above 0, at most 1"),
	)
}

// check returns an error that names the field, its value and the bound, unless
// ok, which should ask for what is wanted: NaN is neither above nor below.
func check(ok bool, field string, value any, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("reconcile: %s is %v, want %s", field, value, want)
}

// unset reports whether a number in a config was left out. Negative zero was not.
func unset(x float64) bool { return x == 0 && !math.Signbit(x) }
