package liveness

import (
	"cmp"
	"math"
	"time"
)

const (
	defaultWeight = 2
	// A predictive law fitted to two gaps is patient beyond use.
	defaultWeightPredictive = 10
	defaultMinStdDev        = 10 * time.Millisecond

	// At the default threshold these make a process that is regular to the
	// nanosecond suspected after 4.1 and 4.3 intervals: see B130 in the tests.
	defaultMinRel            = 0.55
	defaultMinRelLogNormal   = 0.27
	defaultMinRelLogStudentT = 0.26
	defaultMinRelLogistic    = 0.6
	defaultMinRelShifted     = 0.18
)

// PhiConfig configures a [Phi]. The zero value is usable: each field says what
// its zero means.
type PhiConfig struct {
	// Threshold is the φ from which the process is suspected, above 0 and at
	// most 1e12. A law that fits the gaps makes one mistake in 10^Threshold
	// heartbeats. Higher is slower and surer: on a link of one heartbeat a second
	// that loses 1 % in bursts of three, an Empirical law reaches 4 after some
	// 13 s and 8 after 83 s. Zero means 8.
	Threshold float64

	// Distribution is the family of the law of the gaps; only its type
	// matters. Thresholds do not carry over from one law to another: for a
	// process that beats every second, regularly, and with all defaults, an
	// Empirical and a Gaussian reach 8 after 4.1 s, a LogNormal after 4.3 s,
	// and an Exponential after 18.4 s. Nil means Empirical: of all laws here
	// it alone keeps the promise of φ on real networks. A Gaussian is the
	// cheapest, in time and in memory, and the one that others call φ.
	Distribution Distribution

	// WindowSize is the number of gaps the law is fitted to, from 1 to
	// 1048576. Larger is steadier and slower to follow: after a process
	// became five times slower, a Gaussian follows after some thirty false
	// suspicions with 1000 gaps, and a few with 100; an Empirical law after
	// three. Each gap takes 8 bytes, or 14 with an Empirical law, at once.
	// Below 200 an Empirical law is a Gaussian, and its promise is off; of
	// more than 10 000 it uses 10 000. Zero means 1000.
	WindowSize int

	// ExpectedInterval is the gap expected before any was seen, from 1 µs to
	// 100 days: the prior. It stands for PriorWeight gaps with this mean and
	// a quarter of it as their standard deviation, and fades with each gap,
	// to nothing at the 100th, or when a smaller window is full. Set it to
	// the interval at which the process sends: a process that beats more
	// slowly is suspected at its start, and one that beats faster is given
	// too long. Zero means 1 s.
	ExpectedInterval time.Duration

	// PriorWeight is how many gaps the prior is worth at the start, from
	// 1e-100, which is as good as nothing once there is a gap, to 1e6. Zero
	// means 2, or 10 for the laws that depend on the number of gaps, [StudentT],
	// [LogStudentT], [Lomax] and [ShiftedExponential]: see Phi for what the
	// prior does to these.
	PriorWeight float64

	// MinStdDev, from 1 µs to 100 days, and MinRelStdDev, above 0 and at most
	// 100, are the floor of the standard deviation: the larger of MinStdDev
	// and of MinRelStdDev times the mean. Without one, regular heartbeats
	// would make a delay of a millisecond look like a death. What they mean to
	// an Empirical law is said there. An Exponential has no use for either.
	//
	// If both are zero they mean 10 ms and 0.55, or another share that does
	// the same for another law: at the default threshold three lost heartbeats
	// in a row are survived, or a pause of three intervals, however regular
	// the process has been. For LogNormal and LogStudentT they mean none and
	// 0.27 or 0.26. If one is set, the zero of the other means none: so setting
	// MinStdDev alone takes the relative floor away, and with it most of the
	// wait of a fitted law. A LogNormal turns a standard deviation above the mean into waits of
	// hundreds of means, so give it no MinStdDev near its interval.
	MinStdDev    time.Duration
	MinRelStdDev float64

	// AcceptablePause, up to 100 days, is added to every gap: φ is that of the
	// silence less this pause. It is for pauses that are known and rare, such
	// as garbage collections. It delays every level, the low ones too, and is
	// paid in full at every detection. Zero means none.
	AcceptablePause time.Duration
}

// NewPhi returns a φ detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewPhi(cfg PhiConfig) (*Phi, error) {
	jitter := math.Inf(1)
	if cfg.floorUnset() {
		jitter = defaultJitter
	}
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	kind, window := kindOf(cfg.Distribution), cfg.WindowSize
	switch {
	case kind == empirical && window < empiricalLeast:
		kind = gaussian
	case kind == empirical:
		window = empiricalLeast // of moments
	}
	d := placePhi(window)
	d.settings = newSettings(&cfg, kind).shared()
	d.outages.since = longAgo
	d.makeMore(cfg.Distribution, cfg.WindowSize, jitter)
	d.forget()
	return d, nil
}

// floorUnset reports whether no floor is set.
func (cfg *PhiConfig) floorUnset() bool { return cfg.MinStdDev == 0 && unset(cfg.MinRelStdDev) }

func (cfg *PhiConfig) setDefaults() {
	cfg.Threshold = or(cfg.Threshold, defaultThreshold)
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultWindow)
	cfg.ExpectedInterval = cmp.Or(cfg.ExpectedInterval, defaultInterval)
	if unset(cfg.PriorWeight) {
		cfg.PriorWeight = defaultWeight
		if kindOf(cfg.Distribution).predictive() {
			cfg.PriorWeight = defaultWeightPredictive
		}
	}
	if cfg.floorUnset() {
		cfg.MinStdDev, cfg.MinRelStdDev = defaultMinStdDev, defaultMinRel
		switch kindOf(cfg.Distribution) {
		case logNormal:
			cfg.MinStdDev, cfg.MinRelStdDev = 0, defaultMinRelLogNormal
		case logStudentT:
			cfg.MinStdDev, cfg.MinRelStdDev = 0, defaultMinRelLogStudentT
		case logistic:
			cfg.MinRelStdDev = defaultMinRelLogistic
		case shiftedExponential:
			cfg.MinRelStdDev = defaultMinRelShifted
		}
	}
}

func (cfg *PhiConfig) check() error {
	weight, rel := cfg.PriorWeight, cfg.MinRelStdDev
	return cmp.Or(
		checkThreshold(cfg.Threshold),
		checkWindowSize("WindowSize", cfg.WindowSize),
		checkDuration("ExpectedInterval", cfg.ExpectedInterval),
		check(weight >= minWeight && weight <= maxWeight, "PriorWeight", weight, "a number from %v to %v", minWeight, maxWeight),
		checkDurationOrZero("MinStdDev", cfg.MinStdDev),
		check(unset(rel) || rel > 0 && rel <= maxFactor, "MinRelStdDev", rel, "a finite number above 0, at most %v", maxFactor),
		checkDurationOrZero("AcceptablePause", cfg.AcceptablePause),
	)
}
