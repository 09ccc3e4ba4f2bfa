package main

import (
	"flag"
	"math"
	"strings"
	"time"
)

// settings are the flags that describe a detector.
type settings struct {
	flags     *flags
	law       string
	preset    string  // "": none
	single    bool    // there is one threshold
	threshold float64 // 0: the detector's own
	window    int     // 0: the default of the detector
	timeout   time.Duration
	interval  time.Duration
	margin    time.Duration
	pause     time.Duration
	floor     time.Duration // 0: the library's default
	quantile  share         // 0: the library's default
	scale     float64       // 0: the library's default
}

const floorNote = `
-min-stddev is the floor under the standard deviation that phi has learnt. By default it is that of
the library, 10 ms and 0.55 of the mean for most laws: what a detector does that nobody has tuned.
empirical has no standard deviation: its φ is not above that of a gaussian round the median gap with
a deviation of 10 ms, or a hundredth of the median if that is less, and, beyond what the gaps seen
can tell, of 0.55 of the median. For loss-aware it is the floor of the lateness, by default a
hundredth of -interval. If it is a duration, it is the only floor. calibrate and compare are about
laws and not about floors, so there it is 1µs, as good as none, unless it is set: -min-stddev
default is that of the library.
` + presetNote

const nameNote = `
phi takes its law from -law, or from its name: phi:lognormal. empirical, the default, is the gaps as
they were; each other law is a formula, fitted to them. fixed needs -timeout. chen (NFD-E) and
two-window (2W-FD) need -interval, the period at which the process sends, and -margin; bertier,
which learns the margin, and loss-aware, which learns how heartbeats get lost, need -interval alone.
rto (RFC 6298), quantile and satzger learn from the gaps; tell them by -interval what to expect
before. The threshold of phi, satzger and loss-aware is in decades of mistakes, and that of the
others is a multiple: of the margin for chen, two-window and bertier, and else of the timeout. A
flag that the detector does not use is an error.
`

// withSettings adds the flags of the detectors, beside -detector.
func (f *flags) withSettings() *settings {
	s := f.withPhi()
	f.Lookup("detector").Usage = "`name` of the detector: " + folded(detectorNames, 6)
	f.Lookup("window").Usage = "the `number` of gaps or arrivals remembered (default 1000, 32 for chen)"
	f.Lookup("interval").Usage = "the `period` at which the process sends: for chen, two-window, bertier and\nloss-aware, and what the others expect before they have learnt, 1s unless set"
	f.duration(&s.timeout, "timeout", "the `time` without a heartbeat from which fixed suspects, and the least for rto")
	f.duration(&s.margin, "margin", "the safety `margin` after the expected arrival, for chen and two-window; the least\none for bertier, and for rto after the mean gap; what quantile adds")
	f.Var(&s.quantile, "quantile", "the `share` of gaps that quantile takes for usual, such as 0.99 or 99% (default 0.99)")
	f.Float64Var(&s.scale, "scale", 0, "the `factor` by which satzger multiplies the silence (default 1)")
	return s
}

// withPhi adds the flags of phi alone.
func (f *flags) withPhi() *settings {
	s := &settings{flags: f}
	f.StringVar(&s.law, "law", lawNames[0], "`law` of the gaps, for phi: "+folded(lawNames, 6))
	s.withPreset()
	f.Var((*count)(&s.window), "window", "the `number` of gaps remembered (default 1000)")
	f.duration(&s.interval, "interval", "the `period` that phi expects before it has learnt, 1s unless set")
	f.duration(&s.pause, "pause", "a `pause` that phi adds to every gap")
	s.withFloor()
	return s
}

// withFloor adds -min-stddev.
func (s *settings) withFloor() {
	s.flags.Var((*floor)(&s.floor), "min-stddev", "the `floor` of the standard deviation, or default: see below")
}

// rawFloor is a floor as good as none.
const rawFloor = time.Microsecond

// floorUnlessSet has the law alone judged, unless a floor was asked for.
func (s *settings) floorUnlessSet() {
	if !s.flags.isSet("min-stddev") {
		s.floor = rawFloor
	}
}

// floorText says which floor it is.
func (s *settings) floorText() string {
	switch s.floor {
	case 0:
		return "the library's"
	case rawFloor:
		return "1µs, the law alone (-min-stddev default: the library's)"
	}
	return s.floor.String()
}

// withThreshold adds -threshold for one level.
func (s *settings) withThreshold() *settings {
	s.single = true
	s.flags.Float64Var(&s.threshold, "threshold", 0, "the level from which it suspects (default 8 for phi and satzger, 4 for loss-aware,\n1 for the others)")
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
	for _, f := range []struct {
		name  string
		value float64
	}{{"quantile", float64(s.quantile)}, {"scale", s.scale}} {
		if s.flags.isSet(f.name) && !(f.value > 0) {
			return usage("-%s is %v, want a number above 0", f.name, f.value)
		}
	}
	if s.single && s.flags.isSet("threshold") && !(s.threshold > 0 && !math.IsInf(s.threshold, 0)) {
		return usage("-threshold is %v, want a finite number above 0", s.threshold)
	}
	return s.checkPreset()
}

// used are the flags that each kind of detector uses, besides -threshold.
var used = map[string][]string{
	"phi":        {"law", "preset", "window", "interval", "pause", "min-stddev"},
	"fixed":      {"timeout"},
	"chen":       {"window", "interval", "margin"},
	"bertier":    {"window", "interval", "margin"},
	"two-window": {"window", "interval", "margin"},
	"rto":        {"interval", "margin", "timeout"},
	"quantile":   {"window", "interval", "margin", "quantile"},
	"satzger":    {"window", "interval", "scale"},
	"loss-aware": {"window", "interval", "min-stddev"},
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
				uses[name] = uses[name] || k == kind && !(hasLaw && (name == "law" || name == "preset"))
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
