package peers

import (
	"cmp"
	"slices"

	"example.com/liveness"
)

// slots is a set of subscriptions. Slot 0 is the monitor itself, which judges
// by the threshold of the peer's detector.
type slots uint32

// roster is the subscriptions of a monitor. It is never changed.
type roster[K comparable] struct {
	subs   []*Subscription[K]
	levels []level // rising
	all    slots   // slot 0 included
	own    slots   // those with the threshold of the detector
	picky  bool    // one wants several heartbeats in a row
}

type level struct {
	threshold float64
	slots     slots
}

func newRoster[K comparable](subs []*Subscription[K]) *roster[K] {
	r := &roster[K]{subs: subs, all: 1, own: 1}
	for _, s := range subs {
		bit := slots(1) << s.slot
		r.all |= bit
		r.picky = r.picky || s.cfg.TrustAfter > 1
		if s.cfg.Threshold == 0 {
			r.own |= bit
			continue
		}
		i, found := slices.BinarySearchFunc(r.levels, s.cfg.Threshold, func(l level, t float64) int { return cmp.Compare(l.threshold, t) })
		if !found {
			r.levels = slices.Insert(r.levels, i, level{threshold: s.cfg.Threshold})
		}
		r.levels[i].slots |= bit
	}
	return r
}

// rising calls f with the thresholds that a peer with the given detector has yet
// to reach, the lowest first, until f returns false. It calls foreign code.
func (r *roster[K]) rising(d liveness.Detector, suspected slots, f func(threshold float64, who slots) bool) {
	own := r.own &^ suspected
	threshold := 0.0
	if own != 0 {
		threshold = d.Threshold()
	}
	for _, l := range r.levels {
		if own != 0 && threshold <= l.threshold {
			if !f(threshold, own) {
				return
			}
			own = 0
		}
		if who := l.slots &^ suspected; who != 0 && !f(l.threshold, who) {
			return
		}
	}
	if own != 0 {
		f(threshold, own)
	}
}

// tell sends an event to the subscriptions of a set.
func (r *roster[K]) tell(who slots, e Event[K]) {
	for _, s := range r.subs {
		if who&(1<<s.slot) != 0 {
			s.push(e)
		}
	}
}
