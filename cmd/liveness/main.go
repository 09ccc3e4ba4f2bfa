// Command liveness tells how good a failure detector is on recorded heartbeats,
// and which settings reach a wanted quality.
//
//	liveness replay FILE       how often is a detector wrong, and how fast is it
//	liveness sweep FILE        the same over all thresholds: a curve, and a picture
//	liveness calibrate FILE…   does a φ keep its promise
//	liveness compare FILE…     every detector and every law, on several traces
//	liveness size FILE         which timeout for a false-positive rate
//	liveness configure         which interval and margin for a wanted quality
//	liveness outliers FILE     who is slow among peers
//	liveness record            record real heartbeats over UDP
//	liveness watch             judge a live stream, one line a heartbeat, or ping
//
// FILE is a trace as [example.com/liveness/qos.Open] reads it: CSV, times of
// arrival, or the output of ping; that of outliers is a table of nodes; - is
// standard input. It exits with 0 when done, 1 if the data or the request cannot
// be served, and 2 if used wrongly.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// A command is one of the things this program does.
type command struct {
	name, operands, short string
	run                   func(env, []string) error
}

func commands() []command {
	return []command{
		{"replay", "FILE", "run one detector over a trace: mistakes, detection time, accuracy", replay},
		{"sweep", "FILE", "the curve of mistakes against detection time over thresholds", sweep},
		{"calibrate", "FILE…", "promised against observed mistakes at each φ, and what it costs", calibrate},
		{"compare", "FILE…", "every detector and every law on several traces: promises kept, detection time", compare},
		{"size", "[FILE]", "the timeout for a false-positive rate, from a trace or a law", size},
		{"configure", "", "the interval and the margin for a wanted quality of service", configure},
		{"outliers", "FILE", "who is slow among peers, from a table of nodes with their p99", outliers},
		{"record", "", "send and receive real heartbeats over UDP and write a trace", record},
		{"watch", "", "φ, state and quality of a live stream, one line a heartbeat", watch},
	}
}

// env is what a command may touch.
type env struct {
	command
	stdin          io.Reader
	stdout, stderr io.Writer
}

const (
	exitDone = iota
	exitFailed
	exitUsage
)

const exitNote = "It exits with 0 when done, 1 if the data or the request cannot be served, and 2 if used wrongly."

// usageError is an error of whoever typed the command.
type usageError struct{ error }

// usage returns an error that says how the command was used wrongly.
func usage(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// run is the program without the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		help(stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		help(stdout)
		return exitDone
	}
	for _, c := range commands() {
		if c.name == args[0] {
			return exit(c, c.run(env{c, stdin, stdout, stderr}, args[1:]), stderr)
		}
	}
	fmt.Fprintf(stderr, "liveness: there is no command %q; liveness help lists them\n", args[0])
	return exitUsage
}

// exit says what went wrong and returns the exit code.
func exit(c command, err error, stderr io.Writer) int {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return exitDone
	}
	if _, ok := errors.AsType[usageError](err); ok {
		fmt.Fprintf(stderr, "liveness %s: %s (liveness %[1]s -h explains)\n", c.name, reason(err))
		return exitUsage
	}
	fmt.Fprintf(stderr, "liveness %s: %s\n", c.name, reason(err))
	return exitFailed
}

// reason is the text of an error without the name of the package it is from.
func reason(err error) string {
	text := err.Error()
	for _, name := range []string{"qos: ", "liveness: ", "compat: ", "gray: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

func help(w io.Writer) {
	fmt.Fprint(w, "usage: liveness COMMAND [flags] [FILE…]\n\n")
	var t table
	for _, c := range commands() {
		t.row("  "+c.name, c.operands, c.short)
	}
	t.write(w)
	fmt.Fprint(w, `
FILE is CSV with the header interarrival_ns, send_ns,recv_ns, seq,rtt_ns, or rtt_ms and the like;
the output of ping; or the times of arrival, one a line; - is standard input. That of outliers is a
table in CSV with the columns node and p99_ns.
liveness COMMAND -h explains the flags.

`+exitNote+"\n")
}
