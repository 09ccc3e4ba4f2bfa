package liveness

import "example.com/liveness/internal/state"

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

// AppendBinary implements [encoding.BinaryAppender]: it appends what was learnt,
// which is the gaps in the window in order of age, mostly 4 bytes each, and what
// is remembered of outages, but not what queued up in the last one. Heartbeats
// wait while it is copied.
func (d *Quantile) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfQuantile.encode(b, d.factor > 0, d.gaps.append)
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Quantile.AppendBinary].
func (d *Quantile) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]: it replaces what a
// detector made by [NewQuantile] has learnt by what was saved, the latest gaps if
// there are more than it has room for, and forgets the last heartbeat, as the
// package documentation describes. With an error, which names what is wrong, the
// detector stays as it was.
func (d *Quantile) UnmarshalBinary(data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var saved gapsState
	if err := stateOfQuantile.decode(data, d.factor > 0, func(s *state.Decoder) {
		saved.read(s, d.gaps.learnt.Cap())
	}); err != nil {
		return err
	}
	d.unheard()
	d.gaps.restore(&saved)
	d.settle()
	return nil
}

// AppendBinary implements [encoding.BinaryAppender], as [Quantile.AppendBinary] does.
func (d *Satzger) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfSatzger.encode(b, d.scale > 0, d.gaps.append)
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Quantile.AppendBinary] does.
func (d *Satzger) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler], as
// [Quantile.UnmarshalBinary] does for a detector made by [NewSatzger].
func (d *Satzger) UnmarshalBinary(data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var saved gapsState
	if err := stateOfSatzger.decode(data, d.scale > 0, func(s *state.Decoder) {
		saved.read(s, d.gaps.learnt.Cap())
	}); err != nil {
		return err
	}
	d.unheard()
	d.gaps.restore(&saved)
	d.settle()
	return nil
}

// unheard makes it that no heartbeat was heard. It requires mu.
func (d *Satzger) unheard() {
	d.arrival.forget()
	d.due.store(never)
}
