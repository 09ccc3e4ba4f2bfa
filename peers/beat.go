package peers

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
