package liveness_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness"
)

func newRTO(t testing.TB, cfg liveness.RTOConfig) *liveness.RTO {
	t.Helper()
	return made(t, liveness.NewRTO, cfg)
}

// TestRTOVector runs the worked example of RFC 6298, once with its floor of 1 s,
// below which no gap is an outage, and once without a floor as far as that holds.
func TestRTOVector(t *testing.T) {
	floor := newRTO(t, liveness.RTOConfig{ExpectedInterval: time.Second, MinTimeout: time.Second})
	bare := newRTO(t, liveness.RTOConfig{ExpectedInterval: 100 * time.Millisecond, MinTimeout: time.Microsecond, Granularity: time.Microsecond})
	s, b := begin(t, floor), begin(t, bare)
	assert.Equal(t, 3.0, s.detection(1), "three times what is expected")
	for i, v := range []struct{ gap, srtt, rttvar, rto float64 }{
		{0.1, 0.1, 0.05, 0.3},
		{0.12, 0.1025, 0.0425, 0.2725},
		{0.09, 0.1009375, 0.035, 0.2409375},
		{0.3, 0.125820313, 0.076015625, 0.429882813},
		{0.1, 0.122592773, 0.063466797, 0.376459961},
	} {
		s.gaps(1, v.gap)
		srtt, rttvar := floor.Estimates()
		assert.InEpsilon(t, v.srtt, srtt.Seconds(), 1e-8, "SRTT after gap %d", i)
		assert.InEpsilon(t, v.rttvar, rttvar.Seconds(), 1e-8, "RTTVAR after gap %d", i)
		assert.InEpsilon(t, v.rto, srtt.Seconds()+4*rttvar.Seconds(), 1e-7, "RTO after gap %d", i)
		assert.Equal(t, 1.0, s.detection(1))
		if i < 3 {
			b.gaps(1, v.gap)
			assert.InEpsilon(t, v.rto, b.detection(1), 1e-8, "RTO after gap %d", i)
			assert.InEpsilon(t, 0.5, b.after(v.rto/2), 1e-8)
		}
	}
}

func TestRTOBounds(t *testing.T) {
	s := begin(t, newRTO(t, liveness.RTOConfig{})).gaps(500, 1)
	assert.Equal(t, 2.5, s.detection(1), "a lost heartbeat is no mistake")
	s = begin(t, newRTO(t, liveness.RTOConfig{MinTimeout: time.Millisecond})).gaps(500, 1)
	assert.InEpsilon(t, 1.1, s.detection(1), 1e-9, "the default granularity")
	s = begin(t, newRTO(t, liveness.RTOConfig{MinTimeout: time.Millisecond, Granularity: 30 * time.Millisecond})).gaps(500, 1)
	assert.InEpsilon(t, 1.03, s.detection(1), 1e-9)
	s = begin(t, newRTO(t, liveness.RTOConfig{MaxTimeout: 2 * time.Second}))
	assert.Equal(t, 2.0, s.detection(1))
	assert.Equal(t, 2.0, s.gaps(500, 1).detection(1), "the default of MinTimeout gives way")
}

// TestRTOOutages: one is bounded whatever its length, and a slower process is followed.
func TestRTOOutages(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, floor := range []time.Duration{0, time.Microsecond, 10 * time.Second} {
		for _, jitter := range []float64{0, 0.01, 0.3} {
			for _, n := range []int{0, 1, 2, 500} {
				s := begin(t, newRTO(t, liveness.RTOConfig{MinTimeout: floor}))
				for range n {
					s.gaps(1, 1+jitter*(rng.Float64()-0.5))
				}
				before := s.detection(1)
				assert.Less(t, s.gaps(1, 3600).detection(1), 1.9*before, "floor %v, jitter %v, %d gaps", floor, jitter, n)
			}
		}
	}

	s := begin(t, newRTO(t, liveness.RTOConfig{})).gaps(500, 1)
	mistakes := 0
	for range 500 {
		if s.suspected(5) {
			mistakes++
		}
		s.gaps(1, 5)
	}
	assert.Equal(t, 3, mistakes, "a process five times slower")
	assert.InEpsilon(t, 5.1, s.detection(1), 1e-6)
}

// TestRTOTeachesNothing: repeated heartbeats, and those out of order.
func TestRTOTeachesNothing(t *testing.T) {
	d := newRTO(t, liveness.RTOConfig{})
	s := begin(t, d).gaps(20, 1)
	srtt, rttvar := d.Estimates()
	s.gaps(10, 0)
	d.Heartbeat(s.last.Add(-time.Second))
	d.Heartbeat(s.last.Add(-time.Hour))
	r, v := d.Estimates()
	assert.Equal(t, []time.Duration{srtt, rttvar}, []time.Duration{r, v})
	assert.Equal(t, 2.5, s.detection(1))
	d.Heartbeat(s.last.Add(-time.Hour + time.Second))
	assert.Equal(t, s.last.Add(-time.Hour+3500*time.Millisecond), d.Deadline(1), "the clock was set back")
}

func TestRTOConfigErrors(t *testing.T) {
	for _, c := range []struct {
		cfg  liveness.RTOConfig
		want string
	}{
		{liveness.RTOConfig{ExpectedInterval: -1}, "liveness: ExpectedInterval is -1ns, want a duration from 1µs to 100 days"},
		{liveness.RTOConfig{ExpectedInterval: math.MaxInt64}, "liveness: ExpectedInterval is 2562047h47m16.854775807s, want a duration from 1µs to 100 days"},
		{liveness.RTOConfig{Deviations: math.NaN()}, "liveness: Deviations is NaN, want a finite number above 0, at most 100"},
		{liveness.RTOConfig{Granularity: 5}, "liveness: Granularity is 5ns, want a duration from 1µs to 100 days"},
		{liveness.RTOConfig{MinTimeout: -time.Second}, "liveness: MinTimeout is -1s, want a duration from 1µs to 100 days"},
		{liveness.RTOConfig{MaxTimeout: 101 * 24 * time.Hour}, "liveness: MaxTimeout is 2424h0m0s, want a duration from 1µs to 100 days"},
		{liveness.RTOConfig{MinTimeout: 3 * time.Second, MaxTimeout: time.Second}, "liveness: MaxTimeout is 1s, want at least MinTimeout, 3s"},
	} {
		d, err := liveness.NewRTO(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, d)
	}
	newRTO(t, liveness.RTOConfig{ExpectedInterval: 100 * 24 * time.Hour})
	newRTO(t, liveness.RTOConfig{ExpectedInterval: time.Microsecond})
	assert.PanicsWithValue(t, "liveness: RTO not made by NewRTO", func() { new(liveness.RTO).Heartbeat(t0) })
}
