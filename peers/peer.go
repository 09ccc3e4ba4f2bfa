package peers

import (
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

// fresh gives p a detector that has heard nothing. Heartbeats on their way to the
// old one then have no say any more.
func (p *peer[K]) fresh(d liveness.Detector) {
	_, takesNumbers := d.(sequenced)
	rest := *p.rest
	p.detector, p.rest, p.wait, p.ease = d, &rest, 0, older+younger
	p.set(numbered, takesNumbers)
	p.set(steady, isSteady(d))
}
