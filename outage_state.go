package liveness

import (
	"math"

	"example.com/liveness/internal/state"
)

// append saves what is remembered of outages, and what one alone teaches. It
// leaves out what queued up in the last one: that was for another process to read.
func (o *outages) append(e *state.Encoder, cut int64) {
	e.Uint(uint64(o.since))
	if o.since < longAgo { // else cut is a matter of the next outage
		e.Uint(uint64(cut))
	}
	e.Byte(o.inARow)
	e.Byte(o.recent)
	e.Bool(o.died)
	e.Bool(o.reborn)
}

func readOutages(d *state.Decoder) (o outages, cut int64) {
	o.since = uint32(d.Uint("number of gaps since an outage", 0, longAgo))
	if o.since < longAgo {
		cut = int64(d.Uint("share of an outage", 1, math.MaxInt64))
	}
	o.inARow = d.Byte("number of outages in a row", outagesInARow+1)
	o.recent = d.Byte("number of recent outages", outagesInARow)
	o.died = d.Bool("death")
	o.reborn = d.Bool("rebirth")
	return o, cut
}
