package main

import (
	"cmp"
	"context"
)

// slowness is what one slow server does.
type slowness struct {
	Server string
	Well   latency
	Sick   latency
}

// slow is the first chapter.
func (s *story) slow(ctx context.Context) error {
	s.say("\n1. ONE SLOW SERVER MAKES EVERY SEARCH SLOW")
	well, err := s.allWell(ctx)
	if err != nil {
		return err
	}
	s.sick().slower.Store(true)
	sick, err := s.measure(ctx, 1, "one slow", func() error { return s.wait(ctx, s.window) })
	if err != nil {
		return err
	}
	f := &s.figures.Slow
	f.Server = s.sick().name
	f.Well, f.Sick = s.summary(well.samples), s.summary(sick.samples)
	s.say("   all well                    %v", f.Well)
	s.say("   %s %d times slower %v", f.Server, slowFactor, f.Sick)
	return cmp.Or(
		claim(f.Well.Searches > 0 && f.Sick.Searches > 0, "this machine was held up all the time"),
		claim(f.Well.Slow < 0.1, "with all servers well %s of the searches took %v or longer: this machine is too slow", f.Well.Slow, s.late()),
		claim(f.Sick.Slow > 0.95, "with a slow server %s of the searches were slow, want above 95 %%", f.Sick.Slow),
		claim(f.Sick.P50 > 2*f.Well.P50, "a slow server took the median search from %s to %s only", f.Well.P50, f.Sick.P50),
	)
}

// allWell measures the searches before anything happens. Where other programs want
// the machine too, the pace may turn out to have been too much.
func (s *story) allWell(ctx context.Context) (stage, error) {
	for {
		st, err := s.measure(ctx, 1, "all well", func() error { return s.wait(ctx, s.window) })
		if err != nil {
			return st, err
		}
		if s.summary(st.samples).Slow < 0.1 {
			return st, nil
		}
		slower, ok := s.slackened()
		if !ok {
			return st, nil // and the claim will fail
		}
		s.pace(slower)
		s.say("   this machine is too slow, or has other things to do: on with %.0f searches a second", s.rate())
		s.forget()
		if err := s.calm(ctx); err != nil {
			return st, err
		}
	}
}
