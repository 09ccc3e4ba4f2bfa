package liveness

import (
	"math"
	"time"

	"example.com/liveness/internal/state"
)

// AppendBinary implements [encoding.BinaryAppender]: it appends the samples in
// order of age, in 1 to 10 bytes each, mostly 4.
func (w *Window) AppendBinary(b []byte) ([]byte, error) {
	return stateOfWindow.encode(b, len(w.ring) > 0, func(e *state.Encoder) {
		state.AppendRow(e, w.Len(), w.All())
	})
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Window.AppendBinary].
func (w *Window) MarshalBinary() ([]byte, error) { return w.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]: it replaces the samples
// of a window made by [NewWindow] by those that were saved, the latest ones if
// there are more than it can hold. With an error, it leaves them as they are.
func (w *Window) UnmarshalBinary(data []byte) error {
	var samples []int64
	if err := stateOfWindow.decode(data, len(w.ring) > 0, func(d *state.Decoder) {
		samples = d.Row("samples", math.MinInt64, math.MaxInt64, maxWindow, w.Cap())
	}); err != nil {
		return err
	}
	w.Reset()
	for _, x := range samples {
		w.Add(time.Duration(x))
	}
	return nil
}
