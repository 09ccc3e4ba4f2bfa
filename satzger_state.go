package liveness

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
	if err := d.gaps.unmarshal(data, stateOfSatzger, d.scale > 0); err != nil {
		return err
	}
	d.unheard()
	d.settle()
	return nil
}

// unheard makes it that no heartbeat was heard. It requires mu.
func (d *Satzger) unheard() {
	d.arrival.forget()
	d.due.store(never)
}
