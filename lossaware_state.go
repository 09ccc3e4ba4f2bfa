package liveness

import (
	"time"

	"example.com/liveness/internal/state"
)

// AppendBinary implements [encoding.BinaryAppender]: it appends what is known of
// losses, the latest latenesses in order of age, mostly 4 bytes each, and what a
// [Chen] does. Heartbeats wait while it is copied.
func (d *LossAware) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfLossAware.encode(b, d.minStdDev > 0, func(e *state.Encoder) {
		d.append(e)
		state.AppendRow(e, d.late.Len(), d.late.All())
		d.losses.append(e)
	})
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [LossAware.AppendBinary].
func (d *LossAware) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler], as [Chen.UnmarshalBinary]
// does, for a detector made by [NewLossAware]. Of more latenesses than it has room
// for it takes the latest, without those of an interval or more; what is known of
// losses counts for no more heartbeats than it remembers.
func (d *LossAware) UnmarshalBinary(data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var (
		saved  sequenceState
		late   []int64
		losses losses
	)
	if err := stateOfLossAware.decode(data, d.minStdDev > 0, func(s *state.Decoder) {
		saved.read(s)
		late = s.Row("latenesses", -int64(maxDuration), int64(maxDuration), maxWindow, d.late.Cap())
		losses.read(s)
	}); err != nil {
		return err
	}
	d.unheard()
	d.restore(saved)
	d.late.Reset()
	d.least.reset()
	for _, x := range late {
		if -d.interval < x && x < d.interval {
			d.least.add(&d.late, time.Duration(x))
			d.late.Add(time.Duration(x))
		}
	}
	d.losses.restore(&losses)
	return nil
}

// unheard makes it that no heartbeat was heard. It requires mu.
func (d *LossAware) unheard() {
	d.sequence.unheard()
	d.fitted = false
	d.alarm.store(never)
}
