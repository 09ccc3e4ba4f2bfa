package liveness

import (
	"math"
	"time"

	"example.com/liveness/internal/state"
)

// append saves what does not hang on the clock: the counts.
func (d *sequence) append(e *state.Encoder) {
	e.Uint(d.missed)
	e.Uint(d.ignored)
}

// sequenceState is a saved state of a sequence.
type sequenceState struct{ missed, ignored uint64 }

func (saved *sequenceState) read(d *state.Decoder) {
	saved.missed = d.Uint("number of missed heartbeats", 0, math.MaxUint64)
	saved.ignored = d.Uint("number of ignored heartbeats", 0, math.MaxUint64)
}

// restore takes over a state. It requires mu.
func (d *sequence) restore(saved sequenceState) {
	d.unheard()
	d.missed, d.ignored = saved.missed, saved.ignored
}

// unheard makes it that no heartbeat was heard: the next may have any number, and
// begins the schedule. It requires mu.
func (d *sequence) unheard() {
	d.arrival.forget()
	d.odd = 0
	d.due.store(never)
}

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

// unmarshal restores a state that has nothing but the counts.
func (d *sequence) unmarshal(data []byte, kind stateKind) error {
	var saved sequenceState
	if err := kind.decode(data, d.interval > 0, saved.read); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.restore(saved)
	return nil
}

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
	d.least.n = 0
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

// append saves what is known, without how the last heartbeat was: the first one
// that is heard again has arrived.
func (l *losses) append(e *state.Encoder) {
	for _, x := range [...]float64{l.arrived, l.begun, l.gone, l.continued} {
		e.Float(x)
	}
	e.Uint(l.since)
	e.Byte(l.outages)
}

func (l *losses) read(d *state.Decoder) {
	// The weights add up to one more than the window at the most, by rounding.
	l.arrived = d.Float("weight of heartbeats after one that arrived", 0, maxWindow+1)
	l.begun = d.Float("weight of the bursts begun", 0, l.arrived)
	l.gone = d.Float("weight of heartbeats after one that went missing", 0, burstWindow+1)
	l.continued = d.Float("weight of the bursts continued", 0, l.gone)
	l.since = d.Uint("number of heartbeats since an outage", 0, math.MaxUint64)
	l.outages = d.Byte("number of outages", outagesInARow)
}

// restore takes over what was saved.
func (l *losses) restore(saved *losses) {
	saved.keep, saved.window = l.keep, l.window
	if most := float64(l.window); saved.arrived > most+1 {
		saved.begun, saved.arrived = most*(saved.begun/saved.arrived), most
	}
	*l = *saved
}
