package liveness

import (
	"time"

	"example.com/liveness/internal/state"
	"example.com/liveness/internal/tiers"
)

// lawCodes has what stands for each kind of law. The values are part of the format.
var lawCodes = [foreign + 1]byte{
	gaussian:           1,
	exponential:        2,
	logNormal:          3,
	logistic:           4,
	studentT:           5,
	logStudentT:        6,
	lomax:              7,
	shiftedExponential: 8,
	empirical:          9,
	foreign:            255,
}

// AppendBinary implements [encoding.BinaryAppender]: it appends what was learnt,
// which is
//
//   - the gaps in the window in order of age, mostly 4 bytes each;
//   - for an [Empirical] law, of which there are only the latest 200, also the
//     level, the ratios of all three tiers in order of age, 4 bytes each, and the
//     corrections;
//   - what is remembered of outages, but not what queued up in the last one.
//
// With a window of 1000 that is some 4 KB, or 8 KB with an Empirical law.
// Heartbeats wait while it is copied. See the package documentation for what
// is not saved.
func (d *Phi) AppendBinary(b []byte) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return stateOfPhi.encode(b, d.settings != nil, func(e *state.Encoder) {
		e.Byte(lawCodes[d.kind])
		state.AppendRow(e, d.window.Len(), d.window.All())
		d.outages.append(e, d.cut)
		if d.kind == empirical {
			d.more.ratios.Append(e)
		}
	})
}

// MarshalBinary implements [encoding.BinaryMarshaler], as [Phi.AppendBinary].
func (d *Phi) MarshalBinary() ([]byte, error) { return d.AppendBinary(nil) }

// UnmarshalBinary implements [encoding.BinaryUnmarshaler]: it replaces what a
// detector made by [NewPhi] has learnt by what was saved, and forgets the last
// heartbeat, as the package documentation describes. With an error, which names
// what is wrong, the detector stays as it was.
//
// Of more gaps or ratios than it has room for it takes the latest. Saved with
// another law, it takes the gaps alone; those of an [Empirical] law are 200 at
// most. Two laws that are not of this package pass for the same.
func (d *Phi) UnmarshalBinary(data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var saved phiState
	if err := stateOfPhi.decode(data, d.settings != nil, func(s *state.Decoder) {
		saved.read(s, d)
	}); err != nil {
		return err
	}
	d.restore(&saved)
	return nil
}

// phiState is a saved state of a Phi.
type phiState struct {
	gaps    []int64
	same    bool // its law is that of the receiver, and what follows is meant for that
	outages outages
	cut     int64
	tiers   *tiers.Law
}

func (saved *phiState) read(s *state.Decoder, d *Phi) {
	keep := d.window.Cap()
	if d.kind == empirical {
		keep = max(keep, d.more.ratios.Size())
	}
	code := s.Byte("law", lawCodes[foreign])
	s.Check(code == lawCodes[foreign] || 1 <= code && code <= lawCodes[empirical], "unknown law %d", code)
	saved.same = code == lawCodes[d.kind]
	saved.gaps = readGaps(s, keep)
	saved.outages, saved.cut = readOutages(s)
	switch {
	case code != lawCodes[empirical]:
	case saved.same:
		saved.tiers = tiers.Read(s, d.more.ratios.Size())
	default:
		tiers.Read(s, 0) // for its errors
	}
}

// restore takes over a state. It requires mu.
func (d *Phi) restore(saved *phiState) {
	d.unheard()
	d.fitted = false
	d.window.Reset()
	d.outages, d.cut = outages{since: longAgo}, 0
	if saved.same {
		d.outages, d.cut = saved.outages, saved.cut
	}
	if d.kind == foreign {
		d.more = &more{family: d.more.family} // who is fitting it knows by this
	}
	if d.more != nil {
		d.more.reset()
	}
	for _, gap := range saved.gaps {
		if d.more != nil && saved.tiers == nil {
			d.more.learn(d.kind, &d.window, minus(gap, d.pause), gap, false, false)
		}
		d.window.Add(time.Duration(gap))
	}
	if saved.tiers != nil {
		d.more.ratios.Law = saved.tiers
	}
}

// unheard makes it that no heartbeat was heard. It requires mu.
func (d *Phi) unheard() {
	d.arrival.forget()
	d.forget()
}
