package gray

import (
	"slices"
	"time"
)

// judgeOwn applies the rules of this package, and its guard.
func (m *Monitor) judgeOwn(r *round, eligible []*view, now time.Time) {
	cfg := &m.cfg
	cfg.slowTests(eligible)
	cfg.excuse(eligible)
	cfg.errorTests(eligible)
	var found []*view
	for _, v := range eligible {
		v.persist(cfg)
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
func (c *Config) slowTests(views []*view) {
	for _, v := range views {
		n := v.j.Figures.Latencies
		v.j.Tests = append(v.j.Tests,
			Test{Rule: SlowTail, Value: v.tail, AtLeast: v.atLeast[1], Samples: n, Needed: c.TailRequests},
			Test{Rule: SlowMedian, Value: v.median, AtLeast: v.atLeast[0], Samples: n, Needed: c.MinRequests})
	}
	c.latencies().apply(SlowTail, views)
	c.latencies().apply(SlowMedian, views)
}

// errorTests judges the shares of failures, and failures in a row.
func (c *Config) errorTests(views []*view) {
	for _, v := range views {
		f := &v.j.Figures
		more := Test{Rule: MoreErrors, Value: f.failureShare(), Samples: f.Requests, Needed: c.ErrorRequests}
		many := Test{Rule: ManyErrors, Value: f.failureShare(), Samples: f.Requests, Needed: c.MinRequests, Threshold: c.FailureShare}
		if many.Samples < many.Needed {
			many.Reason = FewRequests
		} else {
			many.Outlier = many.Value >= many.Threshold
		}
		v.j.Tests = append(v.j.Tests, more, many)
		if c.Failures > 0 {
			run := v.s.runs().all
			v.j.Tests = append(v.j.Tests, runTest(Consecutive, run, c.Failures, run >= c.Failures))
		}
	}
	Relative{c.Ratio, c.ErrorGap, c.MinPeers}.apply(MoreErrors, views)
}

// test returns the test of a rule, which there must be.
func (v *view) test(rule Rule) *Test {
	return &v.j.Tests[slices.IndexFunc(v.j.Tests, func(t Test) bool { return t.Rule == rule })]
}

// apply compares with each other those tests of a rule that have enough samples.
func (r Relative) apply(rule Rule, views []*view) {
	var judged []*Test
	var values []float64
	for _, v := range views {
		t := v.test(rule)
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
