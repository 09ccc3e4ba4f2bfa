package peers

import (
	"cmp"
	"math"
	"sync"
	"time"
)

const (
	defaultMaxShare   = 20
	defaultEvictAfter = 5 * time.Second
	maxRate           = 1e9
)

// Guard configures what stands between a suspicion and an eviction. The zero
// value is usable. It counts the peers that are suspected by the thresholds of
// their own detectors, evicted ones included until they are removed; whatever
// else puts peers out of service, such as an outlier detector, has a budget of
// its own.
//
// When k of n registered peers are suspected and
//
//	100·k > MaxShare·n and k > AtLeast
//
// the likelier fault is here or in the network: that is a mass failure, of which
// one event tells, and evictions are held, while suspicions are reported as
// ever. It is over when 400·k ≤ 3·MaxShare·n or k ≤ AtLeast. All are integers.
//
// So of n peers at most ⌊n·MaxShare/100⌋ are evicted at once. For a small group
// that is 0, with the default of 20 for four or fewer: every death is then a
// mass failure, and somebody has to look, unless AtLeast allows it.
type Guard struct {
	// EvictAfter is how long a peer must have been suspected to be evicted,
	// up to 100 days. It has to be longer than a common fault takes to show in
	// most peers, which is about one interval between heartbeats: the guard
	// cannot hold what has happened before. Zero means 5 s.
	EvictAfter time.Duration

	// MaxShare is the share of registered peers that may be suspected at
	// once, in percent, from 1 to 100. Zero means 20.
	MaxShare int

	// AtLeast peers may be suspected at once whatever the share. Zero means
	// none.
	AtLeast int

	// AllowLast allows to evict the last peer. Without it the last one of all
	// that are registered never is.
	AllowLast bool

	// MaxHold is how long a mass failure may last before evictions go on all
	// the same: most peers are really gone. It is from 1 µs to 100 days. Zero
	// means until an operator calls [Monitor.Release].
	MaxHold time.Duration

	// Rate is how many peers are evicted a second at most, above 0, up to 1e9,
	// and Burst how many at once after a pause, from 1. A Burst of zero means
	// 1. A Rate of zero means no limit.
	Rate  float64
	Burst int
}

func (c *Guard) setDefaults() {
	c.EvictAfter = cmp.Or(c.EvictAfter, defaultEvictAfter)
	c.MaxShare = cmp.Or(c.MaxShare, defaultMaxShare)
	c.Burst = cmp.Or(c.Burst, 1)
}

func (c *Guard) check() error {
	return cmp.Or(
		checkDuration("Guard.EvictAfter", c.EvictAfter),
		check(1 <= c.MaxShare && c.MaxShare <= 100, "Guard.MaxShare", c.MaxShare, "a number from 1 to 100"),
		check(c.AtLeast >= 0, "Guard.AtLeast", c.AtLeast, "a number of at least 0"),
		checkDurationOrZero("Guard.MaxHold", c.MaxHold),
		check(c.Rate == 0 && !math.Signbit(c.Rate) || c.Rate > 0 && c.Rate <= maxRate, "Guard.Rate", c.Rate, "a finite number above 0, at most %v", maxRate),
		check(c.Burst >= 1, "Guard.Burst", c.Burst, "a number of at least 1"),
	)
}

// exceeds reports whether k of n peers are too many.
func (c *Guard) exceeds(k, n int64) bool {
	return k > int64(c.AtLeast) && 100*k > int64(c.MaxShare)*n
}

// clears reports whether k of n peers are few enough again.
func (c *Guard) clears(k, n int64) bool {
	return k <= int64(c.AtLeast) || 400*k <= 3*int64(c.MaxShare)*n
}

// guard decides on evictions.
type guard[K comparable] struct {
	cfg Guard

	mu       sync.Mutex // protects what follows; no other lock is taken while it is held
	mass     bool
	since    int64 // of the mass failure
	released bool
	override int64   // evictions are not held before
	queue    dues[K] // the suspects, by the beginning of their suspicion
	gone     int     // of queue, removed peers at most
	bucket   bucket
}

// candidate is a peer that may have to be evicted.
type candidate[K comparable] struct {
	p     *peer[K]
	since int64 // of its suspicion, as far as the queue knows
	paid  bool  // with a token
}

// enqueue adds a peer that has become suspected. It requires the shard's mu.
func (g *guard[K]) enqueue(p *peer[K]) {
	g.mu.Lock()
	g.queue.push(entry[K]{p.since, p})
	g.mu.Unlock()
}

// forget notes that a peer of the queue was removed.
func (g *guard[K]) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.gone++; g.gone <= len(g.queue)/2 {
		return
	}
	g.queue.filter(func(e entry[K]) bool { return !e.p.gone.Load() })
	g.gone = 0
}

// Release lets evictions go on until d after now in spite of a mass failure, also
// one that begins meanwhile, from the next round on: an operator has looked and
// found that the peers are really gone. An event [GuardReleased] tells of it. None
// tells when d is over and evictions are held again, but Status does. A later
// Release replaces an earlier one, and one with a d of 0 takes it back.
func (m *Monitor[K]) Release(now time.Time, d time.Duration) {
	g := &m.guard
	g.mu.Lock()
	g.override = plus(offset(now), int64(d))
	g.released = g.released && d > 0
	g.mu.Unlock()
	m.poke(math.MinInt64)
}

// watch looks at the number of suspects, and evicts. It returns when it has to
// be called again.
func (m *Monitor[K]) watch(j *judgement) int64 {
	g := &m.guard
	for {
		g.mu.Lock()
		m.survey(j)
		c, again, ok := m.candidate(j)
		g.mu.Unlock()
		if !ok {
			return again
		}
		m.evict(c, j)
	}
}

// survey finds out whether there is a mass failure. It requires the guard's mu.
func (m *Monitor[K]) survey(j *judgement) {
	g := &m.guard
	k, n := m.suspects.Load(), m.size.Load()
	event := Event[K]{At: j.now, Suspects: int(k), Peers: int(n)}
	if j.rewound {
		g.since, g.override = min(g.since, j.off), min(g.override, j.off)
		for i := range g.queue {
			g.queue[i].due = min(g.queue[i].due, j.off) // a heap as before
		}
		j.rewound = false
	}
	switch {
	case !g.mass && g.cfg.exceeds(k, n):
		g.mass, g.since, g.released = true, j.off, false
		event.Kind = MassFailure
	case g.mass && g.cfg.clears(k, n):
		g.mass, g.released = false, false
		event.Kind = MassFailureOver
	default:
		event.Kind = 0
	}
	if event.Kind != 0 {
		m.announce(event)
	}
	if !g.mass {
		return
	}
	reason := NoReason
	switch {
	case j.off < g.override:
		reason = Operator
	case g.cfg.MaxHold > 0 && minus(j.off, g.since) >= int64(g.cfg.MaxHold):
		reason = TimeIsUp
	}
	if reason != NoReason && !g.released {
		event.Kind, event.Reason = GuardReleased, reason
		m.announce(event)
	}
	g.released = reason != NoReason
}

// candidate takes the next peer to be evicted out of the queue, or says when to
// ask again. It requires the guard's mu.
func (m *Monitor[K]) candidate(j *judgement) (c candidate[K], again int64, ok bool) {
	g := &m.guard
	again = never
	if g.mass && !g.released && g.cfg.MaxHold > 0 {
		again = plus(g.since, int64(g.cfg.MaxHold))
	}
	if len(g.queue) == 0 {
		return c, again, false
	}
	c = candidate[K]{p: g.queue[0].p, since: g.queue[0].due}
	if due := plus(c.since, int64(g.cfg.EvictAfter)); j.off < due {
		return c, min(again, due), false
	}
	switch {
	case c.p.gone.Load(): // nothing to decide
	case g.mass && !g.released, j.off < j.until, j.heeded && !j.bounded:
		return c, again, false // the next round is soon enough
	case !g.cfg.AllowLast && m.evictions.Load()+1 >= m.size.Load():
		return c, again, false
	default:
		if wait, ok := g.bucket.take(j.off, g.cfg.Rate, g.cfg.Burst); !ok {
			return c, min(again, plus(j.off, wait)), false
		}
		c.paid = true
	}
	if g.queue.pop(); len(g.queue) == 0 {
		g.queue, g.gone = nil, 0
	}
	return c, never, true
}

// evict announces an eviction, unless the peer has come back.
func (m *Monitor[K]) evict(c candidate[K], j *judgement) {
	p := c.p
	s, _ := m.shard(p.key)
	s.mu.Lock()
	d := p.detector
	s.mu.Unlock()
	level := 0.0
	defer func() { // also when the detector panics: its peer must not get lost, nor hold up the others
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case p.gone.Load():
			m.guard.refund(c)
		case p.suspected&1 == 0:
			p.set(queued, false)
			m.guard.refund(c)
		case p.since != c.since: // it came back, and went again
			m.guard.refund(c)
			m.guard.enqueue(p)
		default:
			p.set(queued, false)
			p.set(evicted, true)
			m.evictions.Add(1)
			m.announce(Event[K]{Kind: Evict, At: j.now, Key: p.key, Incarnation: p.incarnation, Suspicion: level})
		}
	}()
	if d != nil {
		level = d.Suspicion(j.now)
	}
}

// refund gives back the token of a candidate that did not need it.
func (g *guard[K]) refund(c candidate[K]) {
	if !c.paid {
		return
	}
	g.mu.Lock()
	g.bucket.tokens = min(g.bucket.tokens+1, float64(g.cfg.Burst))
	g.mu.Unlock()
}
