package gray

import (
	"slices"
	"time"
)

// judgeOwn applies the rules of this package, and its guard.
func (m *Monitor) judgeOwn(r *round, eligible []*view, now time.Time) {
	cfg := &m.cfg
	slow := cfg.slowTests(eligible)
	if excused := m.excuse(r, eligible, slow); excused != nil {
		for i, v := range eligible {
			v.excused = excused[i]
		}
	}
	errors := cfg.errorTests(eligible)
	for i, v := range eligible {
		v.j.Tests = append(v.j.Tests, slow[i][:]...)
		v.j.Tests = append(v.j.Tests, errors[i]...)
		v.persist(cfg)
	}
	var found []*view
	for _, v := range eligible {
		if v.decide() {
			found = append(found, v)
		} else if v.j.Verdict == Keep && v.life.state == Active && v.enough(cfg) {
			v.recover()
		}
	}
	for _, v := range r.views {
		if v.life.state == Probation && !v.back {
			v.probe(cfg, eligible, now)
		}
	}
	slices.SortFunc(found, worstFirst)

	total, unhealthy := r.census().count()
	r.guard, r.Guard = m.guard.next(cfg.Guard, now, total, unhealthy)
	for _, v := range found {
		switch {
		case r.Guard.Limit == 0:
			v.j.Reason = GroupSmall
		case r.Guard.Unhealthy > r.Guard.Limit && !now.Before(m.guard.override):
			v.j.Reason = CapReached
		case r.Guard.Open:
			v.j.Reason = GuardOpen
		case r.away() >= max(total-1, 0): // an operator has overridden the cap, but somebody must stay
			v.j.Reason = CapReached
		case cfg.Shadow:
			v.j.Reason = Shadowed
		default:
			v.j.Verdict, v.j.Reason = Eject, None
			v.eject(cfg, now)
		}
	}
}

// enough reports whether the server was judged by more than failures in a row.
func (v *view) enough(cfg *Config) bool {
	return v.j.Figures.Latencies >= cfg.MinRequests || v.j.Figures.Requests >= cfg.MinRequests
}

// ruling repeats what the guard said last.
func (m *Monitor) ruling(r *round) Ruling {
	total, unhealthy := r.census().count()
	return Ruling{Open: m.guard.open, Members: total, Unhealthy: unhealthy, Limit: m.cfg.Guard.limit(total)}
}

// slowTests compares the latencies of servers with those of their peers.
func (c *Config) slowTests(eligible []*view) [][2]Test {
	tests := make([][2]Test, len(eligible))
	for i, v := range eligible {
		n := v.j.Figures.Latencies
		tests[i][0] = Test{Rule: SlowTail, Value: v.tail, AtLeast: v.atLeast[1], Samples: n, Needed: c.TailRequests}
		tests[i][1] = Test{Rule: SlowMedian, Value: v.median, AtLeast: v.atLeast[0], Samples: n, Needed: c.MinRequests}
	}
	for k := range 2 {
		c.latencies().apply(len(tests), func(i int) *Test { return &tests[i][k] })
	}
	return tests
}

// errorTests judges the shares of failures.
func (c *Config) errorTests(eligible []*view) [][]Test {
	tests := make([][]Test, len(eligible))
	for i, v := range eligible {
		f := &v.j.Figures
		share := f.failureShare()
		tests[i] = []Test{
			{Rule: MoreErrors, Value: share, Samples: f.Requests, Needed: c.ErrorRequests},
			{Rule: ManyErrors, Value: share, Samples: f.Requests, Needed: c.MinRequests, Threshold: c.FailureShare},
		}
		if many := &tests[i][1]; many.Samples < many.Needed {
			many.Reason = FewRequests
		} else {
			many.Outlier = share >= c.FailureShare
		}
		if c.Failures > 0 {
			run := v.s.runs().all
			tests[i] = append(tests[i], runTest(Consecutive, run, c.Failures, run >= c.Failures))
		}
	}
	peers := Relative{c.Ratio, c.ErrorGap, c.MinPeers}
	peers.apply(len(tests), func(i int) *Test { return &tests[i][0] })
	return tests
}

// apply compares those tests that have enough samples with each other.
func (r Relative) apply(n int, at func(int) *Test) {
	var judged []*Test
	var values []float64
	for i := range n {
		t := at(i)
		if t.Samples < t.Needed {
			t.Reason = FewRequests
			continue
		}
		judged = append(judged, t)
		values = append(values, t.Value)
	}
	for i, c := range r.compare(values, func(i int) bool { return judged[i].AtLeast }) {
		t := judged[i]
		t.Peers, t.Median, t.Threshold, t.Outlier = c.Peers, c.Median, c.Threshold, c.Outlier
		switch {
		case !c.Judged:
			t.Reason = FewPeers
		case !c.Outlier && c.Value > r.Ratio*c.Median:
			t.Reason = SmallGap
		}
	}
}

// persist adds the interval to the histories of the rules.
func (v *view) persist(cfg *Config) {
	for i := range v.j.Tests {
		t := &v.j.Tests[i]
		h := v.history[t.Rule].and(t.Outlier, cfg.Of)
		v.history[t.Rule] = h
		t.Hits, t.HitsNeeded, t.Of = h.hits(), cfg.Hits, cfg.Of
		t.Found = t.Outlier && t.Hits >= cfg.Hits
	}
}
