package peers

import (
	"math/bits"
	"sync/atomic"
)

// table finds peers by their keys. It is a hash table with linear probing, and
// beside the slots a byte a slot of the hash. A lookup reads the bytes, which fit
// the cache, one slot, and the peer itself, which is wanted anyway: one or two
// lines of memory less than a map, and half its room.
//
// A lock has to protect all but glance, which may run beside anything.
type table[K comparable] struct {
	places atomic.Pointer[places[K]] // nil while it is empty
	n      int
}

// places are the slots of a table. Their number, a power of two, never changes.
type places[K comparable] struct {
	tags  []atomic.Uint64 // eight slots each, 0 for an empty one
	slots []atomic.Pointer[peer[K]]
}

const (
	minSlots = 8
	ones     = 0x0101010101010101
	highs    = 0x8080808080808080
)

func newPlaces[K comparable](n int) *places[K] {
	return &places[K]{make([]atomic.Uint64, n/8), make([]atomic.Pointer[peer[K]], n)}
}

// home returns the slot where the search for a hash begins. The low bits chose
// the shard, the high ones are the tag.
func (t *places[K]) home(hash uint64) int { return int(hash>>16) & (len(t.slots) - 1) }

func tag(hash uint64) uint8 { return uint8(hash>>57) | 0x80 }

// eight returns the tags of eight slots from i on, the first one lowest.
func (t *places[K]) eight(i int) uint64 {
	word, by := i/8, uint(i%8*8)
	return t.tags[word].Load()>>by | t.tags[(word+1)&(len(t.tags)-1)].Load()<<(64-by) // a shift by 64 gives 0
}

// matches returns the high bit of each of eight tags that equals want. Above the
// first there may be wrong ones.
func matches(tags uint64, want uint8) uint64 {
	x := tags ^ ones*uint64(want)
	return (x - ones) &^ x & highs
}

func (t *places[K]) tag(i int) uint8 { return uint8(t.tags[i/8].Load() >> (i % 8 * 8)) }

func (t *places[K]) set(i int, tag uint8, p *peer[K]) {
	by := uint(i % 8 * 8)
	word := &t.tags[i/8]
	word.Store(word.Load()&^(0xff<<by) | uint64(tag)<<by)
	t.slots[i].Store(p)
}

// find returns a peer, nil if there is none.
func (t *table[K]) find(key K, hash uint64) *peer[K] {
	at := t.places.Load()
	if at == nil {
		return nil
	}
	want, mask := tag(hash), len(at.slots)-1
	at.slots[at.home(hash)].Load() // most often that is the one: a core reads it and the tags at once
	for i := at.home(hash); ; i += 8 {
		tags := at.eight(i & mask)
		for m := matches(tags, want); m != 0; m &= m - 1 {
			if p := at.slots[(i+bits.TrailingZeros64(m)/8)&mask].Load(); p != nil && p.key == key {
				return p
			}
		}
		if matches(tags, 0) != 0 { // a chain ends at an empty slot
			return nil
		}
	}
}

// glance returns the slot that most likely has the peer of a hash, without reading
// it, or nil. It needs no lock.
func (t *table[K]) glance(hash uint64) *atomic.Pointer[peer[K]] {
	at := t.places.Load()
	if at == nil {
		return nil
	}
	i := at.home(hash)
	first := bits.TrailingZeros64(matches(at.eight(i), tag(hash))) / 8 // 8 if there is none
	return &at.slots[(i+first)&(len(at.slots)-1)]
}

// add adds a peer that is not there. hashOf is that of any key.
func (t *table[K]) add(p *peer[K], hashOf func(K) uint64) {
	at := t.places.Load()
	if at == nil || 4*(t.n+1) > 3*len(at.slots) {
		at = t.resize(max(minSlots, 2*at.size()), hashOf)
	}
	at.put(p, hashOf(p.key))
	t.n++
}

func (t *places[K]) size() int {
	if t == nil {
		return 0
	}
	return len(t.slots)
}

func (t *places[K]) put(p *peer[K], hash uint64) {
	i := t.home(hash)
	for t.tag(i) != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.set(i, tag(hash), p)
}

// remove removes a peer that is there, and closes the gap: those after it that
// are not at home move up.
func (t *table[K]) remove(p *peer[K], hashOf func(K) uint64) {
	at := t.places.Load()
	mask := len(at.slots) - 1
	gap := at.home(hashOf(p.key))
	for at.slots[gap].Load() != p {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; at.tag(i) != 0; i = (i + 1) & mask {
		mover := at.slots[i].Load()
		if home := at.home(hashOf(mover.key)); (i-home)&mask >= (i-gap)&mask {
			at.set(gap, at.tag(i), mover)
			gap = i
		}
	}
	at.set(gap, 0, nil)
	t.n--
	switch {
	case t.n == 0:
		t.places.Store(nil)
	case len(at.slots) > minSlots && 8*t.n < len(at.slots):
		t.resize(len(at.slots)/2, hashOf)
	}
}

func (t *table[K]) resize(n int, hashOf func(K) uint64) *places[K] {
	other := newPlaces[K](n)
	for p := range t.all {
		other.put(p, hashOf(p.key))
	}
	t.places.Store(other)
	return other
}

// all yields the peers.
func (t *table[K]) all(yield func(*peer[K]) bool) {
	at := t.places.Load()
	if at == nil {
		return
	}
	for i := range at.slots {
		if p := at.slots[i].Load(); p != nil && !yield(p) {
			return
		}
	}
}
