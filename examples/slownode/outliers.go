package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/liveness/gray"
)

// outlier is what the comparison with the peers did.
type outlier struct {
	After     seconds
	Intervals int
	Before    latency
	Then      latency
	Capacity  percentage // share of the servers that are out
	Neighbour float64    // searches at the server that takes over, as a multiple of the others' median
	Wrongly   int        // ejections of others
	Copies    int        // requests for probation
	Returned  seconds    // after the repair
}

// outliers lets the monitor eject it, and have it back once it is repaired.
func (s *story) outliers(ctx context.Context) error {
	s.say("\n3. ITS PEERS SHOW IT: OUTLIER DETECTION")
	f := &s.figures.Outlier
	f.Before = s.figures.Slow.Sick
	if err := s.monitor(false); err != nil {
		return err
	}
	m, sick := s.frontend.monitor, s.sick().name
	var ejected time.Time
	st, err := s.stage(ctx, 3, "detection on", func() error {
		on := time.Now()
		for ejected.IsZero() && f.Intervals < 20 {
			d, err := s.next(ctx)
			if err != nil {
				return err
			}
			f.Intervals++
			for _, name := range d.Ejections() {
				if name != sick {
					f.Wrongly++
					continue
				}
				ejected = time.Now()
				f.After = secondsOf(ejected.Sub(on))
				j, _ := d.Of(name)
				s.say("   after %s, %d intervals:\n     %v", f.After, f.Intervals, j)
				s.note(ejected, "ejected")
			}
		}
		if ejected.IsZero() {
			return claim(false, "%s was not ejected in %d intervals", sick, f.Intervals)
		}
		f.Capacity = percent(float64(s.away(m)), float64(s.servers))
		return s.convalescence(ctx, m)
	})
	if err != nil {
		return err
	}
	s.stages[len(s.stages)-1].ejected = ejected
	f.Then = s.summary(after(st.samples, ejected))
	f.Copies = int(s.frontend.copies.Load())
	s.say("   before     %v", f.Before)
	s.say("   ejected    %v", f.Then)
	s.say("   it costs %s of the servers, and the next one, which has the copy of its shard, was asked %.1f times as often as\n"+
		"   the others. Probation took %d copied requests, for whose answers no search waited. Once repaired,\n"+
		"   it was back after %s.", f.Capacity, f.Neighbour, f.Copies, f.Returned)
	return cmp.Or(
		claim(f.Wrongly == 0, "%d servers were ejected that were well", f.Wrongly),
		claim(f.Then.Slow < 0.05, "%s of the searches were slow after the ejection", f.Then.Slow),
		claim(f.Then.P50 < f.Before.P50/2, "the median search went from %s to %s only", f.Before.P50, f.Then.P50),
	)
}

// away counts who gets no requests.
func (s *story) away(m *gray.Monitor) int {
	n := 0
	for _, name := range s.cluster.names() {
		if state := m.State(name); state == gray.Ejected || state == gray.Probation {
			n++
		}
	}
	return n
}

// convalescence follows the slow server until it is back. It is repaired just
// before its time is over.
func (s *story) convalescence(ctx context.Context, m *gray.Monitor) error {
	f := &s.figures.Outlier
	asked := s.asked()
	var repaired time.Time
	for n := 1; n < 20; n++ {
		d, err := s.next(ctx)
		if err != nil {
			return err
		}
		f.Wrongly += len(d.Ejections())
		now := time.Now()
		if n == 3 {
			f.Neighbour = s.neighbour(asked)
			s.sick().slower.Store(false)
			repaired = now
			s.note(now, "repaired")
		}
		if state := m.State(s.sick().name); state == gray.SlowStart || state == gray.Active {
			f.Returned = secondsOf(now.Sub(repaired))
			s.note(now, "back")
			return nil
		}
	}
	return claim(false, "%s did not come back", s.sick().name)
}

// asked returns how many searches each server has had.
func (s *story) asked() []uint64 {
	n := make([]uint64, s.servers)
	for i, server := range s.cluster.servers {
		n[i] = server.asked.Load()
	}
	return n
}

// neighbour compares the searches since then at the server after the slow one with
// the others' median.
func (s *story) neighbour(since []uint64) float64 {
	now := s.asked()
	var rest []uint64
	next := (s.patient() + 1) % s.servers
	for i := range now {
		now[i] -= since[i]
		if i != next && i != s.patient() {
			rest = append(rest, now[i])
		}
	}
	slices.Sort(rest)
	return float64(now[next]) / float64(max(rest[len(rest)/2], 1))
}
