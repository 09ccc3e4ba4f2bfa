package liveness

import (
	"fmt"

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

// stateNames has the names of the types.
var stateNames = map[stateKind]string{
	stateOfFixedTimeout: "FixedTimeout",
	stateOfChen:         "Chen",
	stateOfBertier:      "Bertier",
	stateOfTwoWindow:    "TwoWindow",
	stateOfRTO:          "RTO",
	stateOfQuantile:     "Quantile",
	stateOfSatzger:      "Satzger",
	stateOfPhi:          "Phi",
	stateOfLossAware:    "LossAware",
	stateOfWindow:       "Window",
}

// article returns the name after its article.
func (k stateKind) article() string {
	if k == stateOfRTO {
		return "an " + stateNames[k]
	}
	return "a " + stateNames[k]
}

// checkMade returns an error for a zero value.
func (k stateKind) checkMade(made bool) error {
	if made {
		return nil
	}
	return fmt.Errorf("liveness: %s not made by New%[1]s", stateNames[k])
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
	case ok && stateNames[stateKind(of)] == "":
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
