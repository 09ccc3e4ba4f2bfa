package main

import (
	"fmt"
	"slices"
	"strings"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// detectorNames are what there is.
var detectorNames = []string{"phi", "fixed", "chen", "bertier", "two-window", "rto", "quantile", "satzger", "loss-aware"}

// isChen reports whether a detector counts intervals, as chen does.
func isChen(name string) bool {
	return name == "chen" || name == "two-window" || name == "bertier" || name == "loss-aware"
}

// isPhi reports whether a detector's level is a φ, which promises a rate of mistakes.
func isPhi(name string) bool { return strings.HasPrefix(name, "phi") || name == "loss-aware" }

// suits refuses a series on which one of the detectors makes no sense.
func suits(which qos.Series, detectors ...string) error {
	if i := slices.IndexFunc(detectors, isChen); which == qos.Delay && i >= 0 {
		return fmt.Errorf("%s expects a heartbeat every -interval, which the series delay has not: take phi or fixed", detectors[i])
	}
	return nil
}

// detector returns what makes detectors of the given name, having made one.
func (s *settings) detector(name string) (qos.Factory, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	make, err := s.factory(name)
	if err != nil {
		return nil, err
	}
	if _, err := make(); err != nil {
		return nil, usage("%s: %s", name, reason(err))
	}
	return make, nil
}

// making returns what makes detectors of a configuration.
func making[C any, D liveness.Detector](make func(C) (D, error), cfg C) qos.Factory {
	return func() (liveness.Detector, error) { return make(cfg) }
}

func (s *settings) factory(name string) (qos.Factory, error) {
	kind, law, hasLaw := strings.Cut(name, ":")
	if !hasLaw {
		law = s.law
	}
	switch {
	case hasLaw && kind != "phi":
		return nil, usage("detector %q: only phi has a law", name)
	case (kind == "bertier" || kind == "loss-aware") && s.interval == 0:
		return nil, usage("%s needs -interval, the period at which the process sends", kind)
	case (kind == "chen" || kind == "two-window") && (s.interval == 0 || s.margin == 0):
		return nil, usage("%s needs -interval, the period at which the process sends, and -margin", kind)
	}
	switch kind {
	case "phi":
		if s.preset != "" && !hasLaw {
			return s.presetPhi(), nil
		}
		return s.phi(law)
	case "fixed":
		if s.timeout == 0 {
			return nil, usage("fixed needs -timeout")
		}
		return making(liveness.NewFixedTimeout, s.timeout), nil
	case "chen":
		return making(liveness.NewChen, liveness.ChenConfig{Interval: s.interval, Margin: s.margin, WindowSize: s.window}), nil
	case "bertier":
		return making(liveness.NewBertier, liveness.BertierConfig{Interval: s.interval, MinMargin: s.margin, WindowSize: s.window}), nil
	case "two-window":
		return making(liveness.NewTwoWindow, liveness.TwoWindowConfig{Interval: s.interval, Margin: s.margin, WindowSize: s.window}), nil
	case "rto":
		return making(liveness.NewRTO, liveness.RTOConfig{ExpectedInterval: s.interval, Granularity: s.margin, MinTimeout: s.timeout}), nil
	case "quantile":
		return making(liveness.NewQuantile, liveness.QuantileConfig{Quantile: float64(s.quantile), Margin: s.margin, WindowSize: s.window, ExpectedInterval: s.interval}), nil
	case "satzger":
		return making(liveness.NewSatzger, liveness.SatzgerConfig{Threshold: s.threshold, ScalingFactor: s.scale, WindowSize: s.window, ExpectedInterval: s.interval}), nil
	case "loss-aware":
		return making(liveness.NewLossAware, liveness.LossAwareConfig{Interval: s.interval, Threshold: s.threshold, WindowSize: s.window, MinStdDev: s.floor}), nil
	}
	return nil, usage("detector %q is unknown; there are %s", kind, list(detectorNames))
}

func (s *settings) phi(name string) (qos.Factory, error) {
	law, err := lawOf(name)
	if err != nil {
		return nil, err
	}
	return making(liveness.NewPhi, liveness.PhiConfig{
		Threshold:        s.threshold,
		Distribution:     law,
		WindowSize:       s.window,
		ExpectedInterval: s.interval,
		MinStdDev:        s.floor,
		AcceptablePause:  s.pause,
	}), nil
}
