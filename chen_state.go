package liveness

// AppendBinary implements [encoding.BinaryAppender]: it appends [Chen.Missed] and
// [Chen.Ignored], in 8 to 26 bytes, and that is all. What else a Chen has learnt
// is when the next heartbeat is due, which is an instant of a clock that may be
// another one when the state is restored.
func (d *Chen) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfChen.encode(b, d.interval > 0, d.append)
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Chen.AppendBinary].
func (d *Chen) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]: it replaces what a
// detector made by [NewChen] has learnt by what was saved, and forgets the last
// heartbeat, as the package documentation describes. With an error, which names
// what is wrong, the detector stays as it was.
//
// EA starts again with the next heartbeat, as after a shift. It is wrong by as
// much as that one's delay is from the mean, and after m heartbeats by 1/√m of
// what delays vary by: the deviations of old arrivals would not make it better,
// since from where they deviate is what is to be found out. The next heartbeat may
// have any number, so that a sender that was restarted too is heard; numbers that
// passed meanwhile are not missed.
func (d *Chen) UnmarshalBinary(data []byte) error {
	return d.unmarshal(data, stateOfChen)
}
