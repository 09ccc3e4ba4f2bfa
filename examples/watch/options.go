package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"example.com/liveness"
)

const (
	minInterval  = 5 * time.Millisecond
	maxInterval  = 2 * time.Second
	minThreshold = 1 // below, silences between ordinary heartbeats are suspected
	maxThreshold = 100
	maxTotal     = time.Minute
)

// laws are the values of -law.
var laws = map[string]liveness.Distribution{
	"gaussian":    liveness.Gaussian{},
	"exponential": liveness.Exponential{},
	"lognormal":   liveness.LogNormal{},
}

// options are the flags.
type options struct {
	interval  time.Duration
	threshold float64
	law       string
}

// parseOptions returns [flag.ErrHelp] after writing the help to stdout.
func parseOptions(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("watch", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run reports errors, without the whole help
	flags.DurationVar(&o.interval, "interval", 100*time.Millisecond, "time between two heartbeats")
	flags.Float64Var(&o.threshold, "threshold", 8, "φ from which the process is suspected")
	flags.StringVar(&o.law, "law", "gaussian", "law of the gaps: gaussian, exponential or lognormal")
	flags.Usage = func() {}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, help)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, o.check()
}

func (o options) check() error {
	if o.interval < minInterval || o.interval > maxInterval {
		return fmt.Errorf("-interval is %v, want a duration from %v to %v", o.interval, minInterval, maxInterval)
	}
	if !(o.threshold >= minThreshold && o.threshold <= maxThreshold) {
		return fmt.Errorf("-threshold is %v, want a number from %v to %v", o.threshold, minThreshold, maxThreshold)
	}
	if _, ok := laws[o.law]; !ok {
		return fmt.Errorf("-law is %q, want gaussian, exponential or lognormal", o.law)
	}
	if _, err := o.newDetector(); err != nil {
		return err
	}
	if p := o.plan(); p.total() > maxTotal {
		return fmt.Errorf("-interval %v, -threshold %v and -law %s suspect after %v of silence: the whole would take %v, want at most %v",
			o.interval, o.threshold, o.law, p.detection.Round(time.Millisecond), p.total().Round(time.Second), maxTotal)
	}
	return nil
}

func (o options) newDetector() (*liveness.Phi, error) {
	return liveness.NewPhi(liveness.PhiConfig{
		Threshold:        o.threshold,
		Distribution:     laws[o.law],
		ExpectedInterval: o.interval,
	})
}

// A plan says how long the stages last.
type plan struct {
	beating   time.Duration // before the freeze
	detection time.Duration // from the last heartbeat to suspicion, before anything is learnt
	frozen    time.Duration // from suspicion on
	recovery  time.Duration // beating, before the kill
}

// plan requires options that have been checked.
func (o options) plan() plan {
	// As many intervals as make a picture, a time one likes to wait, and
	// enough to learn from even so.
	span := func(intervals int, atMost time.Duration) time.Duration {
		return max(min(time.Duration(intervals)*o.interval, atMost), 5*o.interval)
	}
	p := plan{
		// Half an interval more, so that no heartbeat is under way when the
		// signal is sent.
		beating:  span(40, 4*time.Second) + o.interval/2,
		frozen:   span(15, 1500*time.Millisecond),
		recovery: span(30, 3*time.Second) + o.interval/2,
	}
	if d, err := o.newDetector(); err == nil {
		now := time.Now()
		d.Heartbeat(now)
		p.detection = d.Deadline(d.Threshold()).Sub(now)
	}
	return p
}

func (p plan) total() time.Duration {
	return p.beating + p.detection + p.frozen + p.recovery + p.detection
}

var help = strings.TrimLeft(`
Watch a failure detector at work on a real process.

Usage: watch [flags]

A child process sends a heartbeat every interval. This program watches it and
shows φ, its level of suspicion, and what it makes of it:

  trusted        heartbeats arrive, and φ stays near 0: the longer the silence,
                 the higher it climbs, and each heartbeat sets it back to 0
  suspected      the child is frozen (SIGSTOP). It is not dead, but its
                 heartbeats stop, φ climbs, and once it reaches the threshold
                 the child is suspected: at the very instant that was known
                 from the last heartbeat on
  trusted again  the child goes on (SIGCONT), and one heartbeat clears it
  convicted      the child is killed (SIGKILL) and suspected again, and this
                 time the suspicion is proved: the operating system reports
                 that the process has ended

The summary compares when suspicion came with when it had been predicted. With
the default flags the whole takes about 9 seconds. It ends with exit code 0 if
all of this has happened, 1 if not, and 2 if the flags make no sense.

φ = −log10 P(the next heartbeat is later than now), so 3 stands for one chance
in a thousand that the child is alive and merely late, as far as the law of
the gaps between heartbeats is right.

Flags:
`, "\n")
