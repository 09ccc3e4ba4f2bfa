package peers

import (
	"sync"
	"sync/atomic"
)

// shard is a part of the peers.
type shard[K comparable] struct {
	mu    sync.Mutex
	peers table[K]
	dues  dues[K]
	stale int // entries of dues that are not valid any more

	// first is when the shard has to be looked at, for readers without the lock.
	first atomic.Int64

	// Heartbeats that were no life.
	unknown, old, absurd uint64

	_ [64]byte // keeps the locks of two shards apart
}

// arm makes due the instant at which p is looked at, if that is sooner than
// what it waits for. It reports whether it was. It requires mu.
func (s *shard[K]) arm(p *peer[K], due int64) bool {
	if due >= p.due {
		return false
	}
	if p.due != never {
		s.stale++
	}
	p.due = due
	s.dues.push(entry[K]{due, p})
	s.tidy()
	s.note()
	return true
}

// disarm forgets what p waits for. It requires mu.
func (s *shard[K]) disarm(p *peer[K]) {
	if p.due != never {
		s.stale++
		p.due = never
	}
	s.tidy()
	s.note()
}

// due moves some of the first entries that are due out of the heap, valid or not,
// and returns how many. It requires mu. Until they are taken they must not be
// forgotten: see restore.
func (s *shard[K]) due(now int64, es *[batchSize]entry[K]) (n int) {
	for ; n < len(es) && len(s.dues) > 0 && s.dues[0].due <= now; n++ {
		es[n] = s.dues[0]
		s.dues.pop()
	}
	if n == 0 {
		s.note()
	}
	return n
}

// take reports whether an entry that came out of the heap is valid. If it is, its
// peer waits for nothing any more. It requires mu.
func (s *shard[K]) take(e entry[K]) bool {
	if e.p.due != e.due {
		s.stale = max(s.stale-1, 0) // two entries for one instant count as one
		return false
	}
	e.p.due = never
	return true
}

// restore puts entries back. It requires mu.
func (s *shard[K]) restore(es []entry[K]) {
	for _, e := range es {
		s.dues.push(e)
	}
	s.note()
}

// note keeps first. It requires mu.
func (s *shard[K]) note() {
	due := int64(never)
	if len(s.dues) > 0 {
		due = s.dues[0].due
	}
	if s.first.Load() != due {
		s.first.Store(due)
	}
}

// tidy drops the entries that are not valid any more when they are a quarter:
// what was removed leaves nothing, at O(1) a removal in the mean. It requires mu.
func (s *shard[K]) tidy() {
	if s.stale > len(s.dues)/4+8 || s.stale > 0 && s.peers.n == 0 {
		s.dues.filter(func(e entry[K]) bool { return e.p.due == e.due })
		s.stale = 0
	}
}

// remove takes p out. It requires mu.
func (s *shard[K]) remove(p *peer[K], hashOf func(K) uint64) {
	p.gone.Store(true)
	s.peers.remove(p, hashOf)
	s.disarm(p)
	p.detector, p.streak = nil, nil // an entry of the heap may outlive it
}

// rewind makes off the last instant at which anything happened, for the clock
// was set back to it, and has everybody looked at. It requires mu.
func (s *shard[K]) rewind(off int64) {
	s.dues, s.stale = nil, 0
	for p := range s.peers.all {
		if p.heard > off {
			p.heard = off
			p.set(shifted, p.is(seen))
		}
		if p.is(heardOnce) || p.suspected != 0 {
			p.since = min(p.since, off)
		}
		p.version++
		p.due = off
		s.dues = append(s.dues, entry[K]{off, p}) // all equal: a heap
	}
	s.note()
}
