package main

import (
	"fmt"
	"io"
	"time"
)

func (o *office) event(at time.Time, format string, args ...any) {
	fmt.Fprintf(o.out, "%s  %s\n", o.clock(at), fmt.Sprintf(format, args...))
}

func (o *office) clock(at time.Time) string { return fmt.Sprintf("%6.2f s", at.Sub(o.began).Seconds()) }

// summary compares the registers.
func (o *office) summary(out io.Writer) {
	o.store.mu.Lock()
	defer o.store.mu.Unlock()
	guard := o.store.guard.Stats()
	fmt.Fprintf(out, "\n%-38s %14s %14s\n", "Summary", "with guard", "without")
	if o.late != nil {
		fmt.Fprintf(out, "%-38s %14s %14s\n", "held after the late write", o.late.guarded, o.late.unguarded)
	}
	fmt.Fprintf(out, "%-38s %14d %14d\n", "writes taken from a deposed leader", o.store.guarded.stale, o.store.unguarded.stale)
	fmt.Fprintf(out, "%-38s %14d %14s\n", "writes refused", guard.Refusals, "-")
	fmt.Fprintf(out, "%-38s %14d %14s\n\n", "tokens seen, the last one", guard.Highest, "-")
	if o.late != nil {
		fmt.Fprintln(out, "φ was wrong, and the guard made it harmless: the late write was refused.")
	}
}
