// Watch shows a failure detector at work on a real process. It starts a child
// that sends heartbeats over UDP on the loopback interface, freezes it, lets it
// go on and kills it, while a [liveness.Phi] trusts it, suspects it, trusts it
// again and is proved right. Run it with -h for what is to be seen.
//
// The part to copy is in watcher.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	beatIfChild()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is the program. It returns the exit code: 0 if all stages happened, 1 if
// not, and 2 for flags that make no sense.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args, stdout)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "watch: %v (-h explains the flags)\n", err)
		return 2
	}
	if err := show(ctx, opts, &view{out: stdout, terminal: isTerminal(stdout)}); err != nil {
		fmt.Fprintf(stderr, "watch: %v\n", err)
		return 1
	}
	return 0
}

// show starts a process and a watcher, plays the script and writes the summary.
func show(ctx context.Context, opts options, v *view) error {
	detector, err := opts.newDetector()
	if err != nil {
		return err
	}
	w, err := newWatcher(detector)
	if err != nil {
		return err
	}
	defer w.close()
	start := time.Now()
	p, err := startProcess(w.addr(), opts.interval)
	if err != nil {
		return err
	}
	defer p.stop()
	go w.watch(p.pid())

	v.start = start
	s := &script{opts: opts, plan: opts.plan(), detector: detector, process: p, sightings: w.sightings, view: v}
	s.introduce()
	err = s.play(ctx)
	v.erase()
	if errors.Is(err, errInterrupted) {
		return err
	}
	s.stats = detector.Stats()
	s.report.write(v.out)
	return err
}
