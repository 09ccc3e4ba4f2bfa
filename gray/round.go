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
	// What was before a pause of so many intervals is not among the last ones.
	bygone := r.Reason == Late && elapsed >= time.Duration(m.cfg.Of)*m.cfg.Interval
	if bygone {
		r.group.history = 0
	}
	servers := *m.servers.Load()
	for _, name := range slices.Sorted(maps.Keys(servers)) {
		v := m.view(servers[name])
		if bygone {
			v.history = [rules]history{}
		}
		v.turnBack(&m.cfg, now)
		v.wake(&m.cfg, now)
		r.views = append(r.views, v)
	}
	m.judge(r, now)
	slices.SortFunc(r.views, func(a, b *view) int {
		return cmp.Or(cmp.Compare(b.j.Verdict, a.j.Verdict), worstFirst(a, b))
	})
	for _, v := range r.views {
		v.j.State, v.j.Until, v.j.Times = v.life.state, v.life.until, v.life.times
		r.Servers = append(r.Servers, v.j)
		if c, ok := v.change(); ok {
			r.Changes = append(r.Changes, c)
		}
	}
	return r
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
		m.counters.Returned += uint64(oneIf(v.returned))
		m.counters.FailedProbes += uint64(oneIf(v.failed))
		s.life, s.history, s.told = v.life, v.history, v.life.state
		// On probation the evidence is gathered over intervals.
		gathers := was == Probation && v.life.state == Probation
		if (r.over || v.back) && !gathers {
			m.counters.Masked += uint64(v.j.Figures.Masked)
			gone = v.advance(r.over) || gone
		}
		suppressed := v.j.Verdict == Suppressed && (v.j.Rule == AllFailures || v.j.Rule == GatewayFails)
		if v.back || v.ejected || suppressed {
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
