package compat

import (
	"cmp"
	"fmt"
	"time"

	"example.com/liveness"
)

// Cassandra has the settings of Cassandra's φ detector: phi_convict_threshold of
// cassandra.yaml, the size of its window, which is fixed there, and the system
// properties cassandra.fd_initial_value_ms and cassandra.fd_max_interval_ms. Its φ
// is that of a [liveness.Exponential]:
//
//	φ(t) = 1/ln 10 · t/mean
//
// in which 1/ln 10 is PHI_FACTOR. (Source: FailureDetector.java, with the class
// ArrivalWindow.)
type Cassandra struct {
	// PhiConvictThreshold is the φ from which the process is suspected, above
	// 0 and at most 1e12. Zero means 8: 18.4 mean intervals.
	PhiConvictThreshold float64

	// SampleSize is the number of gaps remembered, from 1 to 1048576. Zero
	// means 1000.
	SampleSize int

	// InitialValue is the gap expected at first, from 1 µs to 100 days. Zero
	// means 2 s, twice the interval of gossip.
	InitialValue time.Duration

	// MaxInterval, from 1 µs to 100 days, is the longest gap that is learnt.
	// It bounds the mean, and so the detection time; a process that beats more
	// slowly is judged by InitialValue for good. Zero means InitialValue.
	MaxInterval time.Duration
}

// PhiConfig returns the settings as those of a [liveness.Phi], except MaxInterval,
// for which a Phi has its own rules: it learns gaps up to 18.4 mean intervals
// whole, and outages up to there.
func (s Cassandra) PhiConfig() liveness.PhiConfig {
	return liveness.PhiConfig{
		Threshold:        or(s.PhiConvictThreshold, 8),
		Distribution:     liveness.Exponential{},
		WindowSize:       cmp.Or(s.SampleSize, 1000),
		ExpectedInterval: cmp.Or(s.InitialValue, 2*time.Second),
		PriorWeight:      1,
	}
}

// New returns a detector that has heard nothing yet: a [liveness.Phi] to which
// gaps above MaxInterval teach nothing. It returns an error that names the field,
// the value and the bound if a setting is out of range.
func (s Cassandra) New() (liveness.Detector, error) {
	cfg := s.PhiConfig()
	phi, err := newPhi(cfg, names{
		"Threshold":        "PhiConvictThreshold",
		"WindowSize":       "SampleSize",
		"ExpectedInterval": "InitialValue",
	})
	if err != nil {
		return nil, err
	}
	limit := cmp.Or(s.MaxInterval, cfg.ExpectedInterval)
	if limit < time.Microsecond || limit > 100*24*time.Hour {
		return nil, fmt.Errorf("compat: MaxInterval is %v, want a duration from 1µs to 100 days", limit)
	}
	return &skipping{phi: phi, limit: limit}, nil
}
