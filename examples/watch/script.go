package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/liveness"
)

// patience is what a loaded machine is given on top of what a step should take.
const patience = 10 * time.Second

var (
	errInterrupted = errors.New("interrupted; the watched process has been killed")
	errTooLate     = errors.New("too late")
)

// A script does to the process what there is to be seen, and keeps the books.
type script struct {
	opts      options
	plan      plan
	detector  *liveness.Phi
	process   *process
	sightings <-chan sighting
	view      *view

	stage   string // what the process does, as far as this program knows
	verdict string // what the watcher makes of it
	seen    sighting
	report
}

func (s *script) introduce() {
	fmt.Fprintf(s.view.out, "Process %d sends a heartbeat every %v and is suspected when φ reaches %v (%s law).\n"+
		"It will be frozen, continued and killed. This takes about %.0f s.\n\n",
		s.process.pid(), s.opts.interval, s.opts.threshold, s.opts.law, s.plan.total().Seconds())
}

// play plays the stages one after the other.
func (s *script) play(ctx context.Context) error {
	s.stage, s.verdict = "starting", "unknown"
	if err := s.until(ctx, patience, s.trusted); err != nil {
		return reason(err, "no heartbeat arrived")
	}
	s.stage = "beating"
	if err := s.beat(ctx, s.plan.beating); err != nil {
		return err
	}
	if err := s.freeze(ctx); errors.Is(err, errors.ErrUnsupported) {
		s.freezing.skipped = err.Error()
		s.view.event(time.Now(), "the freeze is skipped: %v", err)
	} else if err != nil {
		return err
	} else if err := s.beat(ctx, s.plan.recovery); err != nil {
		return err
	}
	return s.kill(ctx)
}

// beat lets the process send heartbeats for a while, and until it is trusted.
func (s *script) beat(ctx context.Context, length time.Duration) error {
	end := time.Now().Add(length)
	err := s.until(ctx, length+patience, func() bool { return s.trusted() && !time.Now().Before(end) })
	return reason(err, "a process that sends heartbeats was not trusted")
}

// freeze stops the process until it has been suspected for a while, and then
// lets it go on until it is trusted again.
func (s *script) freeze(ctx context.Context) error {
	due := s.seen.due
	s.freezing.at = time.Now()
	if err := s.process.freeze(); errors.Is(err, errors.ErrUnsupported) {
		return err
	} else if err != nil {
		return fmt.Errorf("freezing the process: %w", err)
	}
	s.stage = "frozen"
	s.view.event(s.freezing.at, "freeze: SIGSTOP is sent; without another heartbeat suspicion is due at %.2f s", due.Sub(s.view.start).Seconds())
	err := s.until(ctx, time.Until(due)+s.plan.frozen+patience, func() bool {
		return s.suspected() && time.Since(s.seen.at) >= s.plan.frozen
	})
	if err != nil {
		return reason(err, "the frozen process was not suspected")
	}
	s.freezing.suspicion = s.latest()

	s.thawed = time.Now()
	if err := s.process.thaw(); err != nil {
		return fmt.Errorf("continuing the process: %w", err)
	}
	s.stage = "beating"
	s.view.event(s.thawed, "continue: SIGCONT is sent")
	return reason(s.until(ctx, patience, s.trusted), "the continued process was not trusted again")
}

// kill kills the process and waits until it is suspected and known to be dead.
func (s *script) kill(ctx context.Context) error {
	due := s.seen.due
	s.killing.at = time.Now()
	if err := s.process.kill(); err != nil {
		return fmt.Errorf("killing the process: %w", err)
	}
	s.stage = "killed"
	s.view.event(s.killing.at, "kill: the process is killed; without another heartbeat suspicion is due at %.2f s", due.Sub(s.view.start).Seconds())
	dead := false
	err := s.until(ctx, time.Until(due)+patience, func() bool {
		select {
		case <-s.process.exited:
			dead = true
		default:
		}
		return dead && s.suspected()
	})
	if err != nil && !dead {
		return reason(err, "the killed process did not end")
	} else if err != nil {
		return reason(err, "the killed process was not suspected")
	}
	s.killing.suspicion = s.latest()
	s.convicted = true
	s.view.event(time.Now(), "convicted: it is suspected, and the system confirms its end (%s)", s.process.status)
	return nil
}

// until takes in what happens and draws it until done, which is errTooLate
// after limit.
func (s *script) until(ctx context.Context, limit time.Duration, done func() bool) error {
	late := time.NewTimer(limit)
	defer late.Stop()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		exited := s.process.exited
		if s.stage == "killed" {
			exited = nil // done asks for it
		}
		select {
		case seen, ok := <-s.sightings:
			if !ok {
				return errors.New("the watcher has lost its socket")
			}
			s.see(seen)
		case <-tick.C:
			now := time.Now()
			s.view.draw(now, frame{
				stage:     s.stage,
				phi:       s.detector.Suspicion(now),
				threshold: s.opts.threshold,
				verdict:   s.verdict,
				heartbeat: s.seen.seq,
			})
		case <-exited:
			return fmt.Errorf("the process has ended by itself (%s)", s.process.status)
		case <-ctx.Done():
			return errInterrupted
		case <-late.C:
			return errTooLate
		}
	}
	return nil
}

// reason says what was not to be had in time.
func reason(err error, what string) error {
	if errors.Is(err, errTooLate) {
		return errors.New(what + " in time")
	}
	return err
}

func (s *script) trusted() bool   { return s.verdict == "trusted" }
func (s *script) suspected() bool { return s.verdict == "suspected" }

// see takes in what the watcher has seen.
func (s *script) see(seen sighting) {
	s.seen = seen
	if seen.suspected {
		s.verdict = "suspected"
		s.suspicions = append(s.suspicions, &suspicion{sighting: seen})
		s.view.event(seen.at, "suspected: φ is %s after %s of silence%s",
			level(seen.phi), milliseconds(seen.at.Sub(seen.last)), s.doubt(seen.at))
		return
	}
	s.received++
	s.sent = seen.seq
	switch {
	case s.suspected():
		s.latest().ended = seen.at
		if s.latest() == s.freezing.suspicion {
			s.view.event(seen.at, "trusted again: a heartbeat came %s after SIGCONT", milliseconds(seen.at.Sub(s.thawed)))
		} else {
			s.view.event(seen.at, "trusted again: a heartbeat came, and the suspicion was false")
		}
	case !s.trusted():
		s.view.event(seen.at, "trusted: the first heartbeat has arrived")
	}
	s.verdict = "trusted"
}

// doubt returns what to add where this program gave no cause for suspicion.
func (s *script) doubt(at time.Time) string {
	switch s.stage {
	case "frozen", "killed":
		return ""
	}
	return ", though no signal was sent"
}

func (s *script) latest() *suspicion { return s.suspicions[len(s.suspicions)-1] }
