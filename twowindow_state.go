package liveness

// AppendBinary implements [encoding.BinaryAppender], as [Chen.AppendBinary] does.
func (d *TwoWindow) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfTwoWindow.encode(b, d.interval > 0, d.append)
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Chen.AppendBinary] does.
func (d *TwoWindow) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler], as [Chen.UnmarshalBinary]
// does, for a detector made by [NewTwoWindow].
func (d *TwoWindow) UnmarshalBinary(data []byte) error {
	return d.unmarshal(data, stateOfTwoWindow)
}
