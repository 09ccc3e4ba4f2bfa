package liveness

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
	if err := d.gaps.unmarshal(data, stateOfQuantile, d.factor > 0); err != nil {
		return err
	}
	d.unheard()
	d.settle()
	return nil
}
