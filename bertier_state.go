package liveness

import "example.com/liveness/internal/state"

// AppendBinary implements [encoding.BinaryAppender]: it appends delay and var, and
// what a [Chen] does, in 24 to 42 bytes.
func (d *Bertier) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfBertier.encode(b, d.interval > 0, func(e *state.Encoder) {
		d.append(e)
		e.Float(d.jacobson.delay)
		e.Float(d.jacobson.deviation)
	})
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Bertier.AppendBinary].
func (d *Bertier) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler], as [Chen.UnmarshalBinary]
// does, for a detector made by [NewBertier]. The margin follows from the delay and
// the var that were saved, by the weights and the least margin of this detector.
func (d *Bertier) UnmarshalBinary(data []byte) error {
	// An error is η + α at the most, and what it is apart from delay twice that.
	const most = 2 * float64(maxDuration)
	var saved sequenceState
	var delay, deviation float64
	if err := stateOfBertier.decode(data, d.interval > 0, func(s *state.Decoder) {
		saved.read(s)
		delay = s.Float("delay", -most, most)
		deviation = s.Float("var", 0, 2*most)
	}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.restore(saved)
	d.jacobson.delay, d.jacobson.deviation = delay, deviation
	d.margin = d.jacobson.margin()
	return nil
}
