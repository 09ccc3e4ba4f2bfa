package liveness

import (
	"math"
	"time"
)

// Defaults of several detectors.
const (
	defaultThreshold  = 8
	defaultWindow     = 1000
	defaultInterval   = time.Second
	defaultDeviations = 4 // as Jacobson has it
)

// or returns x, or a default if x was left out.
func or(x, otherwise float64) float64 {
	if unset(x) {
		return otherwise
	}
	return x
}

// unset reports whether a number in a config was left out. Negative zero was not.
func unset(x float64) bool { return x == 0 && !math.Signbit(x) }
