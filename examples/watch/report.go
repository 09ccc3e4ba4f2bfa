package main

import (
	"fmt"
	"io"
	"time"

	"example.com/liveness"
)

// A suspicion lasts until the next heartbeat.
type suspicion struct {
	sighting
	ended time.Time
}

// An incident is what was done to the process, and what came of it.
type incident struct {
	at        time.Time
	suspicion *suspicion
	skipped   string // why it was not done
}

// A report is what there is to say at the end.
type report struct {
	freezing, killing incident
	thawed            time.Time
	suspicions        []*suspicion
	convicted         bool
	received          int
	sent              uint64 // the highest sequence number
	stats             liveness.Stats
}

func (r *report) write(out io.Writer) {
	fmt.Fprintf(out, "\n%-42s %12s %12s\n", "Summary", "freeze", "kill")
	row := func(label string, cell func(incident, *suspicion) time.Duration) {
		fmt.Fprintf(out, "%-42s", label)
		for _, i := range []incident{r.freezing, r.killing} {
			text := "-"
			if i.suspicion != nil {
				text = milliseconds(cell(i, i.suspicion))
			}
			fmt.Fprintf(out, " %12s", text)
		}
		fmt.Fprintln(out)
	}
	row("last heartbeat, before the signal", func(i incident, s *suspicion) time.Duration { return i.at.Sub(s.last) })
	row("suspicion predicted, after the signal", func(i incident, s *suspicion) time.Duration { return s.due.Sub(i.at) })
	row("suspicion observed, after the signal", func(i incident, s *suspicion) time.Duration { return s.at.Sub(i.at) })
	row("  and after the last heartbeat", func(_ incident, s *suspicion) time.Duration { return s.at.Sub(s.last) })
	row("  observed less predicted", func(_ incident, s *suspicion) time.Duration { return s.at.Sub(s.due) })
	again := "-"
	if s := r.freezing.suspicion; s != nil && !s.ended.IsZero() {
		again = milliseconds(s.ended.Sub(r.thawed))
	}
	fmt.Fprintf(out, "%-42s %12s %12s\n\n", "trusted again, after SIGCONT", again, "-")

	fmt.Fprintf(out, "Heartbeats: %d received, %d lost. Gaps, as learnt: mean %.1f ms, standard deviation %.1f ms\n"+
		"(the detector's prior, and its floor for the standard deviation, included).\n",
		r.received, r.sent-uint64(r.received), r.stats.Mean*1e3, r.stats.StdDev*1e3)
	r.writeMistakes(out)
	switch {
	case r.convicted && r.freezing.skipped != "":
		fmt.Fprintf(out, "Trusted and convicted; not frozen: %s.\n", r.freezing.skipped)
	case r.convicted:
		fmt.Fprintln(out, "All four stages happened: trusted, suspected, trusted again, convicted.")
	}
}

// writeMistakes names the suspicions that a heartbeat took back, other than the
// one that SIGCONT ended: they are the detector's mistakes, or this machine's.
func (r *report) writeMistakes(out io.Writer) {
	var mistakes []*suspicion
	for _, s := range r.suspicions {
		if s != r.freezing.suspicion && s != r.killing.suspicion && !s.ended.IsZero() {
			mistakes = append(mistakes, s)
		}
	}
	if len(mistakes) == 0 {
		fmt.Fprintln(out, "False suspicions: none.")
		return
	}
	fmt.Fprintf(out, "False suspicions: %d. This program had not stopped the process: its heartbeats were late,\n"+
		"or this machine was slow to read them.\n", len(mistakes))
	for _, s := range mistakes {
		fmt.Fprintf(out, "  after %s of silence, taken back %s later; this program noticed %s late\n",
			milliseconds(s.at.Sub(s.last)), milliseconds(s.ended.Sub(s.at)), milliseconds(s.at.Sub(s.due)))
	}
}
