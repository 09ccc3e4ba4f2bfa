// Fencing shows why the one who is deposed must not be asked. Two processes stand
// for the lead; the leader writes to a store. It is frozen, a [liveness.Phi] with
// a [liveness.Gaussian] law takes it for dead, and the other one leads. Then the
// first wakes, knows of nothing, and writes: a register without a guard takes the
// write, and one with a [fence.Guard] refuses it. Run it with -h for more.
//
// The part to copy is in store.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const (
	minInterval = 5 * time.Millisecond
	maxInterval = time.Second
)

func main() {
	standIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program. It returns the exit code: 0 if the late write came and was
// refused, 1 if not, and 2 for flags that make no sense.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	interval, err := parseFlags(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "fencing: %v (-h explains the flags)\n", err)
		return 2
	}
	if err := show(ctx, interval, stdout); err != nil {
		fmt.Fprintf(stderr, "fencing: %v\n", err)
		return 1
	}
	return 0
}

// parseFlags returns [flag.ErrHelp] after writing the help to stdout.
func parseFlags(args []string, stdout io.Writer) (interval time.Duration, err error) {
	flags := flag.NewFlagSet("fencing", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.DurationVar(&interval, "interval", 100*time.Millisecond, "time between two heartbeats, and two writes")
	flags.Usage = func() {}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, help)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return 0, err
	}
	if flags.NArg() > 0 {
		return 0, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if interval < minInterval || interval > maxInterval {
		return 0, fmt.Errorf("-interval is %v, want a duration from %v to %v", interval, minInterval, maxInterval)
	}
	return interval, nil
}

// show plays the story once.
func show(ctx context.Context, interval time.Duration, out io.Writer) error {
	o, err := open(interval, out)
	if err != nil {
		return err
	}
	defer o.close()
	err = o.play(ctx)
	if errors.Is(err, errInterrupted) {
		return err
	}
	o.summary(out)
	return err
}

var help = strings.TrimLeft(`
Watch a leader that was deposed by mistake try to write.

Usage: fencing [flags]

Two child processes, anna and bert, send heartbeats over UDP and stand for the
lead. This program watches them, decides who leads, and keeps a store. Whoever
leads is told a token, and writes a value every interval over HTTP, with the
token.

  elected      a candidate gets a token that is larger than all before
  freeze       the leader is stopped (SIGSTOP) and falls silent
  deposed      φ reaches 8: the leader is taken for dead, though it is not, and
               the other one is elected
  continue     the first goes on (SIGCONT). It has noticed nothing, and writes
  refused      the store has seen a larger token

The store keeps two registers: one has a guard, the other takes every write. The
summary shows what each held after the late write. With the default flags the
whole takes about 5 seconds. It ends with exit code 0 if the late write came and
was refused, 1 if not, and 2 if the flags make no sense.

Flags:
`, "\n")
