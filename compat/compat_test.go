package compat_test

import (
	"encoding"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/compat"
	"example.com/liveness/livenesstest"
)

// anyDetector is what the New of each settings struct returns, as a Detector.
func anyDetector[D liveness.Detector](d D, err error) (liveness.Detector, error) {
	if err != nil {
		return nil, err
	}
	return d, nil
}

func TestContract(t *testing.T) {
	for name, c := range map[string]struct {
		interval time.Duration
		make     func() (liveness.Detector, error)
	}{
		"akka": {time.Second, func() (liveness.Detector, error) { return anyDetector(compat.Akka{}.New()) }},
		"akka cluster": {time.Second, func() (liveness.Detector, error) {
			return anyDetector(compat.Akka{AcceptableHeartbeatPause: 3 * time.Second}.New())
		}},
		"cassandra":        {time.Second, compat.Cassandra{}.New},
		"cassandra, small": {100 * time.Millisecond, compat.Cassandra{SampleSize: 4, InitialValue: 100 * time.Millisecond}.New},
		"hazelcast":        {5 * time.Second, func() (liveness.Detector, error) { return anyDetector(compat.Hazelcast{}.New()) }},
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t, livenesstest.TestDetector(c.interval, func() liveness.Detector {
				d, err := c.make()
				require.NoError(t, err)
				return d
			}))
		})
	}
}

func TestDefaults(t *testing.T) {
	const ms = time.Millisecond
	assert.Equal(t, liveness.PhiConfig{Threshold: 8, Distribution: liveness.Logistic{}, WindowSize: 1000, PriorWeight: 2,
		ExpectedInterval: time.Second, MinStdDev: 100 * ms}, compat.Akka{}.PhiConfig())
	assert.Equal(t, liveness.PhiConfig{Threshold: 8, Distribution: liveness.Exponential{}, WindowSize: 1000, PriorWeight: 1,
		ExpectedInterval: 2 * time.Second}, compat.Cassandra{}.PhiConfig())
	assert.Equal(t, liveness.PhiConfig{Threshold: 10, Distribution: liveness.Logistic{}, WindowSize: 200, PriorWeight: 2,
		ExpectedInterval: 5 * time.Second, MinStdDev: 100 * ms, AcceptablePause: time.Minute}, compat.Hazelcast{}.PhiConfig())
}

func TestErrors(t *testing.T) {
	const ms = time.Millisecond
	zero := math.Copysign(0, -1)
	for _, c := range []struct {
		settings interface{ PhiConfig() liveness.PhiConfig }
		want     string
	}{
		{compat.Akka{Threshold: -1}, "Threshold is -1, want a finite number above 0, at most 1e+12"},
		{compat.Akka{Threshold: zero}, "Threshold is -0, want "},
		{compat.Akka{MaxSampleSize: -1}, "MaxSampleSize is -1, want a number from 1 to 1048576"},
		{compat.Akka{MinStdDeviation: -ms}, "MinStdDeviation is -1ms, want 0 or a duration from 1µs to 100 days"},
		{compat.Akka{AcceptableHeartbeatPause: -ms}, "AcceptableHeartbeatPause is -1ms, want 0 or "},
		{compat.Akka{FirstHeartbeatEstimate: -ms}, "FirstHeartbeatEstimate is -1ms, want a duration"},
		{compat.Cassandra{PhiConvictThreshold: math.NaN()}, "PhiConvictThreshold is NaN, want "},
		{compat.Cassandra{SampleSize: 1 << 21}, "SampleSize is 2097152, want "},
		{compat.Cassandra{InitialValue: 200}, "InitialValue is 200ns, want "},
		{compat.Cassandra{MaxInterval: -ms}, "MaxInterval is -1ms, want a duration from 1µs to 100 days"},
		{compat.Cassandra{MaxInterval: 101 * 24 * time.Hour}, "MaxInterval is 2424h0m0s, want "},
		{compat.Hazelcast{Threshold: -1}, "Threshold is -1, want "},
		{compat.Hazelcast{SampleSize: -1}, "SampleSize is -1, want "},
		{compat.Hazelcast{MinStdDev: -ms}, "MinStdDev is -1ms, want "},
		{compat.Hazelcast{MaxNoHeartbeat: -ms}, "MaxNoHeartbeat is -1ms, want "},
		{compat.Hazelcast{HeartbeatInterval: -ms}, "HeartbeatInterval is -1ms, want "},
	} {
		var d liveness.Detector
		var err error
		switch s := c.settings.(type) {
		case compat.Akka:
			d, err = anyDetector(s.New())
		case compat.Cassandra:
			d, err = s.New()
		case compat.Hazelcast:
			d, err = anyDetector(s.New())
		}
		assert.ErrorContains(t, err, "compat: "+c.want)
		assert.Nil(t, d)
	}
}

func TestCassandraRestarts(t *testing.T) {
	old, err := compat.Cassandra{}.New()
	require.NoError(t, err)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 2000 {
		at = at.Add(time.Second)
		old.Heartbeat(at)
	}
	at = at.Add(time.Hour) // skipped
	old.Heartbeat(at)
	data, err := old.(encoding.BinaryMarshaler).MarshalBinary()
	require.NoError(t, err)
	restarted, err := compat.Cassandra{}.New()
	require.NoError(t, err)
	require.NoError(t, restarted.(encoding.BinaryUnmarshaler).UnmarshalBinary(data))
	require.True(t, restarted.Deadline(8).IsZero())
	restarted.Heartbeat(at)
	require.Equal(t, old.Deadline(8), restarted.Deadline(8))
	require.Error(t, restarted.(encoding.BinaryUnmarshaler).UnmarshalBinary(data[1:]))
	require.Equal(t, old.Deadline(8), restarted.Deadline(8))
}
