package main

import (
	"math"
	"slices"
	"strings"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// What there is, and what is promised for later.
var (
	detectorNames  = []string{"phi", "fixed", "chen"}
	detectorsLater = []string{"bertier", "two-window", "rto", "quantile"}
	lawNames       = []string{"gaussian", "exponential", "lognormal"}
	lawsLater      = []string{"logistic", "empirical"}
	presetsLater   = []string{"akka", "cassandra", "hazelcast"}
)

// settings are the flags that describe a detector.
type settings struct {
	flags     *flags
	law       string
	preset    string
	single    bool    // there is one threshold
	threshold float64 // 0: the detector's own
	window    int
	timeout   time.Duration
	interval  time.Duration
	margin    time.Duration
	pause     time.Duration
	floor     time.Duration // 0: the library's default
}

const floorNote = `
-min-stddev is the floor under the standard deviation that phi has learnt. By default it is that of
the library, 10 ms and 0.55 of the mean (lognormal 0.27): what a detector does that nobody has
tuned. If it is set, it is the only one. calibrate is about the law and not about its floor, so
there the default is 1µs, as good as none.
`

const nameNote = `
phi takes its law from -law, or from its name: phi:lognormal. Laws are gaussian, exponential and
lognormal. fixed needs -timeout; chen (NFD-E) needs -interval, the period at which the process
sends, and -margin. Their threshold is a multiple of the timeout, and of the margin.
`

// withSettings adds the flags of the detectors.
func (f *flags) withSettings() *settings {
	s := &settings{flags: f, window: 1000}
	f.StringVar(&s.law, "law", "gaussian", "`law` of the gaps, for phi: "+strings.Join(lawNames, ", "))
	f.StringVar(&s.preset, "preset", "", "settings of another system; none is there yet")
	f.Var((*count)(&s.window), "window", "the `number` of gaps (phi) or arrivals (chen) remembered")
	f.DurationVar(&s.timeout, "timeout", 0, "the timeout, for fixed")
	f.DurationVar(&s.interval, "interval", 0, "the period at which the process sends: for chen, and what phi expects\nbefore it has learnt, 1s unless set")
	f.DurationVar(&s.margin, "margin", 0, "the safety margin after the expected arrival, for chen")
	f.DurationVar(&s.pause, "pause", 0, "a pause that phi adds to every gap")
	f.DurationVar(&s.floor, "min-stddev", 0, "the floor of phi's standard deviation (default: see below)")
	return s
}

// withThreshold adds -threshold for one level.
func (s *settings) withThreshold() *settings {
	s.single = true
	s.flags.Float64Var(&s.threshold, "threshold", 0, "the level from which it suspects (default 8 for phi, 1 for the others)")
	return s
}

// check refuses what does not exist.
func (s *settings) check() error {
	switch {
	case slices.Contains(presetsLater, s.preset):
		return usage("-preset %s does not exist yet, nor any other: set -law, -threshold, -window, -pause and -min-stddev", s.preset)
	case s.preset != "":
		return usage("-preset %s is unknown; there are none yet", s.preset)
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"timeout", s.timeout}, {"interval", s.interval}, {"margin", s.margin}, {"min-stddev", s.floor}} {
		if s.flags.isSet(f.name) && f.value <= 0 {
			return usage("-%s is %v, want a duration above 0", f.name, f.value)
		}
	}
	if s.single && s.flags.isSet("threshold") && !(s.threshold > 0 && !math.IsInf(s.threshold, 0)) {
		return usage("-threshold is %v, want a finite number above 0", s.threshold)
	}
	return nil
}

// detector returns what makes detectors of the given name, having made one.
func (s *settings) detector(name string) (qos.Factory, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	make, err := s.factory(name)
	if err != nil {
		return nil, err
	}
	if _, err := make(); err != nil {
		return nil, usage("%s: %s", name, reason(err))
	}
	return make, nil
}

func (s *settings) factory(name string) (qos.Factory, error) {
	kind, law, hasLaw := strings.Cut(name, ":")
	if !hasLaw {
		law = s.law
	}
	switch {
	case hasLaw && kind != "phi":
		return nil, usage("detector %q: only phi has a law", name)
	case slices.Contains(detectorsLater, kind):
		return nil, usage("detector %q does not exist yet; there are %s", kind, list(detectorNames))
	}
	switch kind {
	case "phi":
		return s.phi(law)
	case "fixed":
		if s.timeout == 0 {
			return nil, usage("fixed needs -timeout")
		}
		return func() (liveness.Detector, error) { return liveness.NewFixedTimeout(s.timeout) }, nil
	case "chen":
		if s.interval == 0 || s.margin == 0 {
			return nil, usage("chen needs -interval, the period at which the process sends, and -margin")
		}
		return func() (liveness.Detector, error) {
			return liveness.NewChen(liveness.ChenConfig{Interval: s.interval, Margin: s.margin, WindowSize: s.window})
		}, nil
	}
	return nil, usage("detector %q is unknown; there are %s", kind, list(detectorNames))
}

func (s *settings) phi(name string) (qos.Factory, error) {
	law, err := lawOf(name)
	if err != nil {
		return nil, err
	}
	cfg := liveness.PhiConfig{
		Threshold:        s.threshold,
		Distribution:     law,
		WindowSize:       s.window,
		ExpectedInterval: s.interval,
		MinStdDev:        s.floor,
		AcceptablePause:  s.pause,
	}
	return func() (liveness.Detector, error) { return liveness.NewPhi(cfg) }, nil
}

// lawOf returns a law by its name.
func lawOf(name string) (liveness.Distribution, error) {
	switch name {
	case "gaussian":
		return liveness.Gaussian{}, nil
	case "exponential":
		return liveness.Exponential{}, nil
	case "lognormal":
		return liveness.LogNormal{}, nil
	}
	if slices.Contains(lawsLater, name) {
		return nil, usage("law %q does not exist yet; there are %s", name, list(lawNames))
	}
	return nil, usage("law %q is unknown; there are %s", name, list(lawNames))
}

// list joins names as one says them.
func list(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
