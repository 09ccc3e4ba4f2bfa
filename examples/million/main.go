// Command million watches a million peers with package peers, and measures what
// that costs: heartbeats a second, memory, allocations, how late a death is
// noticed, and what an idle monitor takes. It does the same with 256 locked maps,
// which find nobody and are the least that can take heartbeats, and with the obvious
// design, one lock around one map that is polled, and says on paper how a
// deployment of a million nodes divides the watching.
//
//	go run ./examples/million
//	go run ./examples/million -json
//	go run ./examples/million -peers 20000 -interval 100ms -duration 2s
//
// The whole takes about three minutes and 4 GB on two cores. Times are those of
// the cores, so other processes of a busy machine do not count, but they take
// their share of its caches and its memory: see the time of a random read.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// options are the flags.
type options struct {
	peers    int
	window   int
	senders  int
	batch    int
	deaths   int
	interval time.Duration
	duration time.Duration
	seed     uint64
	json     bool
	alone    bool
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0, 1 if something went wrong, 2 for a mistake in
// the arguments.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "million: %v (-h explains the flags)\n", err)
		return 2
	}
	progress := func(format string, args ...any) { fmt.Fprintf(stderr, format+"\n", args...) }
	s, err := newStudy(o, progress)
	if err == nil && o.json {
		err = json.NewEncoder(stdout).Encode(s.figures())
	} else if err == nil {
		err = s.report(stdout)
	}
	if err != nil {
		fmt.Fprintf(stderr, "million: %v\n", err)
		return 1
	}
	return 0
}

func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("million", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.peers, "peers", 1_000_000, "`number` of peers, from 1000 to 100000000")
	flags.IntVar(&o.window, "window", 100, "gaps that each detector learns from, from 10 to 10000")
	flags.IntVar(&o.senders, "senders", 4, "goroutines that bring heartbeats, from 1 to 1024")
	flags.IntVar(&o.batch, "batch", 64, "heartbeats that a sender brings at once, as a server reads them from a socket, from 1 to 65536")
	flags.IntVar(&o.deaths, "deaths", 1000, "peers that die, up to a hundredth of all")
	flags.DurationVar(&o.interval, "interval", time.Second, "time between two heartbeats of a peer, from 10ms to 1m")
	flags.DurationVar(&o.duration, "duration", 10*time.Second, "time over which the deaths are spread, from 1s to 1h")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of all that is random")
	flags.BoolVar(&o.alone, "alone", false, "leave out the obvious design")
	flags.BoolVar(&o.json, "json", false, "write the figures as JSON; times are in seconds")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stderr, "Usage: million [flags]\n\nMeasure what it costs to watch a million peers.\n\n")
			flags.SetOutput(stderr)
			flags.PrintDefaults()
		}
		return o, err
	}
	if flags.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, o.check()
}

func (o *options) check() error {
	o.deaths = min(o.deaths, o.peers/100)
	switch {
	case o.peers < 1000 || o.peers > 100_000_000:
		return fmt.Errorf("peers is %d, want a number from 1000 to 100000000", o.peers)
	case o.window < 10 || o.window > 10_000:
		return fmt.Errorf("window is %d, want a number from 10 to 10000", o.window)
	case o.senders < 1 || o.senders > 1024:
		return fmt.Errorf("senders is %d, want a number from 1 to 1024", o.senders)
	case o.batch < 1 || o.batch > 65536:
		return fmt.Errorf("batch is %d, want a number from 1 to 65536", o.batch)
	case o.deaths < 1:
		return fmt.Errorf("deaths is %d, want a number above 0", o.deaths)
	case o.interval < 10*time.Millisecond || o.interval > time.Minute:
		return fmt.Errorf("interval is %v, want a duration from 10ms to 1m", o.interval)
	case o.duration < time.Second || o.duration > time.Hour:
		return fmt.Errorf("duration is %v, want a duration from 1s to 1h", o.duration)
	}
	return nil
}
