package main

import (
	"cmp"
	"context"
	"slices"
)

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
			s.figures.Rate = s.rate()
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

// heartbeats looks at what they said meanwhile.
func (s *story) heartbeats(context.Context) error {
	st := s.stages[len(s.stages)-1]
	f := &s.figures.Beats
	var peers []float64
	all := 0
	for _, name := range s.cluster.names() {
		beats := s.beats.of(name, st.from, st.to)
		phi, green := highest(beats)
		all += len(beats)
		if name == s.sick().name {
			f.Checks, f.Green, f.Phi = len(beats), green, phi
		} else {
			peers = append(peers, phi)
		}
	}
	slices.Sort(peers)
	higher, _ := slices.BinarySearch(peers, f.Phi)
	f.Higher = len(peers) - higher
	f.PeersMedian = peers[len(peers)/2]
	f.Threshold = s.beats.threshold
	f.PerSecond = float64(all) / st.to.Sub(st.from).Seconds()
	s.say("\n2. HEARTBEATS SEE NOTHING")
	s.say("   its health check: %d of %d green. φ at most %.2f, as high or higher for %d of its %d peers; suspected from %.0f on",
		f.Green, f.Checks, f.Phi, f.Higher, len(peers), f.Threshold)
	return cmp.Or(
		claim(f.Checks > 0 && f.Green == f.Checks, "%d of %d health checks of the slow server were green", f.Green, f.Checks),
		// Where this machine is held up, all are silent, and that is no sight of one.
		claim(f.Phi < f.Threshold || f.Higher*10 >= len(peers), "φ of the slow server reached %.1f, and of %d peers only", f.Phi, f.Higher),
	)
}
