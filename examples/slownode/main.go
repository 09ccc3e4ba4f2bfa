// Slownode is the case for everything in this library that is not a heartbeat: 200
// search servers on loopback, of which one becomes a hundred times slower while its
// health check stays green. It measures what each escape buys and what it costs, and
// where it is useless. Run it with -h for what is to be seen.
//
// Each chapter has its file: slow.go, heartbeats.go, outliers.go, outage.go,
// hedging.go and reconciliation.go. The part to copy is in frontend.go.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	debug.SetGCPercent(400) // a search makes garbage at both ends
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program. It returns the exit code: 0 if the story is true on this
// machine, 1 if not, and 2 for flags that make no sense.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "slownode: %v (-h explains the flags)\n", err)
		return 2
	}
	if err := show(ctx, o, stdout); err != nil {
		fmt.Fprintf(stderr, "slownode: %v\n", err)
		return 1
	}
	return 0
}

// show tells the story and draws it.
func show(ctx context.Context, o options, out io.Writer) error {
	s, err := open(o.scale(), out)
	if err != nil {
		return err
	}
	err = s.play(ctx)
	s.close()
	if o.plot != "" && len(s.stages) > 0 { // where the story was not true it shows why
		err = cmp.Or(err, s.picture().drawTo(o.plot))
	}
	if err != nil {
		return err
	}
	return s.figures.writeTable(out)
}
