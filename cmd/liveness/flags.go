package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"example.com/liveness/qos"
)

// flags is a flag set that tells wrong usage from other errors, and lets flags
// stand after files too.
type flags struct {
	*flag.FlagSet
	env  env
	note string // what -h says below the flags
	json bool
}

func newFlags(e env, note string) *flags {
	f := &flags{flag.NewFlagSet(e.name, flag.ContinueOnError), e, note, false}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// withJSON adds -json.
func (f *flags) withJSON() *flags {
	f.BoolVar(&f.json, "json", false, "print one JSON object; times are numbers of seconds, what is unknown is absent")
	return f
}

// parse returns the operands, of which there must be from least to most.
func (f *flags) parse(args []string, least, most int) ([]string, error) {
	var operands []string
	for {
		err := f.FlagSet.Parse(args)
		switch {
		case err == flag.ErrHelp:
			f.help()
			return nil, err
		case err != nil:
			return nil, usage("%w", err)
		}
		rest := f.Args()
		if parsed := len(args) - len(rest); parsed > 0 && args[parsed-1] == "--" {
			operands = append(operands, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		operands = append(operands, rest[0])
		args = rest[1:]
	}
	switch n := len(operands); {
	case n < least:
		return nil, usage("it takes a file, or - for standard input")
	case n > most && most == 0:
		return nil, usage("it takes no file, got %q", operands[0])
	case n > most:
		return nil, usage("it takes one file, got %d", n)
	}
	return operands, nil
}

// isSet reports whether a flag was given.
func (f *flags) isSet(name string) bool {
	found := false
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

func (f *flags) help() {
	w := f.env.stdout
	fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("usage: liveness %s [flags] %s", f.env.name, f.env.operands), " "))
	fmt.Fprintf(w, "\n%s.\n\n", f.env.short)
	f.SetOutput(w)
	f.PrintDefaults()
	f.SetOutput(io.Discard)
	if f.note != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(f.note))
	}
	fmt.Fprintf(w, "\n%s\n", exitNote)
}

// print writes a result as JSON or, with show, for people.
func (f *flags) print(result any, show func(io.Writer)) error {
	if f.json {
		return json.NewEncoder(f.env.stdout).Encode(result)
	}
	show(f.env.stdout)
	return nil
}

// numbers is a flag that lists finite numbers above 0.
type numbers []float64

func (n *numbers) String() string {
	texts := make([]string, len(*n))
	for i, x := range *n {
		texts[i] = strconv.FormatFloat(x, 'g', -1, 64)
	}
	return strings.Join(texts, ",")
}

func (n *numbers) Set(text string) error {
	*n = nil
	for field := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || !(x > 0) || math.IsInf(x, 0) {
			return fmt.Errorf("%q is no finite number above 0", field)
		}
		*n = append(*n, x)
	}
	return nil
}

// names is a flag that lists names.
type names []string

func (n *names) String() string { return strings.Join(*n, ",") }

func (n *names) Set(text string) error {
	*n = nil
	for field := range strings.SplitSeq(text, ",") {
		*n = append(*n, strings.TrimSpace(field))
	}
	return nil
}

// series is a flag that chooses which times of a trace are meant.
type series struct{ qos.Series }

func (s *series) Set(text string) error {
	for _, choice := range []qos.Series{qos.Auto, qos.Gap, qos.Delay} {
		if choice.String() == text {
			s.Series = choice
			return nil
		}
	}
	return fmt.Errorf("want gap, delay or auto")
}

// withSeries adds -series.
func (f *flags) withSeries() *series {
	s := new(series)
	f.Var(s, "series", "`auto|gap|delay`: the gap between arrivals, or the delay of each heartbeat or\nprobe; auto is gap where the trace has arrivals (default auto)")
	return s
}

// count is a flag that is a number from 1.
type count int

func (c *count) String() string { return strconv.Itoa(int(*c)) }

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return fmt.Errorf("want a number from 1")
	}
	*c = count(n)
	return nil
}

// withWarmup adds -warmup.
func (f *flags) withWarmup() *int {
	n := qos.DefaultWarmup
	f.Var((*count)(&n), "warmup", "the `number` of heartbeats learnt before any is judged")
	return &n
}

// duration is a flag that is a duration, in days too.
type duration time.Duration

func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Set(text string) error {
	parsed, err := parseDuration(text)
	*d = duration(parsed)
	return err
}

// parseDuration is time.ParseDuration with days in front: 30d, 1d12h.
func parseDuration(text string) (time.Duration, error) {
	days, rest, ok := strings.Cut(text, "d")
	if !ok {
		d, err := time.ParseDuration(text)
		if err != nil {
			return 0, fmt.Errorf("want a duration such as 50ms, 1.5s, 12h or 30d")
		}
		return d, nil
	}
	n, err := strconv.ParseFloat(days, 64)
	ns := n * 24 * float64(time.Hour)
	var d time.Duration
	if err == nil && rest != "" {
		d, err = time.ParseDuration(rest)
	}
	if err != nil || !(math.Abs(ns) < 1<<62) || d < 0 || d > 1<<62 {
		return 0, fmt.Errorf("want a duration such as 30d or 1d12h")
	}
	if n < 0 {
		d = -d
	}
	return time.Duration(ns) + d, nil
}

// duration adds a flag that is a duration; a word of its text in backquotes names it.
func (f *flags) duration(p *time.Duration, name, text string) {
	f.Var((*duration)(p), name, text)
}

// share is a flag that is a number, or a percentage.
type share float64

func (s *share) String() string { return strconv.FormatFloat(float64(*s), 'g', -1, 64) }

func (s *share) Set(text string) error {
	number, isPercent := strings.CutSuffix(text, "%")
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return fmt.Errorf("want a number such as 0.01, or 1%%")
	}
	if isPercent {
		x /= 100
	}
	*s = share(x)
	return nil
}

// floor is a flag that is a duration above 0, or 0 for the word default.
type floor time.Duration

func (d *floor) String() string { return time.Duration(*d).String() }

func (d *floor) Set(text string) error {
	if text == "default" {
		*d = 0
		return nil
	}
	parsed, err := parseDuration(text)
	if err != nil || parsed <= 0 {
		return fmt.Errorf("want a duration above 0, or default")
	}
	*d = floor(parsed)
	return nil
}

// list joins names as one says them.
func list(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// folded is list with a new line after the first few names, for the help of a flag.
func folded(names []string, first int) string {
	return strings.Join(names[:first], ", ") + ",\n" + list(names[first:])
}
