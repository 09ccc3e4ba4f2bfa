package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

const (
	minServers = 20 // the cities need twelve of them, and the guard a group
	maxServers = 500
)

// options are the flags.
type options struct {
	servers int
	quick   bool
	plot    string
}

// A scale is how the story is fitted into a minute.
type scale struct {
	servers  int           // unless -servers says otherwise
	base     time.Duration // of a search at a server that is well
	window   int           // intervals that are measured without any other end
	interval time.Duration // that stands for the 10 s of the monitor, at least
	every    time.Duration // from one search to the next, at least
	slowest  time.Duration // the same, at most
}

var (
	whole = scale{servers: 200, base: 5 * time.Millisecond, window: 5, interval: 850 * time.Millisecond, every: 80 * time.Millisecond, slowest: 120 * time.Millisecond}
	brief = scale{servers: 40, base: 5 * time.Millisecond, window: 3, interval: 300 * time.Millisecond, every: 30 * time.Millisecond, slowest: 300 * time.Millisecond}
)

const (
	enough = 4 // requests that it takes to judge a server
	sent   = 7 // in an interval, at least
)

// slower has so long pass from one search to the next, as far as it may.
func (s scale) slower(every time.Duration) scale {
	s.every = min(max(every, s.every), s.slowest)
	s.interval = max(s.interval, sent*s.every)
	return s
}

// paced fits the load to a machine on which a search takes so long, one at a time.
// A third of what it could do leaves room for what else it does.
func (s scale) paced(search time.Duration) scale { return s.slower(3 * search) }

// slackened halves the load; ok is false if it is the least already.
func (s scale) slackened() (slower scale, ok bool) {
	slower = s.slower(2 * s.every)
	return slower, slower.every > s.every
}

// eased is for hedging, which costs this machine at both ends.
func (s scale) eased() scale { return s.slower(s.every * 3 / 2) }

// judged is the interval of the monitor's defaults.
const judged = 10 * time.Second

// late is what a search takes that waits for the slow server, at least.
func (s scale) late() time.Duration { return s.base * slowFactor * 9 / 10 }

// limit is the latency above which the group is degraded.
func (s scale) limit() time.Duration { return s.base * 20 }

// outage is what the shared dependency adds.
func (s scale) outage() time.Duration { return s.base * 30 }

// checkLimit is how long a deep check gives the dependency.
func (s scale) checkLimit() time.Duration { return s.base * 20 }

func (o options) scale() scale {
	s := whole
	if o.quick {
		s = brief
	}
	if o.servers > 0 {
		s.servers = o.servers
	}
	return s
}

// parseOptions returns [flag.ErrHelp] after writing the help to stdout.
func parseOptions(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("slownode", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // run reports errors, without the whole help
	flags.IntVar(&o.servers, "servers", 0, fmt.Sprintf("how many servers (default %d, with -quick %d)", whole.servers, brief.servers))
	flags.BoolVar(&o.quick, "quick", false, "fewer servers and shorter measurements, for tests")
	flags.StringVar(&o.plot, "plot", "", "draw the picture into `FILE.png`")
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
	if o.servers != 0 && (o.servers < minServers || o.servers > maxServers) {
		return fmt.Errorf("-servers is %d, want a number from %d to %d", o.servers, minServers, maxServers)
	}
	if o.plot != "" && !strings.EqualFold(filepath.Ext(o.plot), ".png") {
		return fmt.Errorf("-plot is %q, want a file that ends in .png", o.plot)
	}
	return nil
}

var help = strings.TrimLeft(`
Watch one slow server of many ruin every search, and what helps.

Usage: slownode [flags]

Servers listen on loopback, and each search goes over HTTP to all of them. One
becomes 100 times slower, and stays alive. In this order:

  1 slow         every search is as slow as that server
  2 heartbeats   its health check is green, and φ stays low
  3 outliers     gray.Monitor compares it with its peers and ejects it
  4 all slow     a shared dependency slows all: deep checks fail everywhere, the
                 guard evicts nobody and pages, the absolute alert fires
  5 hedging      helps against stragglers that come at random, not against a
                 slow server that alone has what is asked for; off while all
                 are slow
  6 the data     a run that succeeds without a city fails the reconciliation

The table at the end has what each escape bought and what it cost, as measured in
this run. It takes less than a minute, and about 20 seconds with -quick. It ends
with exit code 0 if all came out as it is told here, 1 if not, with the reason,
and 2 if the flags make no sense.

Flags:
`, "\n")
