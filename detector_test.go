package liveness_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/livenesstest"
)

func TestConformance(t *testing.T) {
	const interval = time.Second
	for _, c := range detectors(t, interval) {
		t.Run(c.name, func(t *testing.T) {
			if err := livenesstest.TestDetector(interval, c.fresh); err != nil {
				t.Error(err)
			}
		})
	}
}

type named struct {
	name  string
	fresh func() liveness.Detector
}

// detectors returns every kind of detector, suited to a process that beats every interval.
func detectors(t testing.TB, interval time.Duration) []named {
	phi := func(cfg liveness.PhiConfig) func() liveness.Detector {
		cfg.ExpectedInterval = interval
		return func() liveness.Detector { return newPhi(t, cfg) }
	}
	return []named{
		{"FixedTimeout", func() liveness.Detector { return newFixed(t, 4*interval) }},
		{"Chen", func() liveness.Detector {
			return newChen(t, liveness.ChenConfig{Interval: interval, Margin: interval})
		}},
		{"Bertier", func() liveness.Detector { return newBertier(t, liveness.BertierConfig{Interval: interval}) }},
		{"TwoWindow", func() liveness.Detector {
			return newTwoWindow(t, liveness.TwoWindowConfig{Interval: interval, Margin: interval})
		}},
		{"TwoWindow/wide", func() liveness.Detector {
			return newTwoWindow(t, liveness.TwoWindowConfig{Interval: interval, Margin: interval, ShortWindow: 8, WindowSize: 100})
		}},
		{"RTO", func() liveness.Detector { return newRTO(t, liveness.RTOConfig{ExpectedInterval: interval}) }},
		{"RTO/tight", func() liveness.Detector {
			return newRTO(t, liveness.RTOConfig{ExpectedInterval: interval, MinTimeout: interval / 2})
		}},
		{"Quantile", func() liveness.Detector { return newQuantile(t, liveness.QuantileConfig{ExpectedInterval: interval}) }},
		{"Quantile/margin", func() liveness.Detector {
			return newQuantile(t, liveness.QuantileConfig{ExpectedInterval: interval, Quantile: 0.9, Factor: 1, Margin: interval / 2, WindowSize: 50})
		}},
		{"Satzger", func() liveness.Detector { return newSatzger(t, liveness.SatzgerConfig{ExpectedInterval: interval}) }},
		{"Satzger/scaled", func() liveness.Detector {
			return newSatzger(t, liveness.SatzgerConfig{ExpectedInterval: interval, ScalingFactor: 0.7, Threshold: 1, WindowSize: 200})
		}},
		{"Phi", phi(liveness.PhiConfig{})},
		{"Phi/empirical tight", phi(liveness.PhiConfig{MinStdDev: interval / 20})},
		{"Phi/empirical early", phi(liveness.PhiConfig{Threshold: 2, WindowSize: 200, MinStdDev: interval / 20, MinRelStdDev: 0.1})},
		{"Phi/empirical pause", phi(liveness.PhiConfig{Threshold: 3, AcceptablePause: 3 * interval})},
		{"Phi/gaussian", phi(liveness.PhiConfig{Distribution: liveness.Gaussian{}})},
		{"Phi/gaussian tight", phi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, MinStdDev: interval / 20})},
		{"Phi/gaussian early", phi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, Threshold: 1, WindowSize: 50})},
		{"Phi/gaussian pause", phi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, Threshold: 3, AcceptablePause: 3 * interval})},
		{"Phi/exponential", phi(liveness.PhiConfig{Distribution: liveness.Exponential{}})},
		{"Phi/lognormal", phi(liveness.PhiConfig{Distribution: liveness.LogNormal{}})},
		{"Phi/lognormal tight", phi(liveness.PhiConfig{Distribution: liveness.LogNormal{}, MinRelStdDev: 0.05, Threshold: 12})},
		{"Phi/foreign", phi(liveness.PhiConfig{Distribution: weibull{}})},
		{"Phi/logistic", phi(liveness.PhiConfig{Distribution: liveness.Logistic{}})},
		{"Phi/student", phi(liveness.PhiConfig{Distribution: liveness.StudentT{}})},
		{"Phi/student tight", phi(liveness.PhiConfig{Distribution: liveness.StudentT{}, MinStdDev: interval / 20, PriorWeight: 10})},
		{"Phi/logstudent", phi(liveness.PhiConfig{Distribution: liveness.LogStudentT{}})},
		{"Phi/lomax", phi(liveness.PhiConfig{Distribution: liveness.Lomax{}})},
		{"Phi/shifted", phi(liveness.PhiConfig{Distribution: liveness.ShiftedExponential{}})},
	}
}

// TestZeroValueOfOthers: it is unknown, and panics at a heartbeat, with no lock left behind.
func TestZeroValueOfOthers(t *testing.T) {
	for _, d := range []liveness.Detector{
		new(liveness.Bertier), new(liveness.TwoWindow), new(liveness.RTO), new(liveness.Quantile), new(liveness.Satzger),
	} {
		for range 2 {
			func() {
				defer func() { require.Contains(t, recover(), "not made by New", "%T", d) }()
				d.Heartbeat(t0)
			}()
			require.Zero(t, d.Suspicion(t0), "%T", d)
			require.False(t, liveness.Suspected(d, t0), "%T", d)
			require.True(t, d.Deadline(1).IsZero(), "%T", d)
		}
	}
	require.Zero(t, new(liveness.Satzger).Share(t0))
	require.Zero(t, new(liveness.Bertier).Margin())
}

// FuzzDetectors gives every kind of detector gaps of any length, forwards and
// backwards, and checks what has to hold whatever they are.
func FuzzDetectors(f *testing.F) {
	f.Add([]byte{100, 100, 101, 99, 100, 180, 100}, 1.0)
	f.Add([]byte{100, 255, 255, 255, 255, 100, 0, 1, 1, 1}, 8.0)
	f.Add([]byte{100, 100, 7, 8, 100, 250, 3, 200, 200, 200, 120}, 1e-3)
	f.Fuzz(func(t *testing.T, gaps []byte, level float64) {
		for _, c := range detectors(t, time.Second) {
			d := c.fresh()
			at := t0
			for i, b := range gaps {
				// From −10 years to 10 years, most of them some seconds.
				gap := seconds(math.Pow(math.Abs(float64(b)-50)/50, 12) * (1 + float64(i%7)/100))
				if b < 50 {
					gap = -gap
				}
				at = at.Add(gap)
				d.Heartbeat(at)
				last := d.Deadline(0)
				require.False(t, liveness.Suspected(d, last), "%s: suspected at its heartbeat", c.name)
				for _, level := range []float64{level, d.Threshold()} {
					due := d.Deadline(level)
					if level > 0 && due.Before(last.AddDate(200, 0, 0)) {
						require.True(t, due.After(last), "%s", c.name)
						require.GreaterOrEqual(t, d.Suspicion(due), level, "%s", c.name)
						require.Less(t, d.Suspicion(due.Add(-1)), level, "%s", c.name)
					}
				}
				for _, now := range []time.Time{last, last.Add(1), last.Add(time.Hour), last.AddDate(99, 0, 0)} {
					level := d.Suspicion(now)
					require.True(t, level >= 0 && level <= math.MaxFloat64, "%s: %v", c.name, level)
				}
			}
		}
	})
}
