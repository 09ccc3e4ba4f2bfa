package main

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// sized is the JSON of size.
type sized struct {
	Timeout       float64  `json:"timeout"`
	FalsePositive float64  `json:"false_positive"`
	Phi           float64  `json:"phi"`
	Method        string   `json:"method"`
	Lower         *float64 `json:"lower,omitempty"`
	Upper         *float64 `json:"upper,omitempty"`
}

const sizeNote = `
From a law, the timeout is exact. From a trace, it is the one that this share of the gaps between
arrivals, or of the delays, exceeded, with an interval of 95 %; a warning says where the samples are
too few for the rate. What runs into the timeout may be a delay in a burst: a retry will too.
`

// size finds the timeout for a false-positive rate.
func size(e env, args []string) error {
	f := newFlags(e, sizeNote).withJSON()
	rate := new(float64)
	f.Var((*share)(rate), "false-positive", "the `share` of what is healthy that may run into the timeout, above 0 and below 1;\n0.1% is 0.001")
	var law lawFlag
	for _, l := range []struct {
		name, example string
		make          func(map[string]float64) liveness.Distribution
		parameters    []string
	}{
		{"lognormal", "median=50ms,sigma=1", lognormal, []string{"median", "sigma"}},
		{"gaussian", "mean=50ms,stddev=10ms", gaussian, []string{"mean", "stddev"}},
		{"exponential", "mean=50ms", exponential, []string{"mean"}},
	} {
		f.Func(l.name, "the law of the times, instead of a trace: `"+l.example+"`", func(text string) error {
			return law.set(l.name, text, l.parameters, l.make)
		})
	}
	which := f.withSeries()
	files, err := f.parse(args, 0, 1)
	switch {
	case err != nil:
		return err
	case !f.isSet("false-positive"):
		return usage("it needs -false-positive")
	case !(*rate > 0 && *rate < 1):
		return usage("-false-positive is %v, want a number above 0 and below 1", *rate)
	case law.law == nil && len(files) == 0:
		return usage("it takes a trace, or a law such as -lognormal median=50ms,sigma=1")
	case law.law != nil && len(files) > 0:
		return usage("it takes a trace or a law, got both")
	}
	if law.law != nil {
		s, err := qos.SizeLaw(law.law, *rate)
		if err != nil {
			return err
		}
		return f.printSize(s, func(t *table) { t.pair("law", "%s %s", law.name, law.text) })
	}
	return newSource(e, files[0]).with(which.Series, func(trace *qos.Trace, beats qos.Beats) error {
		series := seriesOf(trace, which.Series)
		samples, both, err := timesOf(beats, series)
		if err != nil {
			return explain(files[0], err)
		}
		s, err := qos.SizeSamples(samples, *rate)
		if err != nil {
			return explain(files[0], err)
		}
		return f.printSize(s, func(t *table) {
			t.pair("trace", "%s, %d times", files[0], len(samples))
			t.pair("series", "%s", seriesText(series))
			if both && !f.isSet("series") {
				t.pair("", "note: -series delay sizes the %s instead", seriesText(qos.Delay))
			}
		})
	})
}

// timesOf returns the gaps between the arrivals, or the delays, and whether a
// trace of gaps has delays too: its heartbeats say when they were sent.
func timesOf(beats qos.Beats, which qos.Series) (samples []time.Duration, both bool, err error) {
	last := time.Unix(0, 0) // where a series of delays begins
	begun, life := which == qos.Delay, 0
	for b, err := range beats {
		if err != nil {
			return nil, false, err
		}
		both = both || !b.Sent.IsZero()
		if b.Lost() {
			continue
		}
		if b.Life != life && which == qos.Gap { // nobody is to blame for the gap between two lives
			begun = false
		}
		life = b.Life
		if begun {
			samples = append(samples, b.At.Sub(last))
		}
		last, begun = b.At, true
	}
	return samples, both, nil
}

func (f *flags) printSize(s qos.Size, from func(*table)) error {
	if s.Warning != "" {
		fmt.Fprintf(f.env.stderr, "warning: %s\n", s.Warning)
	}
	return f.print(sized{
		Timeout:       s.Timeout.Seconds(),
		FalsePositive: s.FalsePositive,
		Phi:           s.Phi,
		Method:        s.Method,
		Lower:         knownSpan(s.Lower),
		Upper:         knownSpan(s.Upper),
	}, func(w io.Writer) {
		var t table
		from(&t)
		t.pair("false positives", "%v, which is φ = %s", s.FalsePositive, digits(s.Phi))
		t.pair("timeout", "%s by %s", span(s.Timeout), s.Method)
		if s.Method != qos.MethodLaw {
			t.pair("95 % interval", "from %s to %s", bound(s.Lower), bound(s.Upper))
		}
		t.write(w)
	})
}

// bound writes one end of an interval.
func bound(d time.Duration) string {
	if d == 0 {
		return "unknown"
	}
	return span(d)
}

// lawFlag is the law that a flag describes.
type lawFlag struct {
	name, text string
	law        liveness.Distribution
}

func (l *lawFlag) set(name, text string, parameters []string, make func(map[string]float64) liveness.Distribution) error {
	if l.law != nil {
		return fmt.Errorf("there is one law already, -%s", l.name)
	}
	values := map[string]float64{}
	for field := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(field), "=")
		if !ok {
			return fmt.Errorf("%q is no name=value", field)
		}
		x, err := parameter(key, value)
		if err != nil {
			return err
		}
		values[key] = x
	}
	for _, p := range parameters {
		if _, ok := values[p]; !ok {
			return fmt.Errorf("%s is missing", p)
		}
	}
	if len(values) > len(parameters) {
		return fmt.Errorf("want %s and no more", strings.Join(parameters, ", "))
	}
	l.name, l.text, l.law = name, text, make(values)
	return nil
}

// parameter reads a positive parameter of a law: times are durations, sigma has no unit.
func parameter(key, value string) (float64, error) {
	if key == "sigma" {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			return 0, fmt.Errorf("sigma is %q, want a number above 0", value)
		}
		return x, nil
	}
	d, err := parseDuration(value)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s is %q, want a duration above 0, such as 50ms", key, value)
	}
	return d.Seconds(), nil
}

func lognormal(p map[string]float64) liveness.Distribution {
	return liveness.LogNormal{Mu: math.Log(p["median"]), Sigma: p["sigma"]}
}

func gaussian(p map[string]float64) liveness.Distribution {
	return liveness.Gaussian{Mean: p["mean"], StdDev: p["stddev"]}
}

func exponential(p map[string]float64) liveness.Distribution {
	return liveness.Exponential{Mean: p["mean"]}
}
