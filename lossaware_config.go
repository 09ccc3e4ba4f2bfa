package liveness

import (
	"cmp"
	"time"
)

const (
	defaultLossAwareThreshold = 4
	// minStdDevShare is the default of MinStdDev as a share of the interval.
	minStdDevShare = 100
)

// LossAwareConfig configures a [LossAware].
type LossAwareConfig struct {
	// Interval is the period η at which the process sends heartbeats, from
	// 1 µs to 100 days. It is required. See [LossAware] for how exact it has
	// to be.
	Interval time.Duration

	// Threshold is the φ from which the process is suspected, above 0 and at
	// most 1e12: one mistake in 10^Threshold heartbeats. As long as no
	// heartbeat was lost, it is unknown how losses come, and each heartbeat
	// that is due makes φ only 0.3 larger: with a window of 1000, 4 is then
	// reached after 4 intervals, and 8 after 17. Zero means 4.
	Threshold float64

	// WindowSize is the number n of heartbeats whose lateness is remembered,
	// from 1 to 1048576, at 12 bytes each. How often losses begin is
	// remembered as long: the weight of a heartbeat falls by 1/n with each
	// that follows. Zero means 1000.
	WindowSize int

	// MinStdDev is the floor of the lateness' standard deviation, from 1 µs
	// to 100 days. Without it, a process that has been regular would be late
	// at once. It is added, a few times over, to every detection, so keep it
	// well below Interval. Zero means a hundredth of Interval, but no less
	// than 1 µs.
	MinStdDev time.Duration
}

// NewLossAware returns a detector that has heard nothing yet. It returns an
// error that names the field, the value and the bound if cfg is out of range.
func NewLossAware(cfg LossAwareConfig) (*LossAware, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &LossAware{
		sequence:  sequence{interval: int64(cfg.Interval), window: makeWindow(scheduleWindow)},
		threshold: cfg.Threshold,
		minStdDev: cfg.MinStdDev.Seconds(),
		late:      makeWindow(cfg.WindowSize),
		least:     makeMinimum(cfg.WindowSize),
		losses:    losses{keep: 1 - 1/float64(cfg.WindowSize), window: uint64(cfg.WindowSize)},
	}, nil
}

func (cfg *LossAwareConfig) setDefaults() {
	cfg.Threshold = or(cfg.Threshold, defaultLossAwareThreshold)
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultWindow)
	cfg.MinStdDev = cmp.Or(cfg.MinStdDev, max(cfg.Interval/minStdDevShare, minDuration))
}

func (cfg *LossAwareConfig) check() error {
	return cmp.Or(
		checkDuration("Interval", cfg.Interval),
		checkThreshold(cfg.Threshold),
		checkWindowSize("WindowSize", cfg.WindowSize),
		checkDuration("MinStdDev", cfg.MinStdDev),
	)
}
