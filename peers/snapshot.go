package peers

import (
	"iter"
	"math"
	"time"

	"example.com/liveness"
)

// A State is what is believed of a peer.
type State uint8

const (
	// StateUnknown: it was never heard, and has time left. It is neither alive
	// nor dead.
	StateUnknown State = iota
	// StateTrusted: it is believed alive.
	StateTrusted
	// StateSuspected: it is believed dead.
	StateSuspected
	// StateEvicted: it is suspected, and its eviction was announced.
	StateEvicted
)

var states = [...]string{
	StateUnknown: "unknown", StateTrusted: "trusted", StateSuspected: "suspected", StateEvicted: "evicted",
}

func (s State) String() string {
	if s == StateUnknown {
		return states[s]
	}
	return name(states[:], int(s), "state")
}

// Peer is what a monitor knows of a peer at one instant.
type Peer[K comparable] struct {
	Key   K
	State State // by the threshold of its own detector

	// Reason says why it is in that state: NoReason while it is unknown.
	Reason Reason

	// Since is when it came into that state; for an unknown peer when it was
	// expected first.
	Since time.Time

	// Suspicion is the level at that instant, which the monitor's doubt of
	// itself does not change.
	Suspicion float64

	// LastHeartbeat is the newest one, zero if there was none.
	LastHeartbeat time.Time

	// Deadline is when it becomes suspected, or became, as the monitor
	// stretches it now: by its health and by the time in which it was
	// stalled. It is zero where that is out of reach.
	Deadline time.Time

	// Mean and StdDev are what its detector has learnt of the gaps between
	// heartbeats, in seconds; NaN where the detector does not say (it has no
	// method Stats as that of [liveness.Phi]).
	Mean, StdDev float64

	Last Beat // the newest numbers
}

// Peer returns what is known of a peer at now, and false if it is not
// registered.
func (m *Monitor[K]) Peer(key K, now time.Time) (Peer[K], bool) {
	s, hash := m.shard(key)
	s.mu.Lock()
	p := s.peers.find(key, hash)
	if p == nil {
		s.mu.Unlock()
		return Peer[K]{}, false
	}
	c := p.copy()
	s.mu.Unlock()
	j := m.doubt.peek()
	return c.at(now, &j), true
}

// All yields what is known of every peer at now, in no order. Each part of the
// registry is copied under its lock and yielded without one, so anything may be
// done meanwhile: peers that are registered or removed then may be yielded or
// not.
func (m *Monitor[K]) All(now time.Time) iter.Seq2[K, Peer[K]] {
	return func(yield func(K, Peer[K]) bool) {
		j := m.doubt.peek()
		each(m, (*peer[K]).copy, func(c peerCopy[K]) bool { return yield(c.key, c.at(now, &j)) })
	}
}

// each calls copy for every peer with its shard's lock held, and then yield for
// what it returned, without.
func each[K comparable, T any](m *Monitor[K], copy func(*peer[K]) T, yield func(T) bool) {
	var batch []T
	for i := range m.shards {
		s := &m.shards[i]
		batch = batch[:0]
		s.mu.Lock()
		for p := range s.peers.all {
			batch = append(batch, copy(p))
		}
		s.mu.Unlock()
		for _, c := range batch {
			if !yield(c) {
				return
			}
		}
		clear(batch)
	}
}

// peerCopy is a peer as it was.
type peerCopy[K comparable] struct {
	known
	key         K
	detector    liveness.Detector
	state       State
	incarnation uint64
	seq         uint64
}

// copy requires mu.
func (p *peer[K]) copy() peerCopy[K] {
	return peerCopy[K]{p.known(), p.key, p.detector, p.state(0), p.incarnation, p.seq}
}

// at completes a copy with what the detector says. It calls foreign code.
func (c *peerCopy[K]) at(now time.Time, j *judgement) Peer[K] {
	peer := Peer[K]{
		Key: c.key, State: c.state, Since: moment(now, c.since), Mean: math.NaN(), StdDev: math.NaN(),
		Last: Beat{c.incarnation, c.seq},
	}
	wait := c.since
	if c.is(heardOnce) {
		peer.Suspicion = c.detector.Suspicion(now)
		peer.LastHeartbeat = moment(now, c.heard)
		deadline := c.detector.Deadline(c.detector.Threshold())
		wait = minus(offset(deadline), c.lastOf(c.detector))
		if deadline.IsZero() {
			wait = never
		}
		if d, ok := c.detector.(interface{ Stats() liveness.Stats }); ok {
			stats := d.Stats()
			peer.Mean, peer.StdDev = stats.Mean, stats.StdDev
		}
	}
	switch {
	case c.state == StateUnknown:
		peer.Since = moment(now, c.heard)
	case c.state == StateTrusted:
		peer.Reason = Heard
	case c.is(heardOnce):
		peer.Reason = Silent
	default:
		peer.Reason = NeverHeard
	}
	if c.state == StateSuspected && !c.is(heardOnce) || c.state == StateEvicted && !c.is(heardOnce) {
		peer.Deadline = peer.Since
	} else {
		_, due := j.due(c.heard, wait)
		peer.Deadline = moment(now, due)
	}
	return peer
}
