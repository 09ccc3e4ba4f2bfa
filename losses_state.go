package liveness

import (
	"math"

	"example.com/liveness/internal/state"
)

// append saves what is known, without how the last heartbeat was: the first one
// that is heard again has arrived.
func (l *losses) append(e *state.Encoder) {
	for _, x := range [...]float64{l.arrived, l.begun, l.gone, l.continued} {
		e.Float(x)
	}
	e.Uint(l.since)
	e.Byte(l.outages)
}

func (l *losses) read(d *state.Decoder) {
	// The weights add up to one more than the window at the most, by rounding.
	l.arrived = d.Float("weight of heartbeats after one that arrived", 0, maxWindow+1)
	l.begun = d.Float("weight of the bursts begun", 0, l.arrived)
	l.gone = d.Float("weight of heartbeats after one that went missing", 0, burstWindow+1)
	l.continued = d.Float("weight of the bursts continued", 0, l.gone)
	l.since = d.Uint("number of heartbeats since an outage", 0, math.MaxUint64)
	l.outages = d.Byte("number of outages", outagesInARow)
}

// restore takes over what was saved.
func (l *losses) restore(saved *losses) {
	saved.keep, saved.window = l.keep, l.window
	if most := float64(l.window); saved.arrived > most+1 {
		saved.begun, saved.arrived = most*(saved.begun/saved.arrived), most
	}
	*l = *saved
}
