package qos_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/qos"
)

func newNFDS(t *testing.T, margin time.Duration) *qos.NFDS {
	d, err := qos.NewNFDS(qos.NFDSConfig{Start: at(0), Interval: time.Second, Margin: margin})
	require.NoError(t, err)
	return d
}

func TestNFDSFreshnessPoints(t *testing.T) {
	d := newNFDS(t, 1500*time.Millisecond)
	assert.True(t, d.Deadline(1).IsZero())
	assert.Zero(t, d.Suspicion(at(100)))

	d.HeartbeatSeq(3, at(3.02))
	assert.Equal(t, at(5.5), d.Deadline(1)) // τ₄
	assert.Equal(t, at(4.75), d.Deadline(0.5))
	assert.Equal(t, at(3.02), d.Deadline(0))
	assert.Zero(t, d.Suspicion(at(4)))
	assert.Equal(t, 0.5, d.Suspicion(at(4.75)))
	assert.False(t, liveness.Suspected(d, at(5.5).Add(-1)))
	assert.True(t, liveness.Suspected(d, at(5.5)))

	d.HeartbeatSeq(2, at(5.6)) // old
	assert.Equal(t, at(5.5), d.Deadline(1))
	d.HeartbeatSeq(4, at(7)) // too late: τ₅ = 6.5 has passed
	assert.True(t, liveness.Suspected(d, at(7)))
	assert.Equal(t, at(7), d.Deadline(1))
	d.HeartbeatSeq(7, at(7.01))
	assert.False(t, liveness.Suspected(d, at(7.01)))

	d.Heartbeat(at(9.3)) // number 9
	assert.Equal(t, at(11.5), d.Deadline(1))
}

// Deadline is the inverse of Suspicion, to the nanosecond.
func TestNFDSDeadlineIsExact(t *testing.T) {
	for _, margin := range []time.Duration{time.Microsecond, 333333333, time.Hour} {
		d := newNFDS(t, margin)
		d.HeartbeatSeq(1, at(1))
		for level := 1e-3; level*float64(margin) < 1<<52; level *= 1.37 {
			deadline := d.Deadline(level)
			assert.GreaterOrEqual(t, d.Suspicion(deadline), level)
			assert.Less(t, d.Suspicion(deadline.Add(-1)), level)
		}
	}
}

func TestNFDSExtremes(t *testing.T) {
	d := newNFDS(t, time.Second)
	d.Heartbeat(at(-5))
	d.HeartbeatSeq(math.MaxUint64, at(1))
	for _, level := range []float64{1, 1e300, math.Inf(1), math.NaN()} {
		assert.True(t, d.Deadline(level).After(at(1e9)), "level %v", level)
	}
	assert.Zero(t, d.Suspicion(at(1e9)))
	for _, now := range []time.Time{{}, time.Unix(1<<60, 0)} {
		d.Heartbeat(now)
		assert.False(t, math.IsNaN(d.Suspicion(now)))
	}
}

func TestNFDSRefuses(t *testing.T) {
	_, err := qos.NewNFDS(qos.NFDSConfig{Interval: time.Second, Margin: time.Second})
	assert.EqualError(t, err, "qos: Start is the zero Time, want when heartbeat 0 is sent")
	_, err = qos.NewNFDS(qos.NFDSConfig{Start: at(0), Margin: time.Second})
	assert.ErrorContains(t, err, "qos: Interval is 0s, want a duration from 1µs to")
	_, err = qos.NewNFDS(qos.NFDSConfig{Start: at(0), Interval: time.Second, Margin: -1})
	assert.ErrorContains(t, err, "qos: Margin is -1ns, want a duration from 1µs to")
}
