package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"example.com/liveness/gray"
)

var errInterrupted = errors.New("interrupted")

// A stage is a part of the story during which searches are sent.
type stage struct {
	chapter  int
	name     string
	from, to time.Time
	ejected  time.Time // when the slow server was, in this stage
	samples  []sample
}

// An event is what happened at an instant.
type event struct {
	at   time.Time
	text string
}

// stage sends searches while f runs, and returns when the last one is answered.
func (s *story) stage(ctx context.Context, chapter int, name string, f func() error) (stage, error) {
	st := stage{chapter: chapter, name: name, from: time.Now()}
	l := startLoad(ctx, s.every, s.frontend.search)
	err := f()
	st.samples, _ = l.end()
	for i := range st.samples {
		st.samples[i].stalled = s.stalls.overlap(st.samples[i])
	}
	s.frontend.probing.Wait()
	st.to = time.Now()
	s.sent += l.sent
	s.skipped += l.skipped
	s.stages = append(s.stages, st)
	if err == nil && l.err != nil {
		err = fmt.Errorf("a search failed: %w", l.err)
	}
	return st, err
}

// maxRepeats is for the whole story, which is to be over in a minute.
const maxRepeats = 2

// measure repeats a stage for which this machine was held up too much to tell.
func (s *story) measure(ctx context.Context, chapter int, name string, f func() error) (stage, error) {
	for {
		st, err := s.stage(ctx, chapter, name, f)
		if l := s.summary(st.samples); err != nil || l.Searches > l.Stalled || s.repeats == maxRepeats {
			return st, err
		}
		s.repeats++
		s.stages[len(s.stages)-1].name = "held up"
		s.say("   (this machine was held up too much to measure %q: once more)", name)
	}
}

// wait lets n intervals pass.
func (s *story) wait(ctx context.Context, n int) error {
	for range n {
		select {
		case <-s.ticker.C:
		case <-ctx.Done():
			return errInterrupted
		}
	}
	return nil
}

// next lets an interval pass, for the monitor too, and returns its decision.
func (s *story) next(ctx context.Context) (gray.Decision, error) {
	if err := s.wait(ctx, 1); err != nil {
		return gray.Decision{}, err
	}
	return s.frontend.monitor.Advance(s.clock.tick()), nil
}

// monitor begins to judge, with what is asked for by now forgotten.
func (s *story) monitor(shadow bool) error {
	m, err := gray.New(gray.Config{
		MinRequests: enough,
		Limit:       s.limit(),
		Shadow:      shadow,
	})
	if err != nil {
		return err
	}
	m.Add(s.cluster.names()...)
	m.Advance(s.clock.tick())
	s.frontend.monitor, s.frontend.enforce = m, !shadow
	return nil
}

func (s *story) say(format string, args ...any) { fmt.Fprintf(s.out, format+"\n", args...) }

func (s *story) note(at time.Time, text string) { s.events = append(s.events, event{at, text}) }

// claim returns an error unless what the story says is true.
func claim(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf("not so on this run: "+format, args...)
}
