package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/liveness/gray"
)

// outage is what a slow dependency of all does.
type outage struct {
	Searches   latency
	Failing    int // most deep checks that failed at once
	Outliers   int
	Evicted    int
	Pages      int
	PageAfter  seconds
	Alert      seconds
	Intervals  int
	Limit      seconds
	Median     seconds
	GuardOpen  int // intervals
	CouldEvict int // the cap
}

// dependency slows down what all depend on.
func (s *story) dependency(ctx context.Context) error {
	s.say("\n4. ALL ARE SLOW: A SHARED DEPENDENCY")
	f := &s.figures.Outage
	f.Limit = secondsOf(s.limit())
	m := s.frontend.monitor
	away := s.away(m)
	st, err := s.stage(ctx, 4, "outage", func() error {
		s.cluster.dependency.extra.Store(int64(s.outage()))
		defer s.cluster.dependency.extra.Store(0)
		return s.allSlow(ctx, m)
	})
	if err != nil {
		return err
	}
	s.recover(ctx, m)
	if err := s.calm(ctx); err != nil {
		return err
	}
	f.Searches = s.summary(st.samples)
	s.say("   searches   %v", f.Searches)
	s.say("   %d of %d deep checks fail: whoever evicts by them evicts everybody. The guard allows %d, so it evicted %d,\n"+
		"   and sent %d page, after %s. It closed %d intervals later.", f.Failing, s.servers, f.CouldEvict, f.Evicted, f.Pages, f.PageAfter, f.GuardOpen)
	s.say("   %d stood out among their peers. GroupDegraded after %s: median %s, the limit %s.", f.Outliers, f.Alert, f.Median, f.Limit)
	return cmp.Or(
		claim(away == 0 && f.Evicted == 0, "%d servers were evicted, %d had been before", f.Evicted, away),
		claim(f.Failing == s.servers, "%d of %d deep checks failed", f.Failing, s.servers),
		claim(f.Pages == 1, "%d pages went out, want 1", f.Pages),
		claim(f.Alert > 0, "the group was not found degraded"),
		claim(f.Outliers*20 <= s.servers, "%d of %d servers stood out while all were slow alike", f.Outliers, s.servers),
	)
}

// allSlow lets the monitor judge until it tells, and a little longer.
func (s *story) allSlow(ctx context.Context, m *gray.Monitor) error {
	f := &s.figures.Outage
	began := time.Now()
	for n, rest := 1, 2; n <= 12 && rest > 0; n++ {
		s.askDeep(ctx, m)
		d, err := s.next(ctx)
		if err != nil {
			return err
		}
		now := time.Now()
		f.Evicted += len(d.Ejections())
		f.CouldEvict = d.Guard.Limit
		f.Outliers = max(f.Outliers, standOut(d))
		if d.Guard.Page {
			f.Pages++
			f.PageAfter = secondsOf(now.Sub(began))
			s.note(now, "page")
		}
		switch {
		case d.Group.Degraded && f.Alert == 0:
			f.Alert, f.Intervals = secondsOf(now.Sub(began)), n
			f.Median = secondsOf(d.Group.Median)
			s.note(now, "GroupDegraded")
		case d.Group.Degraded:
			rest--
		}
	}
	return nil
}

// askDeep passes the deep checks on.
func (s *story) askDeep(ctx context.Context, m *gray.Monitor) {
	failing := s.cluster.failing(ctx)
	for _, name := range s.cluster.names() {
		m.SetFailing(name, failing[name])
	}
	s.figures.Outage.Failing = max(s.figures.Outage.Failing, len(failing))
}

// recover counts the intervals until the guard is closed again. Nothing is to be
// seen in them, so nobody has to wait.
func (s *story) recover(ctx context.Context, m *gray.Monitor) {
	s.askDeep(ctx, m)
	f := &s.figures.Outage
	for f.GuardOpen = 1; f.GuardOpen < 100 && m.Advance(s.clock.tick()).Guard.Open; f.GuardOpen++ {
	}
}

// standOut counts who was found slower than its peers in the interval.
func standOut(d gray.Decision) int {
	n := 0
	for _, j := range d.Servers {
		if slices.ContainsFunc(j.Tests, func(t gray.Test) bool { return t.Outlier }) {
			n++
		}
	}
	return n
}
