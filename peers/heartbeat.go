package peers

import (
	"time"

	"example.com/liveness"
)

// Heartbeat records that an unnumbered heartbeat of a peer arrived. It is
// shorthand for HeartbeatSeq with a zero Beat.
func (m *Monitor[K]) Heartbeat(key K, at time.Time) Outcome {
	return m.HeartbeatSeq(key, Beat{}, at)
}

// HeartbeatSeq records that a heartbeat arrived at the given time, and says what
// was done with it. A higher incarnation is a restart, a lower one stale, and so
// is within an incarnation a Seq that is not higher than the last. Numbers do
// not wrap. The first one of a peer is taken as it is; after that neither may
// jump by more than [Config].MaxJump and 2^32.
//
// A heartbeat from before the last one is given to the detector, which has a
// rule for it, but ends no suspicion.
//
// It costs the detector's Heartbeat, one lookup and a lock, touches no timer and
// allocates nothing. More is done for the first 16 heartbeats of a detector,
// every ninth in a row before its deadline is due, those that end a suspicion
// or are the first of an incarnation.
func (m *Monitor[K]) HeartbeatSeq(key K, b Beat, at time.Time) Outcome {
	g := sign[K]{b: b, at: at}
	g.s, g.hash = m.shard(key)
	g.s.mu.Lock()
	o := m.accept(&g, g.s.peers.find(key, g.hash))
	g.s.mu.Unlock()
	if o != Accepted {
		return m.unusual(&g, key, o)
	}
	m.tell(&g)
	return Accepted
}

// sign is a heartbeat that has come.
type sign[K comparable] struct {
	s    *shard[K]
	hash uint64
	b    Beat
	at   time.Time

	// Of an accepted one.
	p       *peer[K]
	d       liveness.Detector
	of      *rest // what d belongs to
	due     int64 // when p is looked at
	known   known
	revives bool // it may end a suspicion
	hurries bool // it may have brought the deadline forward
}

// accept decides on a heartbeat of p, nil if it is unknown, and takes note of an
// accepted one. It requires mu.
func (m *Monitor[K]) accept(g *sign[K], p *peer[K]) Outcome {
	if p == nil {
		if !m.cfg.AutoRegister {
			g.s.unknown++
		}
		return RefusedUnknown
	}
	if p.is(counted) || g.b != (Beat{}) {
		if o := m.admit(g.s, p, g.b); o != Accepted {
			return o
		}
	}
	g.note(p)
	return Accepted
}

// note has p take note of an accepted heartbeat. It requires mu.
func (g *sign[K]) note(p *peer[K]) {
	off := offset(g.at)
	p.version++
	late := off < p.heard && p.is(seen)
	if !late {
		p.heard = off
	}
	p.flags |= seen
	g.p, g.d, g.of, g.due = p, p.detector, p.rest, p.due
	g.known = known{heard: p.heard, suspected: p.suspected, flags: p.flags, wait: p.wait}
	g.revives = !late && (p.suspected != 0 || !p.is(heardOnce))
	g.hurries = p.hurries()
}

// tell gives an accepted heartbeat to the detector, and says what follows from it.
func (m *Monitor[K]) tell(g *sign[K]) {
	if !g.revives {
		g.known.tell(g.d, g.b, g.at)
	} else {
		g.known.suspected = m.revive(g)
	}
	if g.revives || g.hurries {
		m.hasten(g)
	}
}

// unusual does what is left to do for a heartbeat that is not simply accepted.
func (m *Monitor[K]) unusual(g *sign[K], key K, o Outcome) Outcome {
	switch {
	case o == RefusedUnknown && m.cfg.AutoRegister:
		return m.welcome(key, g.b, g.at)
	case o == AcceptedRestart:
		return m.restart(g, key)
	}
	return o
}

// welcome registers the sender of a heartbeat.
func (m *Monitor[K]) welcome(key K, b Beat, at time.Time) Outcome {
	switch err := m.Register(key, at, Registration{}); {
	case err == ErrFull:
		s, _ := m.shard(key)
		s.mu.Lock()
		s.unknown++
		s.mu.Unlock()
		return RefusedFull
	case err != nil && err != ErrRegistered:
		return RefusedDetector
	}
	if o := m.HeartbeatSeq(key, b, at); o != Accepted {
		return o
	}
	return AcceptedNew
}

// restart begins afresh with a new incarnation of a peer.
func (m *Monitor[K]) restart(g *sign[K], key K) Outcome {
	d, err := m.newDetector(key)
	if err != nil {
		return RefusedDetector
	}
	s, b, at := g.s, g.b, g.at
	s.mu.Lock()
	p := s.peers.find(key, g.hash)
	if p == nil || b.Incarnation <= p.incarnation || !p.is(seen) {
		s.mu.Unlock()
		return m.HeartbeatSeq(key, b, at) // somebody else was faster
	}
	p.incarnation, p.seq = b.Incarnation, b.Seq
	p.set(counted, true)
	p.fresh(d)
	p.heard = min(p.heard, offset(at)) // what the old one did last does not make it late
	p.set(shifted, false)
	m.announce(Event[K]{Kind: Restarted, At: at, Key: key, Incarnation: b.Incarnation})
	g.note(p)
	s.mu.Unlock()
	m.tell(g)
	return AcceptedRestart
}
