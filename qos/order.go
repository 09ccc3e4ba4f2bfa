package qos

import (
	"fmt"
	"slices"
	"time"
)

// horizon is how many lines a heartbeat may have been overtaken by.
const horizon = 4096

// order puts heartbeats in order of arrival, with up to 2·horizon of them in memory.
type order struct {
	yield   func(Beat, error) bool
	trace   *Trace
	held    []keyed
	key     time.Time // the latest arrival added
	given   time.Time // of the last one yielded
	stopped bool
}

// keyed is a heartbeat with its place in time: its arrival, or if it was lost
// the latest arrival before it. When it was sent says nothing, for that is on
// another clock.
type keyed struct {
	Beat
	key  time.Time
	line int
}

// add takes one heartbeat in and reports whether more are wanted.
func (o *order) add(b Beat, line int) bool {
	key := b.At
	if b.Lost() {
		key = o.key
	} else if b.At.After(o.key) {
		o.key = b.At
	}
	o.held = append(o.held, keyed{b, key, line})
	return len(o.held) < 2*horizon || o.release(horizon)
}

// flush yields all that is held.
func (o *order) flush() bool { return o.release(len(o.held)) }

// release yields the first n in order.
func (o *order) release(n int) bool {
	slices.SortStableFunc(o.held, func(a, b keyed) int { return a.key.Compare(b.key) })
	for _, k := range o.held[:n] {
		if !k.Lost() {
			if k.At.Before(o.given) {
				o.stopped = true
				o.trace.line = k.line
				o.yield(Beat{}, o.trace.broken(fmt.Sprintf("the arrival lies before one more than %d lines earlier", horizon)))
				return false
			}
			o.given = k.At
		}
		if !o.yield(k.Beat, nil) {
			o.stopped = true
			return false
		}
	}
	o.held = append(o.held[:0], o.held[n:]...)
	return true
}
