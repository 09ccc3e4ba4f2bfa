package liveness_test

import (
	"testing"
	"time"

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
		{"Phi", phi(liveness.PhiConfig{})},
		{"Phi/gaussian tight", phi(liveness.PhiConfig{MinStdDev: interval / 20})},
		{"Phi/gaussian early", phi(liveness.PhiConfig{Threshold: 1, WindowSize: 50})},
		{"Phi/gaussian pause", phi(liveness.PhiConfig{Threshold: 3, AcceptablePause: 3 * interval})},
		{"Phi/exponential", phi(liveness.PhiConfig{Distribution: liveness.Exponential{}})},
		{"Phi/lognormal", phi(liveness.PhiConfig{Distribution: liveness.LogNormal{}})},
		{"Phi/lognormal tight", phi(liveness.PhiConfig{Distribution: liveness.LogNormal{}, MinRelStdDev: 0.05, Threshold: 12})},
		{"Phi/foreign", phi(liveness.PhiConfig{Distribution: weibull{}})},
	}
}
