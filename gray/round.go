package gray

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// A round is a decision and what it will change if it is taken.
type round struct {
	Decision
	over  bool // the interval is over: the next one begins
	views []*view
	guard guardState
	group groupState
	cells []Cell
}

// look works out the round at now. It changes nothing. It requires mu.
func (m *Monitor) look(now time.Time) *round {
	r := &round{guard: m.guard, group: m.group}
	r.At = now
	elapsed := now.Sub(m.last)
	switch {
	case !m.begun:
		r.over, r.Closed = true, true
	case elapsed <= -m.cfg.Interval: // the clock was set back: when the interval began is not known
		r.over, r.Reason = true, Late
	case elapsed < m.cfg.Interval-m.cfg.Interval/20:
		r.Reason = Early
	case m.cfg.LateAfter > 0 && elapsed > m.cfg.LateAfter:
		r.over, r.Reason = true, Late
	default:
		r.over, r.Closed = true, true
	}
	servers := *m.servers.Load()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		v := m.view(servers[name])
		v.turnBack(&m.cfg, now)
		v.wake(&m.cfg, now)
		r.views = append(r.views, v)
	}
	m.judge(r, now)
	for _, v := range r.views {
		v.j.State = v.life.state
		if v.life.state == Ejected {
			v.j.Until = v.life.until
		}
		v.j.Times = v.life.times
		r.Servers = append(r.Servers, v.j)
	}
	worth := map[string]float64{}
	for _, v := range r.views {
		worth[v.s.name] = v.worth
	}
	slices.SortStableFunc(r.Servers, func(a, b Judgement) int {
		return cmp.Or(cmp.Compare(b.Verdict, a.Verdict), cmp.Compare(worth[b.Server], worth[a.Server]), cmp.Compare(a.Server, b.Server))
	})
	return r
}

// judge gives the verdicts.
func (m *Monitor) judge(r *round, now time.Time) {
	var eligible []*view
	for _, v := range r.views {
		switch {
		case v.back || v.life.state == Ejected || v.life.state == Probation:
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
		r.Group = Group{Degraded: m.group.degraded, Limit: m.cfg.Limit, Of: m.cfg.Of}
	}
}

// eject takes a server out.
func (m *Monitor) eject(v *view, now time.Time) {
	l := &v.life
	l.times = min(l.times+1, m.cfg.Backoff.Limit())
	l.total++
	l.state, l.since = Ejected, time.Time{}
	l.until = now.Add(v.timeAway(&m.cfg))
	v.history = [rules]uint32{}
}

// byWorth orders servers the worst first, so that the same data eject the same ones.
func byWorth(views []*view) {
	slices.SortStableFunc(views, func(a, b *view) int {
		return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.s.name, b.s.name))
	})
}

// commit takes note of a round. It requires mu.
func (m *Monitor) commit(r *round) {
	m.guard, m.group = r.guard, r.group
	m.degraded.Store(r.group.degraded)
	if r.over {
		m.last, m.begun = r.At, true
	}
	if r.Closed {
		m.cells = r.cells
	}
	m.counters.count(r.Decision)
	gone := false
	for _, v := range r.views {
		s, was := v.s, v.s.life.state
		m.counters.Returned += uint64(oneIf(v.passed || v.back && v.life.state == Active))
		m.counters.FailedProbes += uint64(oneIf(v.failed))
		s.life, s.history = v.life, v.history
		// On probation the evidence is gathered over intervals.
		gathers := was == Probation && v.life.state == Probation
		if (r.over || v.back) && !gathers {
			m.counters.Masked += uint64(v.j.Figures.Masked)
			gone = v.advance(r.over) || gone
		}
		suppressed := v.j.Verdict == Suppressed && (v.j.Rule == AllFailures || v.j.Rule == GatewayFails)
		if v.back || v.life.state == Ejected && was != Ejected || suppressed {
			s.forgetRuns() // as Envoy does whether it ejects or not: a run counts once
		}
		if r.over {
			s.trip.Store(0)
		}
		s.setGate(&m.cfg, v, r.over)
	}
	if gone {
		m.index.remove(func(p *path) bool { return p.server.paths[p.clientName] != p })
	}
}
