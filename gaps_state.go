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

// unmarshal takes over a saved state of the given kind, which is that of g's detector.
func (g *gaps) unmarshal(data []byte, kind stateKind, made bool) error {
	var (
		learnt  []int64
		outages outages
		cut     int64
	)
	if err := kind.decode(data, made, func(d *state.Decoder) {
		learnt = readGaps(d, g.learnt.Cap())
		outages, cut = readOutages(d)
	}); err != nil {
		return err
	}
	g.learnt.Reset()
	for _, gap := range learnt {
		g.learnt.Add(gap)
	}
	g.outages, g.cut = outages, cut
	return nil
}

// readGaps reads gaps between heartbeats, and returns the latest keep of them.
func readGaps(d *state.Decoder, keep int) []int64 {
	return d.Row("gaps", 1, math.MaxInt64, maxWindow, keep)
}
