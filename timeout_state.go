package liveness

import "example.com/liveness/internal/state"

// AppendBinary implements [encoding.BinaryAppender]. A FixedTimeout learns
// nothing, so the state is an empty one.
func (d *FixedTimeout) AppendBinary(b []byte) ([]byte, error) {
	return stateOfFixedTimeout.encode(b, d.timeout > 0, func(*state.Encoder) {})
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [FixedTimeout.AppendBinary].
func (d *FixedTimeout) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]: it forgets the last
// heartbeat. With an error, which names what is wrong, the detector stays as it was.
func (d *FixedTimeout) UnmarshalBinary(data []byte) error {
	if err := stateOfFixedTimeout.decode(data, d.timeout > 0, func(*state.Decoder) {}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unheard()
	return nil
}
