package main

import (
	"fmt"
	"io"
	"time"
)

// A tally says on a terminal how much of the work is done.
type tally struct {
	w           io.Writer // nil: say nothing
	done, total int
	next        time.Time
}

func newTally(w io.Writer, total int) *tally {
	t := &tally{total: total, next: time.Now().Add(progressEvery)}
	if isTerminal(w) {
		t.w = w
	}
	return t
}

func (t *tally) add() {
	t.done++
	if t.w != nil && time.Now().After(t.next) {
		fmt.Fprintf(t.w, "\r\x1b[K%d of %d", t.done, t.total)
		t.next = time.Now().Add(progressEvery)
	}
}

// clear takes the line away again.
func (t *tally) clear() {
	if t.w != nil {
		fmt.Fprint(t.w, "\r\x1b[K")
	}
}
