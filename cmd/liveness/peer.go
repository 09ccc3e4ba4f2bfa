package main

import (
	"fmt"
	"math"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// A peer is one of those that a watcher judges.
type peer struct {
	name       string
	detector   liveness.Detector
	level      float64 // from which it is suspected
	suspected  bool
	heartbeats int
	last       time.Time
	meter      qos.Meter
}

const stamp = "15:04:05.000"

// peer returns the one of the given name, made at its first heartbeat.
func (w *watcher) peer(name string, at time.Time) (*peer, error) {
	for _, p := range w.peers {
		if p.name == name {
			return p, nil
		}
	}
	d, err := w.factory()
	if err != nil {
		return nil, err
	}
	p := &peer{name: name, detector: d, level: w.threshold, last: at}
	if p.level == 0 {
		p.level = d.Threshold()
	}
	w.peers = append(w.peers, p)
	return p, p.meter.Begin(at, false)
}

// arrive takes a heartbeat in.
func (w *watcher) arrive(a arrival) error {
	a.at = maxTime(a.at, w.now) // the reader may have looked at the clock before we did
	w.tick(a.at)                // what was due before
	p, err := w.peer(a.peer, a.at)
	if err != nil {
		return err
	}
	level, gap := p.detector.Suspicion(a.at), a.at.Sub(p.last)
	p.detector.Heartbeat(a.at)
	p.heartbeats++
	p.last = a.at
	state := "trusted"
	if p.suspected {
		state = "trusted again"
	}
	p.suspected = false
	if err := p.meter.Transition(a.at, false); err != nil {
		return err
	}
	if p.heartbeats == 1 {
		w.say(a.at, p, "first heartbeat")
		return nil
	}
	w.say(a.at, p, fmt.Sprintf("%s, level %s at heartbeat %d after %s", state, shortLevel(level), p.heartbeats, span(gap)))
	return nil
}

// tick suspects those whose time is over.
func (w *watcher) tick(now time.Time) {
	w.now = now
	for _, p := range w.peers {
		deadline := p.detector.Deadline(p.level)
		if p.suspected || deadline.After(now) {
			continue
		}
		p.suspected = true
		at := maxTime(deadline, p.last)
		p.meter.Transition(at, true)
		w.say(now, p, fmt.Sprintf("SUSPECTED, level %s after %s of silence", shortLevel(p.detector.Suspicion(now)), span(now.Sub(p.last))))
	}
}

// next is when somebody would become suspected, or the zero Time.
func (w *watcher) next() time.Time {
	var next time.Time
	for _, p := range w.peers {
		if p.suspected {
			continue
		}
		if d := p.detector.Deadline(p.level); next.IsZero() || d.Before(next) {
			next = d
		}
	}
	return next
}

// say prints a line, unless there is a table.
func (w *watcher) say(at time.Time, p *peer, text string) {
	if w.table {
		return
	}
	if p.name != "" {
		text = p.name + " " + text
	}
	fmt.Fprintf(w.out, "%s  %s\n", at.Format(stamp), text)
}

// end prints the quality of service of each peer.
func (w *watcher) end(now time.Time) {
	if w.table {
		w.draw(now)
		return
	}
	w.tick(now)
	fmt.Fprintln(w.out)
	t := w.quality(now)
	t.write(w.out)
}

// draw puts the table in the place of the last one.
func (w *watcher) draw(now time.Time) {
	w.tick(now)
	if w.drawn > 0 {
		fmt.Fprintf(w.out, "\x1b[%dA\x1b[J", w.drawn)
	}
	t := w.quality(now)
	t.write(w.out)
	w.drawn = len(t.rows)
}

func (w *watcher) quality(now time.Time) table {
	t := table{right: true}
	t.row("peer", "state", "level", "silence", "heartbeats", "suspicions", "mean length", "accuracy")
	for _, p := range w.peers {
		p.meter.Transition(now, p.suspected) // nothing but the time passes
		m := p.meter.Metrics()
		name, state := p.name, "trusted"
		if name == "" {
			name = "-"
		}
		if p.suspected {
			state = "SUSPECTED"
		}
		t.row(name, state, shortLevel(p.detector.Suspicion(now)), span(now.Sub(p.last)), fmt.Sprint(p.heartbeats),
			fmt.Sprint(m.Mistakes), seconds(m.MistakeDuration.Mean), percent(m.QueryAccuracy))
	}
	return t
}

// shortLevel writes a level for the eye.
func shortLevel(x float64) string {
	if x >= 1000 {
		return ">999"
	}
	return fmt.Sprintf("%.2f", math.Trunc(100*x)/100)
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
