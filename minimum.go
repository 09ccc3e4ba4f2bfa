package liveness

import "time"

// minimum follows the least sample of a window in O(1) amortised: it keeps the
// places in the window of those samples that are less than all after them, the
// oldest and least first. It takes 4 bytes a sample.
type minimum struct {
	places  []uint32 // a ring
	head, n int
}

func makeMinimum(window int) minimum { return minimum{places: make([]uint32, window)} }

// add notes a sample that is about to be added to w.
func (m *minimum) add(w *Window, d time.Duration) {
	place := uint32(w.next)
	if w.isFull() && m.n > 0 && m.places[m.head] == place {
		m.n--
		if m.head++; m.head == len(m.places) {
			m.head = 0
		}
	}
	for m.n > 0 && w.ring[m.places[m.at(m.n-1)]] >= d {
		m.n--
	}
	m.places[m.at(m.n)] = place
	m.n++
}

// at returns where the i-th place is in the ring.
func (m *minimum) at(i int) int {
	if i += m.head; i >= len(m.places) {
		i -= len(m.places)
	}
	return i
}

// of returns the least sample of w, which is not empty.
func (m *minimum) of(w *Window) time.Duration { return w.ring[m.places[m.head]] }

// reset forgets the samples.
func (m *minimum) reset() { m.n = 0 }
