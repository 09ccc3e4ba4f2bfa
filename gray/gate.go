package gray

import "time"

// A gate decides on single requests. It is replaced as a whole.
type gate struct {
	state State
	since time.Time
	span  time.Duration
}

// share returns which part of its requests a server is to get.
func (g *gate) share(now time.Time) float64 {
	const first = 0.1
	switch g.state {
	case Active:
		return 1
	case SlowStart:
		return min(max(float64(now.Sub(g.since))/float64(g.span), first), 1)
	}
	return 0
}

// admit reports whether the server may get a request.
func (s *server) admit(now time.Time) bool {
	g := s.gate.Load()
	switch g.state {
	case Active:
		return true
	case Probation:
		return s.probes.Load() > 0 && s.probes.Add(-1) >= 0
	case SlowStart:
		share := g.share(now)
		n := float64(s.turn.Add(1))
		return uint64(n*share) > uint64((n-1)*share)
	}
	return false
}

// setGate tells Admit what to do from now on.
func (s *server) setGate(cfg *Config, v *view, over bool) {
	g := s.gate.Load()
	if g.state != v.life.state || g.since != v.life.since {
		s.turn.Store(0)
		s.gate.Store(&gate{v.life.state, v.life.since, cfg.SlowStart})
	}
	if v.life.state == Probation && (over || v.back) {
		seen := 0
		if !v.back {
			seen = v.evidence()
		}
		s.probes.Store(int32(max(cfg.Probes-seen, 1)))
	}
}
