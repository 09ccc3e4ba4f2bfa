package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
)

const (
	maxSlots      = 32
	defaultBuffer = 1024
	maxBuffer     = 1 << 24
	maxTrustAfter = 255
	// maxLevel is as far as the inverse of φ is exact.
	maxLevel = 1e12
)

// ErrClosed is returned by [Subscription.Next] when the subscription was closed
// and all that was in its queue has been read.
var ErrClosed = errors.New("peers: subscription closed")

// SubscriptionConfig configures a [Subscription]. The zero value is usable.
type SubscriptionConfig struct {
	// Threshold is the level from which a peer is suspected, above 0 and at
	// most 1e12. Zero means the threshold of the peer's own detector.
	Threshold float64

	// TrustAfter is how many heartbeats in a row make a suspected peer trusted
	// again, from 1 to 255, where no gap between them reaches Threshold: more
	// than 1 keep a peer that comes and goes from being trusted each time it
	// comes. Zero means 1.
	TrustAfter int

	// Buffer is how many events may wait to be read, from 1 to 16777216. Zero
	// means 1024.
	Buffer int
}

func (cfg *SubscriptionConfig) check() error {
	return cmp.Or(
		check(cfg.Threshold == 0 && !math.Signbit(cfg.Threshold) || cfg.Threshold > 0 && cfg.Threshold <= maxLevel, "Threshold", cfg.Threshold, "a finite number above 0, at most %v", float64(maxLevel)),
		check(1 <= cfg.TrustAfter && cfg.TrustAfter <= maxTrustAfter, "TrustAfter", cfg.TrustAfter, "a number from 1 to %d", maxTrustAfter),
		check(1 <= cfg.Buffer && cfg.Buffer <= maxBuffer, "Buffer", cfg.Buffer, "a number from 1 to %d", maxBuffer),
	)
}

// A Subscription is a queue of events with a threshold of its own. Of each peer
// it has one event a transition, in order.
//
// Nobody waits for a subscriber. When its queue is full, further events are
// counted instead of queued, until all that waits has been read: then comes an
// event [Lagged] that says how many were missed, and after it the queue goes
// on. What was missed is to be had from [Subscription.All]; events after the
// Lagged may repeat what that said already.
//
// A Subscription is safe for concurrent use.
type Subscription[K comparable] struct {
	m    *Monitor[K]
	cfg  SubscriptionConfig
	slot int

	mu     sync.Mutex // protects what follows
	queue  []Event[K] // a ring
	head   int
	n      int
	number uint64
	missed uint64
	closed bool
	ready  chan struct{} // holds a token when there may be something to read
}

// Subscribe adds a subscription. It learns what happens from now on: peers that
// are beyond its threshold, or their first-beat limit, already are reported as
// suspected in the next round, all others that were heard count as trusted. There can be 31 subscriptions at
// once. It costs O(number of peers).
func (m *Monitor[K]) Subscribe(cfg SubscriptionConfig) (*Subscription[K], error) {
	cfg.TrustAfter, cfg.Buffer = cmp.Or(cfg.TrustAfter, 1), cmp.Or(cfg.Buffer, defaultBuffer)
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Subscription[K]{m: m, cfg: cfg, ready: make(chan struct{}, 1)}
	m.rosterMu.Lock()
	defer m.rosterMu.Unlock()
	subs := slices.Clone(m.roster.Load().subs)
	taken := slots(1)
	for _, other := range subs {
		taken |= 1 << other.slot
	}
	for s.slot = 1; taken&(1<<s.slot) != 0; s.slot++ {
		if s.slot == maxSlots-1 {
			return nil, fmt.Errorf("peers: there are %d subscriptions already", maxSlots-1)
		}
	}
	m.roster.Store(newRoster(append(subs, s)))
	m.eachShard(func(sh *shard[K]) {
		for p := range sh.peers.all {
			p.wait = 0 // that of a higher threshold, perhaps
			sh.arm(p, math.MinInt64)
		}
	})
	m.poke(math.MinInt64)
	return s, nil
}

// Close ends the subscription. What is in its queue can still be read. It costs
// O(number of peers).
func (s *Subscription[K]) Close() {
	m := s.m
	m.rosterMu.Lock()
	defer m.rosterMu.Unlock()
	subs := slices.DeleteFunc(slices.Clone(m.roster.Load().subs), func(other *Subscription[K]) bool { return other == s })
	if len(subs) == len(m.roster.Load().subs) {
		return // closed before
	}
	m.roster.Store(newRoster(subs))
	m.eachShard(func(sh *shard[K]) {
		for p := range sh.peers.all {
			if p.suspected &^= 1 << s.slot; p.suspected == 0 {
				p.streak = nil
			}
		}
	})
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake()
}

// push queues an event, or counts it as missed.
func (s *Subscription[K]) push(e Event[K]) {
	s.mu.Lock()
	s.number++
	e.Number = s.number
	switch {
	case s.closed:
	case s.missed > 0 || s.n == s.cfg.Buffer:
		s.missed++
	default:
		if s.n == len(s.queue) {
			s.grow()
		}
		s.queue[(s.head+s.n)%len(s.queue)] = e
		s.n++
	}
	s.mu.Unlock()
	s.wake()
}

// grow makes room, little by little: most queues are empty most of the time. It
// requires mu.
func (s *Subscription[K]) grow() {
	larger := make([]Event[K], min(max(16, 2*len(s.queue)), s.cfg.Buffer))
	n := copy(larger, s.queue[s.head:])
	copy(larger[n:], s.queue[:s.head])
	s.queue, s.head = larger, 0
}

func (s *Subscription[K]) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

// TryNext returns the next event, and false if there is none.
func (s *Subscription[K]) TryNext() (Event[K], bool) {
	e, ok, _ := s.take()
	return e, ok
}

func (s *Subscription[K]) take() (e Event[K], ok, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.n > 0:
		at := &s.queue[s.head]
		e, *at = *at, Event[K]{}
		s.head = (s.head + 1) % len(s.queue)
		if s.n--; s.n == 0 && len(s.queue) > 64 {
			s.queue, s.head = nil, 0
		}
	case s.missed > 0:
		e = Event[K]{Number: s.number, Kind: Lagged, Missed: s.missed}
		s.missed = 0
	default:
		return e, false, s.closed
	}
	return e, true, false
}

// Next waits for the next event and returns it. It returns the error of ctx if
// that is done, and [ErrClosed] at the end of a closed subscription.
func (s *Subscription[K]) Next(ctx context.Context) (Event[K], error) {
	for {
		if err := ctx.Err(); err != nil {
			s.wake() // another reader may wait for what is left here
			return Event[K]{}, err
		}
		e, ok, closed := s.take()
		switch {
		case ok:
			s.wake() // another reader may wait, too
			return e, nil
		case closed:
			s.wake()
			return e, ErrClosed
		}
		select {
		case <-ctx.Done():
			return e, ctx.Err()
		case <-s.ready:
		}
	}
}

// Events yields the events until ctx is done or the subscription closed.
func (s *Subscription[K]) Events(ctx context.Context) iter.Seq[Event[K]] {
	return func(yield func(Event[K]) bool) {
		for {
			e, err := s.Next(ctx)
			if err != nil || !yield(e) {
				return
			}
		}
	}
}

// Lag returns how many events wait to be read and how many were missed since the
// last Lagged.
func (s *Subscription[K]) Lag() (waiting int, missed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n, s.missed
}

// All yields the peers and how this subscription judges each of them, in no
// order. It does so as [Monitor.All] does.
func (s *Subscription[K]) All() iter.Seq2[K, State] {
	return func(yield func(K, State) bool) {
		type view struct {
			key   K
			state State
		}
		each(s.m, func(p *peer[K]) view { return view{p.key, p.state(s.slot)} }, func(v view) bool { return yield(v.key, v.state) })
	}
}
