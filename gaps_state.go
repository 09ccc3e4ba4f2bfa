package liveness

import (
	"math"

	"example.com/liveness/internal/state"
)

// append saves the gaps in order of age, and what is remembered of outages.
func (g *gaps) append(e *state.Encoder) {
	state.AppendRow(e, g.learnt.Len(), g.learnt.All())
	g.outages.append(e, g.cut)
}

// gapsState is a saved state of gaps.
type gapsState struct {
	gaps    []int64
	outages outages
	cut     int64
}

func (saved *gapsState) read(d *state.Decoder, keep int) {
	saved.gaps = readGaps(d, keep)
	saved.outages, saved.cut = readOutages(d)
}

// restore takes over a state.
func (g *gaps) restore(saved *gapsState) {
	g.learnt.Reset()
	for _, gap := range saved.gaps {
		g.learnt.Add(gap)
	}
	g.outages, g.cut = saved.outages, saved.cut
}

// readGaps reads gaps between heartbeats, and returns the latest keep of them.
func readGaps(d *state.Decoder, keep int) []int64 {
	return d.Row("gaps", 1, math.MaxInt64, maxWindow, keep)
}
