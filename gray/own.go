package gray

import (
	"math"
	"math/bits"
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
			m.probe(v, eligible, now)
		}
	}
	byWorth(found)

	total, unhealthy := m.census(r).count()
	r.guard, r.Guard = m.guard.next(cfg.Guard, now, total, unhealthy)
	for _, v := range found {
		switch {
		case r.Guard.Limit == 0:
			v.j.Reason = GroupSmall
		case r.Guard.Unhealthy > r.Guard.Limit && !now.Before(m.guard.override):
			v.j.Reason = CapReached
		case r.Guard.Open:
			v.j.Reason = GuardOpen
		case m.away(r) >= max(total-1, 0): // an operator has overridden the cap, but somebody must stay
			v.j.Reason = CapReached
		case cfg.Shadow:
			v.j.Reason = Shadowed
		default:
			v.j.Verdict, v.j.Reason = Eject, None
			m.eject(v, now)
		}
	}
}

// enough reports whether the server was judged by more than failures in a row.
func (v *view) enough(cfg *Config) bool {
	return v.j.Figures.Latencies >= cfg.MinRequests || v.j.Figures.Requests >= cfg.MinRequests
}

// ruling repeats what the guard said last.
func (m *Monitor) ruling(r *round) Ruling {
	total, unhealthy := m.census(r).count()
	return Ruling{Open: m.guard.open, Members: total, Unhealthy: unhealthy, Limit: m.cfg.Guard.limit(total)}
}

// census names those who are unhealthy.
func (m *Monitor) census(r *round) Census {
	var c Census
	for _, v := range r.views {
		name := v.s.name
		c.Members = append(c.Members, name)
		if v.life.state == Ejected || v.life.state == Probation {
			c.Ejected = append(c.Ejected, name)
		}
		excused := v.j.Reason == PathFault || v.j.Reason == ClientFault // and not bad by another rule
		if v.s.failing || v.j.Verdict == Suppressed && !excused {
			c.Failing = append(c.Failing, name)
		}
		if v.s.silent {
			c.Silent = append(c.Silent, name)
		}
	}
	return c
}

// away returns how many servers are ejected.
func (m *Monitor) away(r *round) int {
	n := 0
	for _, v := range r.views {
		n += oneIf(v.life.state == Ejected || v.life.state == Probation)
	}
	return n
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
			t := Test{Rule: Consecutive, Value: float64(run), Samples: run, Needed: c.Failures, Threshold: float64(c.Failures), Outlier: run >= c.Failures}
			if !t.Outlier {
				t.Reason = FewRequests // a short run is no evidence of health
			}
			tests[i] = append(tests[i], t)
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
		h := shift(v.history[t.Rule], t.Outlier, cfg.Of)
		v.history[t.Rule] = h
		t.Hits, t.Of = bits.OnesCount32(h), cfg.Of
		t.Found = t.Outlier && t.Hits >= cfg.Hits
	}
}

// excuse finds those servers that are slow by the fault of single paths, or of
// clients that are slow to all: they do not stand out any more without those. It
// clears their tests and returns the reasons, or nil if there is none.
func (m *Monitor) excuse(r *round, eligible []*view, slow [][2]Test) []Reason {
	any := false
	for _, t := range slow {
		any = any || t[0].Outlier || t[1].Outlier
	}
	if !any {
		return nil
	}
	clients, paths := map[string]bool{}, map[[2]string]bool{}
	for _, f := range m.cfg.table(cellsOf(eligible)).Faults() {
		switch f.Kind {
		case FaultClient:
			clients[f.Client] = true
		case FaultPath:
			paths[[2]string{f.Client, f.Server}] = true
		}
	}
	if len(clients) == 0 && len(paths) == 0 {
		return nil
	}
	rest := make([]*view, len(eligible))
	reasons := make([]Reason, len(eligible))
	left := make([]Reason, len(eligible))
	for i, v := range eligible {
		w := &view{s: v.s, whole: v.whole}
		var own samples
		for j := range v.paths {
			pv := &v.paths[j]
			switch {
			case clients[pv.client]:
				left[i] = ClientFault
			case paths[[2]string{pv.client, v.s.name}]:
				left[i] = PathFault
			default:
				continue
			}
			pv.samples(&own)
			w.whole.exact.minus(&own.exact)
			w.whole.bound.minus(&own.bound)
		}
		w.measure(&m.cfg)
		rest[i] = w
	}
	for i, again := range m.cfg.slowTests(rest) {
		for k := range again {
			t := &slow[i][k]
			if t.Outlier && !again[k].Outlier && left[i] != None {
				t.Outlier, t.Reason = false, left[i]
				reasons[i] = left[i]
			}
		}
	}
	return reasons
}

// evidence returns how many requests on probation tell something.
func (v *view) evidence() int { return max(v.j.Figures.Latencies, v.j.Figures.Requests) }

// probe decides on a server on probation: it must answer every one of a few
// requests, and their median must not stand out from the peers' medians. Those
// that were given up for another reason decide nothing.
func (m *Monitor) probe(v *view, eligible []*view, now time.Time) {
	cfg := &m.cfg
	f := &v.j.Figures
	var medians []float64
	for _, p := range eligible {
		if p.j.Figures.Latencies >= cfg.MinRequests {
			medians = append(medians, p.median)
		}
	}
	t := Test{Rule: SlowMedian, Value: v.median, AtLeast: v.atLeast[0], Peers: len(medians), Samples: f.Latencies, Needed: cfg.Probes, Hits: 1, Of: 1}
	if len(medians) > 0 {
		t.Median = median(medians)
		rel := cfg.latencies()
		t.Threshold = rel.threshold(t.Median)
		standsOut := v.median > rel.Ratio*t.Median && v.median-t.Median >= rel.Gap
		hedgedAway := v.atLeast[0] && 2*f.Masked > f.Latencies // lost to others that came later
		t.Outlier = f.Latencies >= cfg.Probes && (standsOut || hedgedAway)
	}
	failures := Test{Rule: ManyErrors, Value: float64(f.Failures), Threshold: 1, Samples: f.Requests, Needed: 1, Outlier: f.Failures > 0, Hits: 1, Of: 1}
	v.j.Tests = []Test{t, failures}
	switch {
	case t.Outlier || failures.Outlier:
		v.failed = true
		v.worth = math.Inf(-1)
		m.eject(v, now)
	case f.Latencies >= cfg.Probes && !v.atLeast[0]: // else most were given up early, and it takes more
		v.start(cfg, now)
	}
}
