package liveness

import (
	"fmt"
	"math"

	"example.com/liveness/internal/state"
)

// A stateKind says whose state follows. The values are part of the format.
type stateKind byte

const (
	stateOfFixedTimeout stateKind = 'F'
	stateOfChen         stateKind = 'C'
	stateOfBertier      stateKind = 'B'
	stateOfTwoWindow    stateKind = '2'
	stateOfRTO          stateKind = 'R'
	stateOfQuantile     stateKind = 'Q'
	stateOfSatzger      stateKind = 'S'
	stateOfPhi          stateKind = 'P'
	stateOfLossAware    stateKind = 'L'
	stateOfWindow       stateKind = 'W'
)

// stateVersion is the version of all kinds: see testdata/state_v1.txt.
const stateVersion = 1

// name returns the name of the type, "" for none.
func (k stateKind) name() string {
	switch k {
	case stateOfFixedTimeout:
		return "FixedTimeout"
	case stateOfChen:
		return "Chen"
	case stateOfBertier:
		return "Bertier"
	case stateOfTwoWindow:
		return "TwoWindow"
	case stateOfRTO:
		return "RTO"
	case stateOfQuantile:
		return "Quantile"
	case stateOfSatzger:
		return "Satzger"
	case stateOfPhi:
		return "Phi"
	case stateOfLossAware:
		return "LossAware"
	case stateOfWindow:
		return "Window"
	}
	return ""
}

// article returns the name after its article.
func (k stateKind) article() string {
	if k == stateOfRTO {
		return "an " + k.name()
	}
	return "a " + k.name()
}

// checkMade returns an error for a zero value.
func (k stateKind) checkMade(made bool) error {
	if made {
		return nil
	}
	return fmt.Errorf("liveness: %s not made by New%[1]s", k.name())
}

// encode appends a state to b: its body is what write writes.
func (k stateKind) encode(b []byte, made bool, write func(*state.Encoder)) ([]byte, error) {
	if err := k.checkMade(made); err != nil {
		return b, err
	}
	e := state.Begin(b, byte(k), stateVersion)
	write(&e)
	return e.Seal(), nil
}

// decode has read read the body of a state, and returns an error if that, or
// what is round it, is not as it should be.
func (k stateKind) decode(data []byte, made bool, read func(*state.Decoder)) error {
	if err := k.checkMade(made); err != nil {
		return err
	}
	switch of, ok := state.Kind(data); {
	case ok && stateKind(of).name() == "":
		return fmt.Errorf("liveness: state of nothing known, want one of %s", k.article())
	case ok && stateKind(of) != k:
		return fmt.Errorf("liveness: state of %s, want one of %s", stateKind(of).article(), k.article())
	}
	d := state.Open(data, stateVersion)
	read(d)
	if err := d.Close(); err != nil {
		return fmt.Errorf("liveness: state of %s: %w", k.article(), err)
	}
	return nil
}

// readGaps reads gaps between heartbeats, and returns the latest keep of them.
func readGaps(d *state.Decoder, keep int) []int64 {
	return d.Row("gaps", 1, math.MaxInt64, maxWindow, keep)
}

// append saves what is remembered of outages, and what one alone teaches. It
// leaves out what queued up in the last one: that was for another process to read.
func (o *outages) append(e *state.Encoder, cut int64) {
	e.Uint(uint64(o.since))
	if o.since < longAgo { // else cut is a matter of the next outage
		e.Uint(uint64(cut))
	}
	e.Byte(o.inARow)
	e.Byte(o.recent)
	e.Bool(o.died)
	e.Bool(o.reborn)
}

func readOutages(d *state.Decoder) (o outages, cut int64) {
	o.since = uint32(d.Uint("number of gaps since an outage", 0, longAgo))
	if o.since < longAgo {
		cut = int64(d.Uint("share of an outage", 1, math.MaxInt64))
	}
	o.inARow = d.Byte("number of outages in a row", outagesInARow+1)
	o.recent = d.Byte("number of recent outages", outagesInARow)
	o.died = d.Bool("death")
	o.reborn = d.Bool("rebirth")
	return o, cut
}

// forget makes it that no heartbeat was heard. The instant stays: whoever has
// begun to ask about it, and waits for a foreign law, is answered about it.
func (a *arrival) forget() { a.count = 0 }
