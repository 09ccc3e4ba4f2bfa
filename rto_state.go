package liveness

import "example.com/liveness/internal/state"

// AppendBinary implements [encoding.BinaryAppender]: it appends SRTT and RTTVAR,
// in 23 bytes, or 7 if there was no gap yet.
func (d *RTO) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfRTO.encode(b, d.deviations > 0, func(e *state.Encoder) {
		e.Byte(byte(d.phase))
		if d.phase > rtoUntaught {
			e.Float(d.srtt)
			e.Float(d.rttvar)
		}
	})
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [RTO.AppendBinary].
func (d *RTO) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]: it replaces what a
// detector made by [NewRTO] has learnt by what was saved, and forgets the last
// heartbeat, as the package documentation describes. With an error, which names
// what is wrong, the detector stays as it was.
func (d *RTO) UnmarshalBinary(data []byte) error {
	const nothing, longest = 0x1p-1074, float64(maxDuration)
	phase, srtt, rttvar := rtoUntaught, 0.0, 0.0
	if err := stateOfRTO.decode(data, d.deviations > 0, func(s *state.Decoder) {
		phase = rtoPhase(s.Byte("phase", byte(rtoLearnt)))
		if phase > rtoUntaught {
			srtt = s.Float("SRTT", nothing, longest)
			rttvar = s.Float("RTTVAR", 0, longest)
		}
	}); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unheard()
	d.phase = phase
	if phase == rtoUntaught {
		d.begin(d.expected)
		return nil
	}
	d.srtt, d.rttvar = srtt, rttvar
	d.settle()
	return nil
}
