package gray

import (
	"cmp"
	"slices"
	"time"
)

// judge gives the verdicts.
func (m *Monitor) judge(r *round, now time.Time) {
	var eligible []*view
	for _, v := range r.views {
		switch {
		case v.back || v.life.state.away():
			v.j.Reason = Away
		default:
			eligible = append(eligible, v)
		}
		if r.Reason != None && v.j.Reason == None {
			v.j.Reason = r.Reason
		}
	}
	if r.Closed {
		r.cells = cellsOf(r.views)
		r.group, r.Group = m.group.next(&m.cfg, eligible)
	}
	if m.cfg.Envoy != nil {
		m.judgeEnvoy(r, eligible, now)
	} else if r.Closed {
		m.judgeOwn(r, eligible, now)
	} else {
		r.Guard = m.ruling(r)
	}
	if !r.Closed {
		r.Group = Group{Degraded: m.group.degraded, Limit: m.cfg.Limit, HitsNeeded: m.cfg.Hits, Of: m.cfg.Of}
	}
}

// census names those who are unhealthy.
func (r *round) census() Census {
	var c Census
	for _, v := range r.views {
		name := v.s.name
		c.Members = append(c.Members, name)
		if v.life.state.away() {
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
func (r *round) away() int {
	n := 0
	for _, v := range r.views {
		n += oneIf(v.life.state.away())
	}
	return n
}

// decide sets the verdict on a server from its tests. It returns whether it is to
// be ejected if it may.
func (v *view) decide() bool {
	j := &v.j
	with := func(r Reason) int { return slices.IndexFunc(j.Tests, func(t Test) bool { return t.Reason == r }) }
	has := func(r Reason) bool { return with(r) >= 0 }
	best := slices.IndexFunc(j.Tests, func(t Test) bool { return t.Found })
	if best < 0 {
		best = slices.IndexFunc(j.Tests, func(t Test) bool { return t.Outlier })
	}
	switch {
	case best >= 0:
		t := j.Tests[best]
		j.Rule, v.worth = t.Rule, t.worth()
		j.Verdict, j.Reason = Suppressed, Persistence
		return t.Found
	case v.excused != None:
		j.Verdict, j.Reason, j.Rule = Suppressed, v.excused, j.Tests[with(v.excused)].Rule
	case has(SmallGap):
		j.Verdict, j.Reason = Keep, SmallGap
	case has(None) && has(FewPeers):
		j.Verdict, j.Reason = Keep, FewPeers
	case has(None):
		j.Verdict, j.Reason = Keep, None
	case has(FewPeers):
		j.Verdict, j.Reason = NotEvaluated, FewPeers
	case has(FewRequests):
		j.Verdict, j.Reason = NotEvaluated, FewRequests
	}
	return false
}

// worstFirst orders servers, so that the same data eject the same ones.
func worstFirst(a, b *view) int {
	return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.s.name, b.s.name))
}
