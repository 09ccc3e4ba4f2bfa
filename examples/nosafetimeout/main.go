// Command nosafetimeout is the study behind package liveness: it shows in
// numbers why no fixed timeout is right.
//
// A timeout that is short suspects processes that are merely slow, one that is
// long leaves crashes unnoticed, and where the delay has no bound there is
// nothing between the two that does neither. The program prints eight tables
// about that, from the exact law of the delay and from seeded draws; every
// table is a function of this package, and its tests hold it to theory.
//
//	go run ./examples/nosafetimeout
//	go run ./examples/nosafetimeout -seed 7 -samples 100000
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

const maxSamples = 1_000_000_000

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run returns the exit status: 0, 1 if the output could not be written, 2 for
// a mistake in the arguments.
func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("nosafetimeout", flag.ContinueOnError)
	flags.SetOutput(stderr)
	seed := flags.Uint64("seed", 1, "`seed` of the random draws (tables 4 and 8); the same seed draws the same")
	samples := flags.Int("samples", 1_000_000, fmt.Sprintf("`number` of round-trip times drawn for table 4, from 1 to %d", maxSamples))
	flags.Usage = func() {
		fmt.Fprint(stderr, "Usage: nosafetimeout [-seed seed] [-samples number]\n\n"+
			"Print eight tables that show why no fixed timeout is right for detecting failures.\n\n")
		flags.PrintDefaults()
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil: // Parse has reported it
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "nosafetimeout: unexpected argument %q; -h explains the flags\n", flags.Arg(0))
		return 2
	}
	if *samples < 1 || *samples > maxSamples {
		fmt.Fprintf(stderr, "nosafetimeout: samples is %d, want a number from 1 to %d\n", *samples, maxSamples)
		return 2
	}
	if err := report(stdout, newStudy(*seed, *samples)); err != nil {
		fmt.Fprintf(stderr, "nosafetimeout: %v\n", err)
		return 1
	}
	return 0
}
