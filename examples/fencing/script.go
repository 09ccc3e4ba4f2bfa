package main

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// play is the script. Whoever leads by then is frozen: on a busy machine that
// need not be the one who was elected first.
func (o *office) play(ctx context.Context) error {
	for _, c := range o.contenders {
		o.event(time.Now(), "%s is process %d, and sends a heartbeat every %v", c.name, c.cmd.Process.Pid, o.interval)
	}
	settled := func() bool { return o.leader != nil && o.leader.token == o.written }
	if err := o.until(ctx, "a leader has written", settled); err != nil {
		return err
	}
	if err := o.during(ctx, 20*o.interval); err != nil {
		return err
	}
	if err := o.until(ctx, "a leader has written", settled); err != nil {
		return err
	}

	o.frozen = o.leader
	if err := freeze(o.frozen.cmd.Process); err != nil {
		return err
	}
	now := time.Now()
	due := o.frozen.detector.Deadline(o.frozen.detector.Threshold())
	o.event(now, "freeze: SIGSTOP to %s, who leads; φ is due to reach %g at %s", o.frozen.name, o.frozen.detector.Threshold(), strings.TrimSpace(o.clock(due)))
	succeeded := func() bool { return o.leader != o.frozen && settled() }
	if err := o.until(ctx, "a successor has written", succeeded); err != nil {
		return err
	}
	if err := o.during(ctx, 10*o.interval); err != nil {
		return err
	}
	o.event(time.Now(), "continue: SIGCONT to %s, who knows of nothing and still holds token %d", o.frozen.name, o.frozen.token)
	if err := thaw(o.frozen.cmd.Process); err != nil {
		return err
	}
	if err := o.until(ctx, "the deposed leader has written", func() bool { return o.late != nil }); err != nil {
		return err
	}
	return o.during(ctx, 5*o.interval)
}

// until handles what happens until done, or for 20 s at most.
func (o *office) until(ctx context.Context, what string, done func() bool) error {
	const limit = 20 * time.Second
	giveUp := time.After(limit)
	for !done() {
		more, err := o.handle(ctx, giveUp)
		if err != nil {
			return err
		}
		if !more {
			return fmt.Errorf("%v have passed, and it is not true that %s", limit, what)
		}
	}
	return nil
}

// during handles what happens for a time.
func (o *office) during(ctx context.Context, d time.Duration) error {
	end := time.After(d)
	for more := true; more; {
		var err error
		if more, err = o.handle(ctx, end); err != nil {
			return err
		}
	}
	return nil
}
