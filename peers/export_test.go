package peers

import (
	"fmt"
	"math/bits"
)

// Check recounts what a monitor keeps count of, and looks for what must never be.
func (m *Monitor[K]) Check() error {
	size, suspects, evictions := int64(0), int64(0), int64(0)
	waiting := map[*peer[K]]bool{}
	for _, c := range m.guard.queue {
		if waiting[c.p] {
			return fmt.Errorf("the guard's queue has %v twice", c.p.key)
		}
		waiting[c.p] = true
	}
	r := m.roster.Load()
	var err error
	fail := func(format string, args ...any) { err = fmt.Errorf(format, args...) }
	m.eachShard(func(s *shard[K]) {
		valid := map[*peer[K]]int{}
		for i, e := range s.dues {
			if i > 0 && s.dues[(i-1)/arity].due > e.due {
				fail("entry %d is before its parent", i)
			}
			if e.p.due == e.due {
				valid[e.p]++
				if s.peers.find(e.p.key, m.hash(e.p.key)) != e.p {
					fail("an entry waits for %v, which is gone", e.p.key)
				}
			}
		}
		if stale := len(s.dues) - len(valid); stale > len(s.dues)/4+10 {
			fail("%d of %d entries are stale", stale, len(s.dues))
		}
		if first := s.first.Load(); len(s.dues) > 0 && first > s.dues[0].due {
			fail("the shard is looked at %d late", first-s.dues[0].due)
		}
		size += int64(s.peers.n)
		for p := range s.peers.all {
			key := p.key
			if s.peers.find(key, m.hash(key)) != p {
				fail("%v is not found", key)
			}
			if p.suspected&1 != 0 {
				suspects++
			}
			if p.is(evicted) {
				evictions++
			}
			if p.suspected&^r.all != 0 {
				fail("%v is suspected by %d who do not exist", key, bits.OnesCount32(uint32(p.suspected&^r.all)))
			}
			if p.suspected != r.all && valid[p] == 0 && p.due == never && p.is(heardOnce) && p.version > 0 && !p.reachable() {
				fail("%v is not waited for", key)
			}
			if p.gone.Load() {
				fail("%v is gone", key)
			}
			if p.is(queued) != waiting[p] {
				fail("%v: queued %v, in the queue %v", key, p.is(queued), waiting[p])
			}
			if p.is(evicted) && p.suspected&1 == 0 {
				fail("%v is evicted and trusted", key)
			}
			if p.suspected == 0 && p.streak != nil {
				fail("%v is trusted and proves itself", key)
			}
		}
	})
	switch {
	case err != nil:
		return err
	case size != m.size.Load() || suspects != m.suspects.Load() || evictions != m.evictions.Load():
		return fmt.Errorf("counted %d peers, %d suspects, %d evicted, kept %d, %d, %d",
			size, suspects, evictions, m.size.Load(), m.suspects.Load(), m.evictions.Load())
	}
	return nil
}

// reachable reports whether a deadline out of reach is why p waits for nothing.
func (p *peer[K]) reachable() bool {
	return offset(p.detector.Deadline(p.detector.Threshold())) == never
}

// Entries returns how many entries the heaps hold.
func (m *Monitor[K]) Entries() int {
	n := 0
	m.eachShard(func(s *shard[K]) { n += len(s.dues) })
	return n
}
