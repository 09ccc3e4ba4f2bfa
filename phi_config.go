package liveness

import (
	"cmp"
	"time"
)

const (
	defaultThreshold = 8
	defaultWindow    = 1000
	defaultInterval  = time.Second
	defaultWeight    = 2
	defaultMinStdDev = 10 * time.Millisecond
	defaultMinRel    = 0.4
)

// PhiConfig configures a [Phi]. The zero value is usable: each field says what
// its zero means.
type PhiConfig struct {
	// Threshold is the φ from which the process is suspected, above 0 and at
	// most 1e12. A calibrated law makes one mistake in 10^Threshold
	// heartbeats. Higher is slower and surer. Zero means 8.
	Threshold float64

	// Distribution names the law of the gaps; the fitted parameters of the
	// value given do not matter. Thresholds do not carry over from one law
	// to another: after 1000 gaps of 1 s, at 2 s of silence, an Exponential
	// says 0.87 and a Gaussian with StdDev 0.1 says 23. Nil means Gaussian.
	Distribution Distribution

	// WindowSize is the number of gaps the law is fitted to, from 1 to
	// 1048576. Larger is steadier and slower to follow. It costs 8 bytes a
	// gap. Zero means 1000.
	WindowSize int

	// ExpectedInterval is the gap expected before any was seen: the prior.
	// It stands for PriorWeight gaps with this mean and a quarter of it as
	// their standard deviation, and fades as gaps arrive, to nothing at the
	// 100th, or when the window is full. Set it to the interval at which the process
	// sends. Zero means 1 s.
	ExpectedInterval time.Duration

	// PriorWeight is how many gaps the prior is worth at the start, from
	// 1e-100, which is as good as nothing once there is a gap, to 1e6. Zero
	// means 2.
	PriorWeight float64

	// MinStdDev and MinRelStdDev are the floor of the standard deviation:
	// the larger of MinStdDev and MinRelStdDev times the mean. Without one,
	// regular heartbeats would make a delay of a millisecond damning.
	//
	// If both are zero they mean 10 ms and 0.4, at which, with a Gaussian
	// and a Threshold of 8, a process may be silent for 3.2 intervals
	// however regular it has been. If one is set, the zero of the other
	// means none. MinRelStdDev is at most 100. An Exponential has no use for
	// either.
	MinStdDev    time.Duration
	MinRelStdDev float64

	// AcceptablePause is added to every gap: φ is that of the silence less
	// this pause. It is for pauses that are known and rare, such as garbage
	// collections, and it is paid in full at every detection. Zero means
	// none.
	AcceptablePause time.Duration
}

// NewPhi returns a φ detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewPhi(cfg PhiConfig) (*Phi, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	d := &Phi{
		threshold: cfg.Threshold,
		kind:      kindOf(cfg.Distribution),
		expected:  cfg.ExpectedInterval.Seconds(),
		fade:      cfg.PriorWeight / float64(priorSpan(cfg.WindowSize)),
		minStdDev: cfg.MinStdDev.Seconds(),
		minRel:    cfg.MinRelStdDev,
		pause:     int64(cfg.AcceptablePause),
		window:    makeWindow(cfg.WindowSize),
	}
	if d.kind == foreign {
		d.foreign = &foreignLaw{family: cfg.Distribution}
	}
	d.unit = d.kind.unit(cfg.Threshold)
	d.outageUnit = d.kind.unit(max(outageLevel, cfg.Threshold))
	d.surely = d.surelyNoOutage()
	d.forget()
	return d, nil
}

func (cfg *PhiConfig) setDefaults() {
	if unset(cfg.Threshold) {
		cfg.Threshold = defaultThreshold
	}
	if cfg.WindowSize == 0 {
		cfg.WindowSize = defaultWindow
	}
	if cfg.ExpectedInterval == 0 {
		cfg.ExpectedInterval = defaultInterval
	}
	if unset(cfg.PriorWeight) {
		cfg.PriorWeight = defaultWeight
	}
	if cfg.MinStdDev == 0 && unset(cfg.MinRelStdDev) {
		cfg.MinStdDev, cfg.MinRelStdDev = defaultMinStdDev, defaultMinRel
	}
}

func (cfg *PhiConfig) check() error {
	threshold, weight, rel := cfg.Threshold, cfg.PriorWeight, cfg.MinRelStdDev
	return cmp.Or(
		check(threshold > 0 && threshold <= maxLevel, "Threshold", threshold, "a finite number above 0, at most %v", maxLevel),
		checkWindowSize("WindowSize", cfg.WindowSize),
		checkDuration("ExpectedInterval", cfg.ExpectedInterval),
		check(weight >= minWeight && weight <= maxWeight, "PriorWeight", weight, "a number from %v to %v", minWeight, maxWeight),
		checkDurationOrZero("MinStdDev", cfg.MinStdDev),
		check(unset(rel) || rel > 0 && rel <= maxRel, "MinRelStdDev", rel, "a finite number above 0, at most %v", maxRel),
		checkDurationOrZero("AcceptablePause", cfg.AcceptablePause),
	)
}
