// Package order keeps the latest samples in order of size, for exact order
// statistics of a window that moves.
package order

import (
	"iter"
	"math/rand/v2"
)

// A Window holds the latest samples, up to a fixed number. Adding, which gives
// up the oldest sample of a full window, and asking cost O(log n) on average
// over the priorities, whatever the samples are, and allocate nothing. A sample
// takes 24 bytes, at once.
//
// It is a treap: a search tree by value, and by slot among equal values, and a
// heap by priorities drawn at random once for each slot. Samples go from slot to
// slot round the window, so the shape of the tree is as random as at first.
//
// It must be made by New.
type Window struct {
	nodes []node // of the slots from 1; the one of slot 0 stands for no node
	root  uint32
	next  uint32 // the slot of the next sample
}

type node struct {
	value       int64
	priority    uint32
	left, right uint32 // slots, 0 for none
	size        uint32 // nodes in the subtree
}

// New returns an empty window for capacity samples, from 1 to 1<<31.
func New(capacity int) Window {
	w := Window{nodes: make([]node, capacity+1), next: 1}
	for i := range w.nodes {
		w.nodes[i].priority = rand.Uint32()
	}
	return w
}

// Len returns the number of samples present.
func (w *Window) Len() int { return int(w.nodes[w.root].size) }

// Cap returns the number of samples the window can hold.
func (w *Window) Cap() int { return len(w.nodes) - 1 }

// Reset empties the window and keeps its capacity.
func (w *Window) Reset() { w.root, w.next = 0, 1 }

// Add adds x; a full window gives up its oldest sample for it.
func (w *Window) Add(x int64) {
	slot := w.next
	if w.Len() == w.Cap() {
		w.remove(slot)
	}
	w.nodes[slot].value = x
	w.insert(slot)
	if w.next++; int(w.next) == len(w.nodes) {
		w.next = 1
	}
}

// At returns the sample with k smaller ones before it, for 0 ≤ k < Len.
func (w *Window) At(k int) int64 {
	rest := uint32(k)
	n := &w.nodes[w.root]
	for {
		switch left := w.nodes[n.left].size; {
		case rest < left:
			n = &w.nodes[n.left]
		case rest == left:
			return n.value
		default:
			rest -= left + 1
			n = &w.nodes[n.right]
		}
	}
}

// Above returns the number of samples above x.
func (w *Window) Above(x int64) int {
	above := uint32(0)
	for i := w.root; i != 0; {
		n := &w.nodes[i]
		if n.value > x {
			above += w.nodes[n.right].size + 1
			i = n.left
		} else {
			i = n.right
		}
	}
	return int(above)
}

// All iterates over the samples, oldest first.
func (w *Window) All() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		slot := uint32(1)
		if w.Len() == w.Cap() {
			slot = w.next
		}
		for range w.Len() {
			if !yield(w.nodes[slot].value) {
				return
			}
			if slot++; int(slot) == len(w.nodes) {
				slot = 1
			}
		}
	}
}

// before reports whether the sample of slot a comes before that of slot b.
func (w *Window) before(a, b uint32) bool {
	x, y := w.nodes[a].value, w.nodes[b].value
	return x < y || x == y && a < b
}

// insert puts the node of a slot into the tree.
func (w *Window) insert(slot uint32) {
	n := &w.nodes[slot]
	link := &w.root
	for *link != 0 && w.nodes[*link].priority >= n.priority {
		above := &w.nodes[*link]
		above.size++
		if w.before(slot, *link) {
			link = &above.left
		} else {
			link = &above.right
		}
	}
	n.left, n.right = w.split(*link, slot)
	w.count(n)
	*link = slot
}

// split parts a subtree into the nodes before and after that of a slot. On
// average it goes down less than two levels.
func (w *Window) split(root, slot uint32) (before, after uint32) {
	if root == 0 {
		return 0, 0
	}
	n := &w.nodes[root]
	if w.before(root, slot) {
		n.right, after = w.split(n.right, slot)
		w.count(n)
		return root, after
	}
	before, n.left = w.split(n.left, slot)
	w.count(n)
	return before, root
}

// count computes the size of a subtree from its branches.
func (w *Window) count(n *node) { n.size = w.nodes[n.left].size + w.nodes[n.right].size + 1 }

// remove takes the node of a slot out of the tree.
func (w *Window) remove(slot uint32) {
	link := &w.root
	for *link != slot {
		above := &w.nodes[*link]
		above.size--
		if w.before(slot, *link) {
			link = &above.left
		} else {
			link = &above.right
		}
	}
	// Merge its branches.
	left, right := w.nodes[slot].left, w.nodes[slot].right
	for left != 0 && right != 0 {
		l, r := &w.nodes[left], &w.nodes[right]
		if l.priority >= r.priority {
			l.size += r.size
			*link, link, left = left, &l.right, l.right
		} else {
			r.size += l.size
			*link, link, right = right, &r.left, r.left
		}
	}
	*link = left | right
}
