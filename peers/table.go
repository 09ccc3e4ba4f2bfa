package peers

// table finds peers by their keys. It is a hash table with linear probing, and
// beside the slots a byte a slot of the hash. A lookup reads the bytes, which fit
// the cache, one slot, and the peer itself, which is wanted anyway: one or two
// lines of memory less than a map, and half its room.
type table[K comparable] struct {
	tags  []uint8 // 0 for an empty slot
	slots []*peer[K]
	n     int
}

const minSlots = 8

// home returns the slot where the search for a hash begins. The low bits chose
// the shard, the high ones are the tag.
func (t *table[K]) home(hash uint64) int { return int(hash>>16) & (len(t.tags) - 1) }

func tag(hash uint64) uint8 { return uint8(hash>>57) | 0x80 }

// find returns a peer, nil if there is none.
func (t *table[K]) find(key K, hash uint64) *peer[K] {
	if t.n == 0 {
		return nil
	}
	want, mask := tag(hash), len(t.tags)-1
	for i := t.home(hash); t.tags[i] != 0; i = (i + 1) & mask {
		if t.tags[i] == want && t.slots[i].key == key {
			return t.slots[i]
		}
	}
	return nil
}

// add adds a peer that is not there. hashOf is that of any key.
func (t *table[K]) add(p *peer[K], hashOf func(K) uint64) {
	if 4*(t.n+1) > 3*len(t.tags) {
		t.resize(max(minSlots, 2*len(t.tags)), hashOf)
	}
	t.put(p, hashOf(p.key))
	t.n++
}

func (t *table[K]) put(p *peer[K], hash uint64) {
	i := t.home(hash)
	for t.tags[i] != 0 {
		i = (i + 1) & (len(t.tags) - 1)
	}
	t.tags[i], t.slots[i] = tag(hash), p
}

// remove removes a peer that is there, and closes the gap: those after it that
// are not at home move up.
func (t *table[K]) remove(p *peer[K], hashOf func(K) uint64) {
	mask := len(t.tags) - 1
	gap := t.home(hashOf(p.key))
	for t.slots[gap] != p {
		gap = (gap + 1) & mask
	}
	for i := (gap + 1) & mask; t.tags[i] != 0; i = (i + 1) & mask {
		if home := t.home(hashOf(t.slots[i].key)); (i-home)&mask >= (i-gap)&mask {
			t.tags[gap], t.slots[gap] = t.tags[i], t.slots[i]
			gap = i
		}
	}
	t.tags[gap], t.slots[gap] = 0, nil
	t.n--
	switch {
	case t.n == 0:
		*t = table[K]{}
	case len(t.tags) > minSlots && 8*t.n < len(t.tags):
		t.resize(len(t.tags)/2, hashOf)
	}
}

func (t *table[K]) resize(n int, hashOf func(K) uint64) {
	old := t.slots
	t.tags, t.slots = make([]uint8, n), make([]*peer[K], n)
	for _, p := range old {
		if p != nil {
			t.put(p, hashOf(p.key))
		}
	}
}

// all yields the peers.
func (t *table[K]) all(yield func(*peer[K]) bool) {
	for _, p := range t.slots {
		if p != nil && !yield(p) {
			return
		}
	}
}
