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
	// RefusedDetector: it asks for a new detector, and NewDetector has none.
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
	off := offset(at)
	s, hash := m.shard(key)
	s.mu.Lock()
	p := s.peers.find(key, hash)
	if p == nil {
		if !m.cfg.AutoRegister {
			s.unknown++
			s.mu.Unlock()
			return RefusedUnknown
		}
		s.mu.Unlock()
		return m.welcome(key, b, at)
	}
	if p.is(counted) || b != (Beat{}) {
		if o := m.admit(s, p, b); o != Accepted {
			s.mu.Unlock()
			if o == AcceptedRestart {
				return m.restart(s, hash, key, b, at)
			}
			return o
		}
	}
	m.deliver(s, p, b, at, off)
	return Accepted
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
	case b.Incarnation > p.incarnation && p.is(heardOnce):
		return AcceptedRestart
	}
	p.incarnation, p.seq = b.Incarnation, b.Seq
	p.set(counted, true)
	return Accepted
}

// deliver gives a heartbeat to the detector of p. It requires mu, and gives it
// up.
func (m *Monitor[K]) deliver(s *shard[K], p *peer[K], b Beat, at time.Time, off int64) {
	p.version++
	late := off < p.heard && p.is(heardOnce)
	if !late {
		p.heard = off
	}
	d, of, due := p.detector, p.rest, p.due
	known := known{heard: p.heard, suspected: p.suspected, flags: p.flags}
	revives := !late && (p.suspected != 0 || !p.is(heardOnce))
	hurries := p.hurries()
	s.mu.Unlock()
	if !revives {
		known.tell(d, b, at)
	} else {
		known.suspected = m.revive(s, p, of, d, known, b, at)
	}
	if revives || hurries {
		m.hasten(s, p, d, known, due)
	}
}

// known is what there is to know of a peer to judge it.
type known struct {
	heard, since int64
	suspected    slots
	version      uint32
	flags        flags
}

// known requires mu.
func (p *peer[K]) known() known {
	return known{p.heard, p.since, p.suspected, p.version, p.flags}
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
func (m *Monitor[K]) revive(s *shard[K], p *peer[K], of *rest, d liveness.Detector, k known, b Beat, at time.Time) slots {
	r := m.roster.Load()
	before, own := 0.0, 0.0
	if r.picky {
		before, own = d.Suspicion(at), d.Threshold()
	}
	k.tell(d, b, at)
	s.mu.Lock()
	defer s.mu.Unlock()
	r = m.roster.Load()
	if p.gone.Load() || p.rest != of {
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

// hasten has p looked at when its deadline is due, if that is before due.
func (m *Monitor[K]) hasten(s *shard[K], p *peer[K], d liveness.Detector, k known, due int64) {
	sooner := int64(never)
	last := k.lastOf(d)
	m.roster.Load().rising(d, k.suspected, func(threshold float64, _ slots) bool {
		wait := int64(m.cfg.FirstBeat)
		if deadline := d.Deadline(threshold); !deadline.IsZero() {
			wait = minus(offset(deadline), last)
		}
		sooner = plus(k.heard, wait)
		return false
	})
	if sooner >= due {
		return
	}
	s.mu.Lock()
	earlier := !p.gone.Load() && s.arm(p, sooner)
	s.mu.Unlock()
	if earlier {
		m.poke(sooner)
	}
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
func (m *Monitor[K]) restart(s *shard[K], hash uint64, key K, b Beat, at time.Time) Outcome {
	d, err := m.newDetector(key)
	if err != nil {
		return RefusedDetector
	}
	s.mu.Lock()
	p := s.peers.find(key, hash)
	if p == nil || b.Incarnation <= p.incarnation || !p.is(heardOnce) {
		s.mu.Unlock()
		return m.HeartbeatSeq(key, b, at) // somebody else was faster
	}
	p.incarnation, p.seq = b.Incarnation, b.Seq
	p.set(counted, true)
	p.fresh(d)
	off := offset(at)
	p.heard = min(p.heard, off) // what the old one did last does not make it late
	p.set(shifted, false)
	m.announce(Event[K]{Kind: Restarted, At: at, Key: key, Incarnation: b.Incarnation})
	m.deliver(s, p, b, at, off)
	return AcceptedRestart
}
