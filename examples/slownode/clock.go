package main

import (
	"sync/atomic"
	"time"
)

// A clock lets the intervals of the monitor pass faster. All that the monitor
// knows of time are the instants it is passed: here one step for each tick.
type clock struct {
	start time.Time
	step  time.Duration
	ticks atomic.Int64
}

func newClock(step time.Duration) *clock { return &clock{start: time.Now(), step: step} }

func (c *clock) now() time.Time { return c.start.Add(time.Duration(c.ticks.Load()) * c.step) }

// tick lets a step pass.
func (c *clock) tick() time.Time {
	c.ticks.Add(1)
	return c.now()
}
