package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// configured is the JSON of configure.
type configured struct {
	Interval          float64  `json:"interval"`
	Margin            float64  `json:"margin"`
	DetectionTime     float64  `json:"detection_time"`
	MistakeRecurrence *float64 `json:"mistake_recurrence,omitempty"`
	MistakeDuration   *float64 `json:"mistake_duration,omitempty"`
}

// unreachable is the JSON of configure where there is no answer.
type unreachable struct {
	Reason string `json:"reason"`
}

const configureNote = `
What is known of the network decides the procedure (Chen, Toueg and Aguilera, section in brackets):

  -delay-mean -delay LAW [-delay-stddev]    the law, clocks synchronised (4): exact
  -delay-mean -delay-stddev -synchronized   two moments, clocks synchronised (5): for every law
  -delay-stddev                             the deviation alone (6): for every law; the mean delay
                                            comes to the detection time: -delay-mean adds it

With synchronised clocks the margin counts from when a heartbeat was sent. chen knows no such clock
and counts from the expected arrival, so that its margin is smaller by the mean delay.

All take losses and delays for independent; on real networks they come in bursts. Record a trace and
replay it with the answer before you rely on it.
`

// network is what is known of one.
type network struct {
	loss         float64
	mean, stddev time.Duration
	law          string
	synchronised bool
}

// configure finds the interval and the margin for a wanted quality of service.
func configure(e env, args []string) error {
	f := newFlags(e, configureNote).withJSON()
	var want qos.Target
	var n network
	f.duration(&want.DetectionTime, "detection-time", "the `time` within which a crash must be detected; required")
	f.duration(&want.MistakeRecurrence, "mistake-recurrence", "the `time` between mistakes must be at least this in the mean, such as 30d; required")
	f.duration(&want.MistakeDuration, "mistake-duration", "the `time` that mistakes may last in the mean (default any)")
	f.Var((*share)(&n.loss), "loss", "the `share` of heartbeats that is lost, such as 0.01 or 1%")
	f.duration(&n.mean, "delay-mean", "the `mean` delay of a heartbeat")
	f.duration(&n.stddev, "delay-stddev", "the standard `deviation` of the delay")
	f.StringVar(&n.law, "delay", "", "the `law` of the delay: "+list(delayLaws)+"; it means that the\nclocks are synchronised")
	f.BoolVar(&n.synchronised, "synchronized", false, "the clocks of sender and monitor are synchronised")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	for _, name := range []string{"detection-time", "mistake-recurrence"} {
		if !f.isSet(name) {
			return usage("it needs -%s", name)
		}
	}
	model, err := n.model(f)
	if err != nil {
		return err
	}
	c, err := model.Configure(want)
	switch {
	case errors.Is(err, qos.ErrUnreachable):
		if f.json {
			f.print(unreachable{reason(err)}, nil)
		}
		return err
	case err != nil:
		return usage("%s", reason(err))
	}
	n.warn(e.stderr, want, c)
	return f.print(newConfigured(c), func(w io.Writer) { n.show(w, c) })
}

// model returns the procedure for what is known.
func (n network) model(f *flags) (interface {
	Configure(qos.Target) (qos.Configuration, error)
}, error) {
	switch {
	case n.mean < 0:
		return nil, usage("-delay-mean is %v, want a duration from 0", n.mean)
	case n.stddev < 0:
		return nil, usage("-delay-stddev is %v, want a duration from 0", n.stddev)
	case n.law != "":
		law, err := n.distribution(f)
		return qos.KnownLaw{Loss: n.loss, Survival: qos.Survival(law)}, err
	case !f.isSet("delay-stddev"):
		return nil, usage("it needs -delay-stddev, or -delay and -delay-mean")
	case !n.synchronised:
		return qos.KnownSpread{Loss: n.loss, StdDev: n.stddev.Seconds()}, nil
	case !f.isSet("delay-mean"):
		return nil, usage("-synchronized needs -delay-mean")
	}
	return qos.KnownMoments{Loss: n.loss, Mean: n.mean.Seconds(), StdDev: n.stddev.Seconds()}, nil
}

// delayLaws are those that a mean and a deviation make.
var delayLaws = []string{"exponential", "lognormal", "gaussian"}

// distribution returns the law of the delay.
func (n network) distribution(f *flags) (liveness.Distribution, error) {
	if !slices.Contains(delayLaws, n.law) {
		return nil, usage("law %q is unknown as one of the delay; there are %s", n.law, list(delayLaws))
	}
	law, err := lawOf(n.law)
	switch {
	case err != nil:
		return nil, err
	case n.mean <= 0:
		return nil, usage("-delay %s needs -delay-mean, above 0", n.law)
	case n.law == "exponential" && f.isSet("delay-stddev") && n.stddev != n.mean:
		return nil, usage("-delay exponential has the standard deviation %v, its mean: leave out -delay-stddev", n.mean)
	case n.law != "exponential" && n.stddev <= 0:
		return nil, usage("-delay %s needs -delay-stddev, above 0", n.law)
	}
	return law.Fit(liveness.Stats{Mean: n.mean.Seconds(), StdDev: n.stddev.Seconds()}), nil
}

func newConfigured(c qos.Configuration) configured {
	return configured{
		Interval:          c.Interval.Seconds(),
		Margin:            c.Margin.Seconds(),
		DetectionTime:     c.DetectionTime.Seconds(),
		MistakeRecurrence: known(c.MistakeRecurrence),
		MistakeDuration:   known(c.MistakeDuration),
	}
}

func (n network) show(w io.Writer, c qos.Configuration) {
	bounds := [2]string{"at least ", "at most "}
	if n.law != "" {
		bounds = [2]string{}
	}
	var t table
	t.pair("interval", "%s: send a heartbeat so often", span(c.Interval))
	chen := c.Margin // from the expected arrival
	if n.law == "" && !n.synchronised {
		t.pair("margin", "%s after the expected arrival (NFD-E: chen)", span(c.Margin))
		if n.mean > 0 {
			t.pair("detection time", "%s and the mean delay of %s: %s at most", span(c.DetectionTime), span(n.mean), span(c.DetectionTime+n.mean))
		} else {
			t.pair("detection time", "%s at most, and the mean delay", span(c.DetectionTime))
		}
	} else {
		chen -= n.mean
		t.pair("margin", "%s after it was sent (NFD-S)", span(c.Margin))
		if chen > 0 {
			t.pair("margin for chen", "%s after the expected arrival: less the mean delay", span(chen))
		}
		t.pair("detection time", "%s at most", span(c.DetectionTime))
	}
	t.pair("mistake recurrence", "%s%s in the mean", bounds[0], seconds(c.MistakeRecurrence))
	t.pair("mistake duration", "%s%s in the mean", bounds[1], seconds(c.MistakeDuration))
	t.pair("query accuracy", "%s%s of the time right", bounds[0], percent(c.QueryAccuracy))
	t.write(w)
	fmt.Fprintln(w, "\nif losses and delays are independent")
	if c.Interval >= time.Millisecond && chen > 0 {
		interval, margin := typed(c.Interval, 0), typed(chen, 1)
		fmt.Fprintf(w, `to see, between your machines (liveness record -h says how):
  liveness record -interval %s -o FILE
  liveness replay -detector chen -interval %[1]s -margin %s FILE
`, interval, margin)
	}
}

// typed is a duration as one types it, with four or more digits, and that many
// units of the last one longer unless it is exact.
func typed(d time.Duration, up time.Duration) string {
	unit := time.Duration(1)
	for unit*100000 <= d {
		unit *= 10
	}
	if short := d.Truncate(unit); short != d {
		d = short + up*unit
	}
	return d.String()
}

// manyBeats is from how many heartbeats on an answer is worth a warning.
const manyBeats = 100

// warn says where the answer rests on more than anybody knows of a network.
func (n network) warn(w io.Writer, want qos.Target, c qos.Configuration) {
	beats := int(want.DetectionTime / max(c.Interval, 1))
	if beats > manyBeats || c.Interval < n.mean {
		fmt.Fprintf(w, "warning: the answer rests on %d heartbeats, sent %s apart, failing independently\n", beats, span(c.Interval))
	}
}
