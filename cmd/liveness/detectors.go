package main

import (
	"flag"
	"fmt"
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
)

// settings are the flags that describe a detector.
type settings struct {
	flags     *flags
	law       string
	single    bool    // there is one threshold
	threshold float64 // 0: the detector's own
	window    int     // 0: the default of the detector
	timeout   time.Duration
	interval  time.Duration
	margin    time.Duration
	pause     time.Duration
	floor     time.Duration // 0: the library's default
}

const floorNote = `
-min-stddev is the floor under the standard deviation that phi has learnt. By default it is that of
the library, 10 ms and 0.55 of the mean (lognormal 0.27): what a detector does that nobody has
tuned. If it is a duration, it is the only one. calibrate is about the law and not about its floor,
so there it is 1µs, as good as none, unless it is set: -min-stddev default is that of the library.
`

const nameNote = `
phi takes its law from -law, or from its name: phi:lognormal. Laws are gaussian, exponential and
lognormal. fixed needs -timeout; chen (NFD-E) needs -interval, the period at which the process
sends, and -margin. Their threshold is a multiple of the timeout, and of the margin. A flag that the
detector does not use is an error.
`

// withSettings adds the flags of the detectors.
func (f *flags) withSettings() *settings {
	s := f.withPhi()
	f.Lookup("window").Usage = "the `number` of gaps (phi) or arrivals (chen) remembered (default 1000 for phi,\n32 for chen)"
	f.Lookup("interval").Usage = "the `period` at which the process sends: for chen, and what phi expects\nbefore it has learnt, 1s unless set"
	f.duration(&s.timeout, "timeout", "the `time` without a heartbeat from which fixed suspects")
	f.duration(&s.margin, "margin", "the safety `margin` after the expected arrival, for chen")
	return s
}

// withPhi adds the flags of phi alone.
func (f *flags) withPhi() *settings {
	s := &settings{flags: f}
	f.StringVar(&s.law, "law", "gaussian", "`law` of the gaps, for phi: "+strings.Join(lawNames, ", "))
	f.Var((*count)(&s.window), "window", "the `number` of gaps remembered (default 1000)")
	f.duration(&s.interval, "interval", "the `period` that phi expects before it has learnt, 1s unless set")
	f.duration(&s.pause, "pause", "a `pause` that phi adds to every gap")
	f.Var((*floor)(&s.floor), "min-stddev", "the `floor` of phi's standard deviation, or default: see below")
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
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"timeout", s.timeout}, {"interval", s.interval}, {"margin", s.margin}} {
		if s.flags.isSet(f.name) && f.value <= 0 {
			return usage("-%s is %v, want a duration above 0", f.name, f.value)
		}
	}
	if s.single && s.flags.isSet("threshold") && !(s.threshold > 0 && !math.IsInf(s.threshold, 0)) {
		return usage("-threshold is %v, want a finite number above 0", s.threshold)
	}
	return nil
}

// used are the flags that each kind of detector uses, besides -threshold.
var used = map[string][]string{
	"phi":   {"law", "window", "interval", "pause", "min-stddev"},
	"fixed": {"timeout"},
	"chen":  {"window", "interval", "margin"},
}

// useAll refuses flags that none of the detectors uses.
func (s *settings) useAll(detectors ...string) error {
	uses := map[string]bool{}
	all := map[string]bool{}
	for kind, names := range used {
		for _, name := range names {
			all[name] = true
			for _, d := range detectors {
				k, _, hasLaw := strings.Cut(d, ":")
				uses[name] = uses[name] || k == kind && !(hasLaw && name == "law")
			}
		}
	}
	var err error
	s.flags.Visit(func(f *flag.Flag) {
		if all[f.Name] && !uses[f.Name] && err == nil {
			err = usage("-%s is not used by %s", f.Name, strings.Join(detectors, ", "))
		}
	})
	return err
}

// isChen reports whether a detector counts intervals.
func isChen(name string) bool { return name == "chen" }

// suits refuses a series on which one of the detectors makes no sense.
func suits(which qos.Series, detectors ...string) error {
	if which == qos.Delay && slices.ContainsFunc(detectors, isChen) {
		return fmt.Errorf("chen expects a heartbeat every -interval, which the series delay has not: take phi or fixed")
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
