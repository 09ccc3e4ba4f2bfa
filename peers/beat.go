package peers

import (
	"time"

	"example.com/liveness"
)

// maxSeqJump is the most by which a sequence number may exceed the last one:
// 49 days of a thousand a second.
const maxSeqJump = 1 << 32

// A Beat says which heartbeat of a peer one is, as far as its sender says so.
//
// The Incarnation is a number that grows with each start of the peer, such as
// the time of the start. Seq counts the heartbeats of an incarnation from 1 on.
// Zero means that there is none; but a peer that has given a number once has to
// go on.
type Beat struct {
	Incarnation uint64
	Seq         uint64
}

// An Outcome says what was done with a heartbeat.
type Outcome uint8

const (
	// Accepted: it is a sign of life.
	Accepted Outcome = iota + 1
	// AcceptedRestart: it is one of a new incarnation, which begins afresh.
	AcceptedRestart
	// AcceptedNew: it has registered its sender, see [Config].AutoRegister.
	AcceptedNew
	// RefusedUnknown: its sender is not registered.
	RefusedUnknown
	// RefusedFull: its sender is not registered, and cannot be because there
	// are [Config].MaxPeers already.
	RefusedFull
	// RefusedStale: it is not newer than one that came before, by its
	// incarnation or number: late, repeated or replayed.
	RefusedStale
	// RefusedAbsurd: its incarnation or number is too far ahead of the last.
	RefusedAbsurd
	// RefusedDetector: it asks for a new detector, and NewDetector has none, or
	// its key is a NaN.
	RefusedDetector
)

var outcomes = [...]string{
	Accepted: "accepted", AcceptedRestart: "accepted: restart", AcceptedNew: "accepted: new",
	RefusedUnknown: "refused: unknown", RefusedFull: "refused: full", RefusedStale: "refused: stale",
	RefusedAbsurd: "refused: absurd", RefusedDetector: "refused: no detector",
}

func (o Outcome) String() string { return name(outcomes[:], int(o), "outcome") }

// IsAccepted reports whether the heartbeat was a sign of life.
func (o Outcome) IsAccepted() bool { return o >= Accepted && o <= AcceptedNew }

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
	o := m.take(&g, g.s.peers.find(key, g.hash))
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

// take decides on a heartbeat of p, nil if it is unknown, and takes note of an
// accepted one. It requires mu.
func (m *Monitor[K]) take(g *sign[K], p *peer[K]) Outcome {
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

// admit decides on a heartbeat by its numbers. It requires mu.
func (m *Monitor[K]) admit(s *shard[K], p *peer[K], b Beat) Outcome {
	switch {
	case b.Incarnation < p.incarnation || b.Incarnation == p.incarnation && b.Seq <= p.seq && p.seq != 0:
		s.old++
		return RefusedStale
	case p.incarnation != 0 && b.Incarnation-p.incarnation > m.cfg.MaxJump,
		b.Incarnation == p.incarnation && p.seq != 0 && b.Seq-p.seq > maxSeqJump:
		s.absurd++
		return RefusedAbsurd
	case b.Incarnation > p.incarnation && p.is(seen):
		return AcceptedRestart
	}
	p.incarnation, p.seq = b.Incarnation, b.Seq
	p.set(counted, true)
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

// known is what there is to know of a peer to judge it.
type known struct {
	heard, since int64
	suspected    slots
	version      uint32
	wait         coarse
	flags        flags
}

// known requires mu.
func (p *peer[K]) known() known {
	return known{p.heard, p.since, p.suspected, p.version, p.wait, p.flags}
}

func (k *known) is(f flags) bool { return k.flags&f != 0 }

// tell has a detector record a heartbeat.
func (k *known) tell(d liveness.Detector, b Beat, at time.Time) {
	if k.is(numbered) && b.Seq != 0 {
		d.(sequenced).HeartbeatSeq(b.Seq, at)
		return
	}
	d.Heartbeat(at)
}

// revive gives a heartbeat to the detector of a peer that is suspected or was
// never heard, and says what follows from it. It returns who suspects it still.
func (m *Monitor[K]) revive(g *sign[K]) slots {
	r, p, k, at := m.roster.Load(), g.p, &g.known, g.at
	before, own := 0.0, 0.0
	if r.picky {
		before, own = g.d.Suspicion(at), g.d.Threshold()
	}
	k.tell(g.d, g.b, at)
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	r = m.roster.Load()
	if p.gone.Load() || p.rest != g.of {
		return ^slots(0)
	}
	trusting, why := slots(0), Heard
	if !p.is(heardOnce) {
		trusting, why = ^slots(0), FirstHeartbeat
		p.set(heardOnce, true)
		p.since = k.heard
	} else {
		trusting = p.suspected & 1
		for _, sub := range r.subs {
			if p.suspected&(1<<sub.slot) != 0 && p.persuades(sub, before, own) {
				trusting |= 1 << sub.slot
			}
		}
		if trusting&1 != 0 {
			p.since = k.heard
		}
	}
	if trusting&1 != 0 {
		m.absolve(p)
	}
	if p.suspected &^= trusting; p.suspected == 0 {
		p.streak = nil
	}
	r.tell(trusting, Event[K]{Kind: Trusted, Reason: why, At: at, Key: p.key, Incarnation: p.incarnation})
	p.version++ // a round that asks the detector just now takes account of those that suspected it
	g.due, k.wait = p.due, p.wait
	return p.suspected
}

// persuades notes a heartbeat that came at the level before, and reports whether
// sub trusts the peer again. It requires the shard's mu.
func (p *peer[K]) persuades(sub *Subscription[K], before, own float64) bool {
	threshold := sub.cfg.Threshold
	if sub.cfg.TrustAfter == 1 {
		return true
	}
	if threshold == 0 {
		threshold = own
	}
	if p.streak == nil {
		p.streak = new([maxSlots]uint8)
	}
	n := &p.streak[sub.slot]
	if before >= threshold {
		*n = 0
	}
	*n++
	return int(*n) >= sub.cfg.TrustAfter
}

// hasten has a peer looked at when its deadline is due, if that is sooner than it
// would be.
func (m *Monitor[K]) hasten(g *sign[K]) {
	d, k, sooner, less := g.d, &g.known, int64(never), g.known.wait
	last := k.lastOf(d)
	m.roster.Load().rising(d, k.suspected, func(threshold float64, _ slots) bool {
		wait := int64(m.cfg.FirstBeat)
		if deadline := d.Deadline(threshold); !deadline.IsZero() {
			wait = minus(offset(deadline), last)
		}
		sooner = plus(k.heard, wait)
		less = min(less, k.sure(wait))
		return false
	})
	if next := m.doubt.promised.Load(); k.heard > plus(next, int64(m.cfg.Doubt.MaxLateness)) {
		sooner = min(sooner, next) // the next round makes that an instant that may be
	}
	if sooner >= g.due && less == k.wait {
		return
	}
	g.s.mu.Lock()
	g.p.wait = min(g.p.wait, less)
	earlier := !g.p.gone.Load() && g.s.arm(g.p, sooner)
	g.s.mu.Unlock()
	if earlier {
		m.poke(sooner)
	}
}

// sure returns what part of a wait after a heartbeat the detector need not be asked
// about. The rest is for what the wait may have become since. With it deaths were
// found in time when the gaps changed to a fifth (TestExactWhenGapsChange); with a
// sixteenth one in six was not.
func (k *known) sure(wait int64) coarse {
	if !k.is(steady) || k.is(shifted) {
		return 0
	}
	return makeCoarse(wait / 4 * 3)
}

// lastOf returns where the detector's waits are counted from. It calls foreign
// code.
func (k *known) lastOf(d liveness.Detector) int64 {
	if k.is(shifted) {
		return k.detectorLast(d)
	}
	return k.heard
}

// detectorLast returns the last heartbeat of which the detector knows, ours if
// it knows of none. It calls foreign code.
func (k *known) detectorLast(d liveness.Detector) int64 {
	if last := d.Deadline(0); !last.IsZero() {
		return offset(last)
	}
	return k.heard
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
