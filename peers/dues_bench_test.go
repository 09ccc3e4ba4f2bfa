package peers

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkDues compares what a monitor spends on a peer that is due: out of the
// heap, and in again with a later instant; and the same with a wheel of slots of
// 1 ms. 4000 entries are a shard of a million peers in 256. As in life, the
// peers are far from each other in memory.
func BenchmarkDues(b *testing.B) {
	const wait = 4_000_000_000 // ns
	for _, n := range []int{4000, 1_000_000} {
		all := make([]peer[uint32], n)
		rng := rand.New(rand.NewPCG(1, 1))
		b.Run(fmt.Sprintf("what=heap/n=%d", n), func(b *testing.B) {
			var h dues[uint32]
			for _, i := range rng.Perm(n) {
				h.push(entry[uint32]{rng.Int64N(wait), &all[i]})
			}
			for b.Loop() {
				e := h[0]
				h.pop()
				e.due += wait + rng.Int64N(wait/10)
				h.push(e)
			}
		})
		b.Run(fmt.Sprintf("what=wheel/n=%d", n), func(b *testing.B) {
			var w wheel
			for _, i := range rng.Perm(n) {
				w.push(entry[uint32]{rng.Int64N(wait), &all[i]})
			}
			for b.Loop() {
				e := w.pop()
				e.due += wait + rng.Int64N(wait/10)
				w.push(e)
			}
		})
	}
}

// wheel has a slot for each millisecond of the next 8 s.
type wheel struct {
	slots [8192][]entry[uint32]
	now   int64 // in slots
}

func (w *wheel) push(e entry[uint32]) {
	slot := &w.slots[e.due/1_000_000%int64(len(w.slots))]
	*slot = append(*slot, e)
}

// pop takes any entry of the first slot that has one: late by up to a slot, and
// in no order.
func (w *wheel) pop() entry[uint32] {
	for {
		slot := &w.slots[w.now%int64(len(w.slots))]
		if n := len(*slot); n > 0 {
			e := (*slot)[n-1]
			*slot = (*slot)[:n-1]
			return e
		}
		w.now++
	}
}
