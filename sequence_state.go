package liveness

import (
	"math"

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
