package peers

import (
	"math"
	"time"
)

// A ClaimKind says what somebody claims of a member.
type ClaimKind uint8

// The kinds of claims.
const (
	ClaimAlive ClaimKind = iota + 1
	ClaimSuspect
	ClaimDead
)

var claims = [...]string{ClaimAlive: "alive", ClaimSuspect: "suspect", ClaimDead: "dead"}

func (c ClaimKind) String() string { return name(claims[:], int(c), "claim") }

// A Claim is what goes round in a group about one member, as in SWIM (Das,
// Gupta, Motivala: “SWIM: Scalable Weakly-consistent Infection-style Process
// Group Membership Protocol”, DSN 2002). The incarnation is the member's own
// number; it alone raises it.
type Claim struct {
	Kind        ClaimKind
	Incarnation uint64
}

// Overrides reports whether c is to be believed instead of old:
//
//   - alive overrides what has a lower incarnation;
//   - suspect overrides alive of the same incarnation or a lower one, and
//     suspect of a lower one;
//   - dead overrides alive and suspect of the same incarnation or a lower one.
//
// Dead is overridden by an alive of a higher incarnation alone, which is a
// member that came back.
func (c Claim) Overrides(old Claim) bool {
	if c.Incarnation == old.Incarnation {
		return c.Kind > old.Kind
	}
	return c.Incarnation > old.Incarnation && (c.Kind == ClaimAlive || old.Kind != ClaimDead)
}

// Refute returns the incarnation by which a member whose own is own answers to
// the claim that it is suspect or dead, which it spreads as alive: one above
// both. It is false if there is nothing to refute, or no number left.
func (c Claim) Refute(own uint64) (uint64, bool) {
	if c.Kind == ClaimAlive || c.Incarnation < own || c.Incarnation == math.MaxUint64 {
		return own, false
	}
	return c.Incarnation + 1, true
}

// Member follows the claims about one member, and times its suspicion.
//
// A Member is not safe for concurrent use. It must be made by [NewMember].
type Member[K comparable] struct {
	cfg       SuspicionConfig
	claim     Claim
	suspicion *Suspicion[K] // nil unless it is suspected
}

// NewMember returns a member that is alive as the given incarnation. cfg is that
// of each of its suspicions.
func NewMember[K comparable](cfg SuspicionConfig, incarnation uint64) (*Member[K], error) {
	var nobody K
	if _, err := NewSuspicion(cfg, nobody, time.Time{}); err != nil {
		return nil, err
	}
	return &Member[K]{cfg: cfg, claim: Claim{ClaimAlive, incarnation}}, nil
}

// Claim returns what is believed.
func (m *Member[K]) Claim() Claim { return m.claim }

// Hear takes in what an observer claims at now, and reports whether that is
// news, to be passed on: something else is believed now, or a suspicion has one
// more confirmation. A suspicion begins with the first claim of it, and ends
// with an alive of a higher incarnation; the next one has a time of its own.
func (m *Member[K]) Hear(c Claim, from K, now time.Time) bool {
	m.Advance(now)
	if c == m.claim && m.suspicion != nil {
		return m.suspicion.Confirm(from)
	}
	if !c.Overrides(m.claim) {
		return false
	}
	m.claim, m.suspicion = c, nil
	if c.Kind == ClaimSuspect {
		m.suspicion, _ = NewSuspicion(m.cfg, from, now) // NewMember has seen to it that there is no error
	}
	return true
}

// Advance declares the member dead if its suspicion has not been refuted in
// time, and reports whether it did.
func (m *Member[K]) Advance(now time.Time) bool {
	if m.suspicion == nil || now.Before(m.suspicion.Deadline()) {
		return false
	}
	m.claim.Kind, m.suspicion = ClaimDead, nil
	return true
}

// Deadline returns when Advance is to be called, zero if it need not.
func (m *Member[K]) Deadline() time.Time {
	if m.suspicion == nil {
		return time.Time{}
	}
	return m.suspicion.Deadline()
}
