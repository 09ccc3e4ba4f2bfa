package compat

import (
	"errors"
	"math"
	"strings"

	"example.com/liveness"
)

// names are the fields of a settings struct, by those of [liveness.PhiConfig]
// where they differ.
type names map[string]string

// newPhi is liveness.NewPhi with errors that name the field of the settings.
func newPhi(cfg liveness.PhiConfig, fields names) (*liveness.Phi, error) {
	d, err := liveness.NewPhi(cfg)
	if err == nil {
		return d, nil
	}
	field, problem, _ := strings.Cut(strings.TrimPrefix(err.Error(), "liveness: "), " ")
	if theirs, ok := fields[field]; ok {
		field = theirs
	}
	return nil, errors.New("compat: " + field + " " + problem)
}

// or returns x, or the default where x was left out. Negative zero was not.
func or(x, otherwise float64) float64 {
	if x == 0 && !math.Signbit(x) {
		return otherwise
	}
	return x
}
