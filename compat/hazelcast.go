package compat

import (
	"cmp"
	"time"

	"example.com/liveness"
)

// Hazelcast has the settings of Hazelcast's φ detector, which is a port of
// Akka's: the first three are hazelcast.heartbeat.phiaccrual.failuredetector.…,
// the others hazelcast.max.no.heartbeat.seconds and
// hazelcast.heartbeat.interval.seconds. Its φ is that of [Akka], with
// MaxNoHeartbeat for the pause: so no process is suspected before it.
//
// (Source: PhiAccrualClusterFailureDetector.java, which makes the detectors of
// PhiAccrualFailureDetector.java, ClusterProperty.java, and “Phi Accrual Failure
// Detector” in the manual, whose example has an interval of 1 s. The maximum was
// 300 s in old versions.)
type Hazelcast struct {
	// Threshold is the φ from which the process is suspected, above 0 and at
	// most 1e12. Zero means 10.
	Threshold float64

	// SampleSize is the number of gaps remembered, from 1 to 1048576. Zero
	// means 200.
	SampleSize int

	// MinStdDev is the least standard deviation, from 1 µs to 100 days. Zero
	// means 100 ms.
	MinStdDev time.Duration

	// MaxNoHeartbeat is added to the mean, from 1 µs, which is as good as
	// nothing, to 100 days. Zero means 60 s.
	MaxNoHeartbeat time.Duration

	// HeartbeatInterval is the period at which the process sends, from 1 µs to
	// 100 days: the gap expected at first. Zero means 5 s.
	HeartbeatInterval time.Duration
}

// PhiConfig returns the settings as those of a [liveness.Phi].
func (s Hazelcast) PhiConfig() liveness.PhiConfig {
	return Akka{
		Threshold:                or(s.Threshold, 10),
		MaxSampleSize:            cmp.Or(s.SampleSize, 200),
		MinStdDeviation:          s.MinStdDev,
		AcceptableHeartbeatPause: cmp.Or(s.MaxNoHeartbeat, time.Minute),
		FirstHeartbeatEstimate:   cmp.Or(s.HeartbeatInterval, 5*time.Second),
	}.PhiConfig()
}

// New returns a detector that has heard nothing yet. It returns an error that
// names the field, the value and the bound if a setting is out of range.
func (s Hazelcast) New() (*liveness.Phi, error) {
	return newPhi(s.PhiConfig(), names{
		"WindowSize":       "SampleSize",
		"AcceptablePause":  "MaxNoHeartbeat",
		"ExpectedInterval": "HeartbeatInterval",
	})
}
