package peers

import (
	"errors"
	"fmt"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

var (
	// ErrRegistered is returned for a peer that is registered already.
	ErrRegistered = errors.New("peers: registered already")
	// ErrUnknown is returned for a peer that is not registered.
	ErrUnknown = errors.New("peers: not registered")
	// ErrFull is returned when there are [Config].MaxPeers already.
	ErrFull = errors.New("peers: MaxPeers are registered")
)

// A Monitor watches any number of peers. See the package comment.
//
// A Monitor is safe for concurrent use. It holds no lock while it calls foreign
// code: detectors, Config.NewDetector, Doubt.Backlog. It must be made by [New].
type Monitor[K comparable] struct {
	cfg    Config[K]
	seed   maphash.Seed
	shards []shard[K]
	doubt  doubt
	guard  guard[K]

	rosterMu sync.Mutex // serialises changes of roster
	roster   atomic.Pointer[roster[K]]

	size      atomic.Int64 // peers registered, or being registered
	suspects  atomic.Int64 // by their own thresholds
	evictions atomic.Int64 // suspects whose eviction was announced

	wakeAt atomic.Int64  // when Run is going to look
	wakeup chan struct{} // tells it to look sooner
}

// New returns a monitor without peers. It returns an error that names the field,
// the value and the bound if cfg is out of range.
func New[K comparable](cfg Config[K]) (*Monitor[K], error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	health, err := NewHealth(cfg.Doubt.MaxFactor)
	if err != nil {
		return nil, err
	}
	m := &Monitor[K]{
		cfg:    cfg,
		seed:   maphash.MakeSeed(),
		shards: make([]shard[K], cfg.Shards),
		doubt:  doubt{cfg: cfg.Doubt, rest: int64(cfg.Resolution), health: health},
		guard:  guard[K]{cfg: cfg.Guard, override: math.MinInt64},
		wakeup: make(chan struct{}, 1),
	}
	for i := range m.shards {
		m.shards[i].first.Store(never)
	}
	m.wakeAt.Store(math.MinInt64)
	m.doubt.promised.Store(never)
	m.guard.bucket = bucket{tokens: float64(cfg.Guard.Burst), at: math.MinInt64}
	m.roster.Store(newRoster[K](nil))
	return m, nil
}

// Register begins to watch a peer. Its silence counts from at: it is unknown
// until its first heartbeat, and suspected when that does not come within the
// first-beat limit. It returns [ErrRegistered], [ErrFull] or what NewDetector
// returns.
func (m *Monitor[K]) Register(key K, at time.Time, r Registration) error {
	if err := checkDurationOrZero("FirstBeat", r.FirstBeat); err != nil {
		return err
	}
	if key != key { // a NaN
		return fmt.Errorf("peers: key is %v, want one that is equal to itself", key)
	}
	limit := r.FirstBeat
	if limit == 0 {
		limit = m.cfg.FirstBeat
	}
	s, hash := m.shard(key)
	s.mu.Lock()
	registered := s.peers.find(key, hash) != nil
	s.mu.Unlock()
	if registered {
		return ErrRegistered
	}
	if !m.reserve() {
		return ErrFull
	}
	added := false
	defer func() {
		if !added { // NewDetector panics, perhaps
			m.size.Add(-1)
		}
	}()
	d, err := m.newDetector(key)
	if err != nil {
		return err
	}
	p := &peer[K]{
		key: key, heard: offset(at), due: never,
		rest: &rest{since: int64(limit), incarnation: r.Last.Incarnation, seq: r.Last.Seq},
	}
	p.set(counted, r.Last != Beat{})
	p.fresh(d)
	due := plus(p.heard, p.since)
	s.mu.Lock()
	if s.peers.find(key, hash) != nil {
		s.mu.Unlock()
		return ErrRegistered
	}
	added = true
	s.peers.add(p, m.hash)
	s.arm(p, due)
	s.mu.Unlock()
	m.poke(due)
	return nil
}

// reserve makes one more peer count, unless there are MaxPeers already.
func (m *Monitor[K]) reserve() bool {
	for {
		n := m.size.Load()
		if m.cfg.MaxPeers > 0 && n >= int64(m.cfg.MaxPeers) {
			return false
		}
		if m.size.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Remove ends the watch over a peer and forgets it: heartbeats of it are unknown
// from then on. It reports whether the peer was registered.
func (m *Monitor[K]) Remove(key K, at time.Time) bool {
	s, hash := m.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.peers.find(key, hash)
	if p == nil {
		return false
	}
	r := m.roster.Load()
	m.absolve(p)
	s.remove(p, m.hash)
	m.size.Add(-1)
	if p.is(queued) {
		m.guard.forget()
	}
	r.tell(r.all, Event[K]{Kind: Removed, At: at, Key: key, Incarnation: p.incarnation})
	return true
}

// absolve takes p out of the counts of suspects. It requires the shard's mu.
func (m *Monitor[K]) absolve(p *peer[K]) {
	if p.suspected&1 != 0 {
		m.suspects.Add(-1)
	}
	if p.is(evicted) {
		m.evictions.Add(-1)
		p.set(evicted, false)
	}
}

// Reset forgets all that was learnt of a peer, and expects it from at on with a
// new first-beat limit: it has moved, say, or was paused on purpose. It is
// unknown again, of which an event tells. Heartbeats older than the newest one
// are still no life. It returns [ErrUnknown] or what NewDetector returns.
func (m *Monitor[K]) Reset(key K, at time.Time) error {
	s, hash := m.shard(key)
	s.mu.Lock()
	registered := s.peers.find(key, hash) != nil
	s.mu.Unlock()
	if !registered {
		return ErrUnknown
	}
	d, err := m.newDetector(key)
	if err != nil {
		return err
	}
	s.mu.Lock()
	p := s.peers.find(key, hash)
	if p == nil {
		s.mu.Unlock()
		return ErrUnknown
	}
	m.absolve(p)
	p.version++
	p.fresh(d)
	p.set(heardOnce|seen|shifted, false)
	p.heard, p.since, p.suspected, p.streak = offset(at), int64(m.cfg.FirstBeat), 0, nil
	due := plus(p.heard, p.since)
	s.disarm(p)
	s.arm(p, due)
	m.announce(Event[K]{Kind: Reset, At: at, Key: key, Incarnation: p.incarnation})
	s.mu.Unlock()
	m.poke(due)
	return nil
}

// Len returns the number of registered peers.
func (m *Monitor[K]) Len() int { return int(m.size.Load()) }

// Health returns the score of the monitor's own health, by which waits are
// stretched: apply to it what else tells how this process is doing.
func (m *Monitor[K]) Health() *Health { return m.doubt.health }

func (m *Monitor[K]) hash(key K) uint64 { return maphash.Comparable(m.seed, key) }

// shard returns where a key belongs, and its hash.
func (m *Monitor[K]) shard(key K) (*shard[K], uint64) {
	hash := m.hash(key)
	return &m.shards[hash&uint64(len(m.shards)-1)], hash
}

// eachShard calls f for each shard, with its lock held.
func (m *Monitor[K]) eachShard(f func(s *shard[K])) {
	for i := range m.shards {
		s := &m.shards[i]
		s.mu.Lock()
		f(s)
		s.mu.Unlock()
	}
}

// announce sends an event about the monitor to all.
func (m *Monitor[K]) announce(e Event[K]) {
	r := m.roster.Load()
	r.tell(r.all, e)
}

// poke has Run look at due if it means to come later.
func (m *Monitor[K]) poke(due int64) {
	if due >= m.wakeAt.Load() {
		return
	}
	select {
	case m.wakeup <- struct{}{}:
	default:
	}
}
