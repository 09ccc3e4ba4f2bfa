package gray

import (
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// An index finds the path between a client and a server by hashing both. Finding
// takes no lock; changes require the Monitor's mutex. A Go map that is copied on
// every change would do the same, but takes two look-ups a record, and the
// square of the number of paths to build.
type index struct {
	seed  maphash.Seed
	slots atomic.Pointer[[]atomic.Pointer[path]] // a power of two of them, at most half of them taken
	taken int
}

func newIndex() *index {
	x := &index{seed: maphash.MakeSeed()}
	slots := make([]atomic.Pointer[path], 16)
	x.slots.Store(&slots)
	return x
}

func (x *index) hash(client, server string) uint64 {
	const odd = 0x9e3779b97f4a7c15
	return bits.RotateLeft64(maphash.String(x.seed, client)*odd, 32) ^ maphash.String(x.seed, server)
}

// find returns the path, or nil.
func (x *index) find(client, server string) *path {
	slots := *x.slots.Load()
	last := uint64(len(slots) - 1)
	for at := x.hash(client, server); ; at++ {
		p := slots[at&last].Load()
		if p == nil || p.clientName == client && p.server.name == server {
			return p
		}
	}
}

// add adds a path that is not there.
func (x *index) add(p *path) {
	slots := *x.slots.Load()
	if x.taken++; 2*x.taken > len(slots) {
		x.build(2*len(slots), slots, func(*path) bool { return true })
		slots = *x.slots.Load()
	}
	x.put(slots, p)
}

func (x *index) put(slots []atomic.Pointer[path], p *path) {
	last := uint64(len(slots) - 1)
	at := x.hash(p.clientName, p.server.name)
	for slots[at&last].Load() != nil {
		at++
	}
	slots[at&last].Store(p)
}

// build puts the paths to keep into so many new slots.
func (x *index) build(size int, from []atomic.Pointer[path], keep func(*path) bool) {
	slots := make([]atomic.Pointer[path], size)
	for i := range from {
		if p := from[i].Load(); p != nil && keep(p) {
			x.put(slots, p)
		}
	}
	x.slots.Store(&slots)
}

// remove takes out the paths for which gone is true.
func (x *index) remove(gone func(*path) bool) {
	slots := *x.slots.Load()
	x.taken = 0
	for i := range slots {
		if p := slots[i].Load(); p != nil && !gone(p) {
			x.taken++
		}
	}
	size := 16
	for size < 2*x.taken {
		size *= 2
	}
	x.build(size, slots, func(p *path) bool { return !gone(p) })
}
