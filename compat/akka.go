package compat

import (
	"cmp"
	"time"

	"example.com/liveness"
)

// Akka has the settings of the φ detector of Akka, Pekko and Akka.NET, by the
// names of its constructor; those of the configuration are in the package
// documentation. Its φ is that of a [liveness.Logistic]:
//
//	φ(t) = log10(1 + e^(z·(1.5976 + 0.070566·z²))),  z = (t − pause − mean)/stdDev
//
// The defaults are those of akka.remote.PhiAccrualFailureDetector where it is
// used alone, and of a cluster but for the pause:
//
//	                                    threshold  samples  deviation  pause
//	the zero value                      8          1000     100 ms     none
//	akka.cluster.failure-detector       8          1000     100 ms     3 s
//	akka.remote.watch-failure-detector  10         200      100 ms     10 s
//
// (Source: PhiAccrualFailureDetector.scala, and reference.conf of akka-cluster
// and akka-remote.)
type Akka struct {
	// Threshold is the φ from which the process is suspected, above 0 and at
	// most 1e12. Zero means 8.
	Threshold float64

	// MaxSampleSize is the number of gaps remembered, from 1 to 1048576. Zero
	// means 1000.
	MaxSampleSize int

	// MinStdDeviation is the least standard deviation, from 1 µs to 100 days.
	// Zero means 100 ms.
	MinStdDeviation time.Duration

	// AcceptableHeartbeatPause, up to 100 days, is added to the mean. Zero
	// means none; a cluster's is 3 s, and that of a remote death watch 10 s.
	AcceptableHeartbeatPause time.Duration

	// FirstHeartbeatEstimate is the gap expected at first, from 1 µs to 100
	// days: the period at which the process sends. Zero means 1 s.
	FirstHeartbeatEstimate time.Duration
}

// PhiConfig returns the settings as those of a [liveness.Phi].
func (s Akka) PhiConfig() liveness.PhiConfig {
	return liveness.PhiConfig{
		Threshold:        or(s.Threshold, 8),
		Distribution:     liveness.Logistic{},
		WindowSize:       cmp.Or(s.MaxSampleSize, 1000),
		ExpectedInterval: cmp.Or(s.FirstHeartbeatEstimate, time.Second),
		PriorWeight:      2, // theirs are two samples, at ¾ and 1¼ of the estimate
		MinStdDev:        cmp.Or(s.MinStdDeviation, 100*time.Millisecond),
		AcceptablePause:  s.AcceptableHeartbeatPause,
	}
}

// New returns a detector that has heard nothing yet. It returns an error that
// names the field, the value and the bound if a setting is out of range.
func (s Akka) New() (*liveness.Phi, error) {
	return newPhi(s.PhiConfig(), names{
		"WindowSize":       "MaxSampleSize",
		"MinStdDev":        "MinStdDeviation",
		"AcceptablePause":  "AcceptableHeartbeatPause",
		"ExpectedInterval": "FirstHeartbeatEstimate",
	})
}
