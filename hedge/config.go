package hedge

import (
	"cmp"
	"fmt"
	"math"
)

const (
	defaultExtraLoad = 0.05
	defaultWindow    = 1000
	defaultBurst     = 10
	maxWindow        = 1 << 20
	defaultServers   = 4096
	maxServers       = 1 << 30
	maxRate          = 1e9

	// above is how many latencies must lie beyond the delay: a quantile with
	// fewer above it is a guess.
	above = 5
)

// Config configures a [Hedger]. The zero value is usable: each field says what
// its zero means.
type Config struct {
	// ExtraLoad is the share of the requests to hedge, above 0 and at most
	// 0.5, and at least 5/(n+1) for a WindowSize of n, so that five of the
	// latencies lie beyond the delay. Zero means 0.05. In simulations of
	// lognormal, Pareto and two-humped latencies it came out as 0.95 to 1.01
	// of what was wanted.
	ExtraLoad float64

	// MaxExtraLoad caps the hedges at this share of the requests, at least
	// ExtraLoad and at most 1: each request earns so much of a hedge. Zero
	// means twice ExtraLoad.
	MaxExtraLoad float64

	// MaxPerSecond caps the hedges in time as well, above 0 and at most 1e9: a
	// second earns so many. Zero means no such cap.
	MaxPerSecond float64

	// Burst is how many earned hedges can be saved up, from 1 to 1e9, in each
	// budget. Both begin with that many. Zero means 10.
	//
	// A caller that sends n requests at once, such as a search that asks n
	// servers, earns n·MaxExtraLoad hedges at once, and what is above Burst is
	// lost: hedges are then capped at Burst/n of the requests. Set Burst to two
	// or three times n·MaxExtraLoad, which is about n/4 by default, so that one
	// fan-out that was late as a whole, for a pause of the caller, leaves some
	// for the next. The price is as many more hedges, once, when an outage
	// begins.
	Burst float64

	// MaxHedges is how many hedges one request may have, from 1 to 10, each
	// after another delay. Zero means 1.
	MaxHedges int

	// WindowSize is the number of latencies the delay is learnt from, from 9
	// to 1048576, at 24 bytes each. Zero means 1000.
	WindowSize int

	// MaxServers is how many servers are counted apart, from 1; any more are
	// counted together as [OtherServers]: names that come and go, such as
	// addresses, must not fill the memory. Zero means 4096.
	MaxServers int
}

// OtherServers is the name under which servers above MaxServers are counted.
const OtherServers = "(other servers)"

func (cfg *Config) setDefaults() {
	if unset(cfg.ExtraLoad) {
		cfg.ExtraLoad = defaultExtraLoad
	}
	if unset(cfg.MaxExtraLoad) {
		cfg.MaxExtraLoad = 2 * cfg.ExtraLoad
	}
	if unset(cfg.Burst) {
		cfg.Burst = defaultBurst
	}
	if cfg.MaxHedges == 0 {
		cfg.MaxHedges = 1
	}
	if cfg.WindowSize == 0 {
		cfg.WindowSize = defaultWindow
	}
	if cfg.MaxServers == 0 {
		cfg.MaxServers = defaultServers
	}
}

func (cfg *Config) check() error {
	least := above / float64(cfg.WindowSize+1)
	return cmp.Or(
		check(9 <= cfg.WindowSize && cfg.WindowSize <= maxWindow, "WindowSize", cfg.WindowSize, "a number from 9 to %d", maxWindow),
		check(least <= cfg.ExtraLoad && cfg.ExtraLoad <= 0.5, "ExtraLoad", cfg.ExtraLoad,
			"a number from 5/(n+1) = %.6g, for a WindowSize of %d, to 0.5", least, cfg.WindowSize),
		check(cfg.ExtraLoad <= cfg.MaxExtraLoad && cfg.MaxExtraLoad <= 1, "MaxExtraLoad", cfg.MaxExtraLoad,
			"a number from ExtraLoad, which is %v, to 1", cfg.ExtraLoad),
		check(unset(cfg.MaxPerSecond) || 0 < cfg.MaxPerSecond && cfg.MaxPerSecond <= maxRate, "MaxPerSecond", cfg.MaxPerSecond,
			"a number above 0, at most %v", maxRate),
		check(1 <= cfg.Burst && cfg.Burst <= maxRate, "Burst", cfg.Burst, "a number from 1 to %v", maxRate),
		check(1 <= cfg.MaxHedges && cfg.MaxHedges <= 10, "MaxHedges", cfg.MaxHedges, "a number from 1 to 10"),
		check(1 <= cfg.MaxServers && cfg.MaxServers <= maxServers, "MaxServers", cfg.MaxServers, "a number from 1 to %d", maxServers),
	)
}

// check returns an error that names the field, its value and the bound, unless
// ok, which should ask for what is wanted: NaN is neither above nor below.
func check(ok bool, field string, value any, want string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("hedge: %s is %v, want %s", field, value, fmt.Sprintf(want, args...))
}

// unset reports whether a number in a config was left out. Negative zero was not.
func unset(x float64) bool { return x == 0 && !math.Signbit(x) }
