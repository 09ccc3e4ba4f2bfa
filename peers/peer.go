package peers

import (
	"sync"
	"sync/atomic"

	"example.com/liveness"
)

// peer is what a monitor keeps of a peer beside its detector. The fields are
// protected by the lock of its shard, but for the atomic one. What a heartbeat
// touches lies in one line of memory: with a key of up to 8 bytes it takes 64,
// and so begins at one.
type peer[K comparable] struct {
	detector liveness.Detector
	heard    int64 // offset of the newest heartbeat, or where its silence began
	due      int64 // of its valid entry in the heap; never if it has none
	*rest
	suspected slots       // by whom
	version   uint32      // heartbeats begun
	gone      atomic.Bool // removed
	wait      coarse      // how long it may be silent before the detector is asked, if that is known
	ease      uint8       // see hurries
	flags     flags
	key       K
}

// rest is what a plain heartbeat has no use for. Its address says which detector
// it belongs to: a peer has a new one with each.
type rest struct {
	since       int64 // offset of the last change of state; for an unheard peer how long it may be silent
	incarnation uint64
	seq         uint64
	streak      *[maxSlots]uint8 // heartbeats in a row, by slot, of a suspected peer; nil if nobody asks
}

type flags uint8

const (
	heardOnce flags = 1 << iota // its detector was told of a heartbeat
	seen                        // a heartbeat has come, of which its detector may yet have to be told
	shifted                     // heard is not the detector's last heartbeat: the clock was set back
	queued                      // the guard has an entry for it
	evicted                     // an eviction was announced
	numbered                    // its detector wants sequence numbers
	counted                     // it has given a number
	steady                      // its detector's wait does not depend on when the last heartbeat came
)

func (p *peer[K]) is(f flags) bool { return p.flags&f != 0 }

func (p *peer[K]) set(f flags, on bool) {
	if p.flags &^= f; on {
		p.flags |= f
	}
}

// The first heartbeats of a detector are each followed by the question when its
// deadline is, later ones when older have passed since it was last asked: waits
// get shorter as a detector learns.
const (
	younger = 16
	older   = 8
)

// hurries notes a heartbeat, and reports whether it may have brought the
// deadline forward.
func (p *peer[K]) hurries() bool {
	switch {
	case p.ease > older:
		p.ease--
		return true
	case p.ease > 0:
		p.ease--
		return false
	}
	p.ease = older
	return true
}

// state returns how a subscription judges the peer.
func (p *peer[K]) state(slot int) State {
	switch {
	case slot == 0 && p.is(evicted):
		return StateEvicted
	case p.suspected&(1<<slot) != 0:
		return StateSuspected
	case p.is(heardOnce):
		return StateTrusted
	}
	return StateUnknown
}

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
