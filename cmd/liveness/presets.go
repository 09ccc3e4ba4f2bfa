package main

import (
	"slices"

	"example.com/liveness/compat"
	"example.com/liveness/qos"
)

// presetNames are the systems whose settings phi can have.
var presetNames = []string{"akka", "cassandra", "hazelcast"}

const presetNote = `
-preset gives phi the law, the floor and the defaults of another system: akka (and Pekko; a cluster
has -pause 3s too), cassandra or hazelcast. -threshold, -window, -interval and -pause change its
settings. A detector with a law in its name, such as phi:lognormal, is not touched by it.
`

// withPreset adds -preset.
func (s *settings) withPreset() {
	s.flags.StringVar(&s.preset, "preset", "", "the `system` whose detector phi is to be: "+list(presetNames)+"; see below")
}

// checkPreset refuses flags that a preset leaves nothing to.
func (s *settings) checkPreset() error {
	if !s.flags.isSet("preset") {
		return nil
	}
	if !slices.Contains(presetNames, s.preset) {
		return usage("preset %q is unknown; there are %s", s.preset, list(presetNames))
	}
	fixed := []string{"law", "laws", "min-stddev"}
	if s.preset == "cassandra" { // t/mean has no room for one
		fixed = append(fixed, "pause")
	}
	for _, name := range fixed {
		if s.flags.isSet(name) {
			return usage("-%s and -preset %s exclude each other, got both", name, s.preset)
		}
	}
	if s.preset == "hazelcast" && s.flags.isSet("pause") && s.pause == 0 { // which it cannot be without
		return usage("-pause is 0s, want a duration from 1µs to 100 days")
	}
	return nil
}

// presetPhi returns what makes detectors of the preset, with the settings that were given.
func (s *settings) presetPhi() qos.Factory {
	switch s.preset {
	case "akka":
		return making(compat.Akka.New, compat.Akka{
			Threshold:                s.threshold,
			MaxSampleSize:            s.window,
			AcceptableHeartbeatPause: s.pause,
			FirstHeartbeatEstimate:   s.interval,
		})
	case "cassandra":
		return making(compat.Cassandra.New, compat.Cassandra{
			PhiConvictThreshold: s.threshold,
			SampleSize:          s.window,
			InitialValue:        s.interval,
		})
	}
	return making(compat.Hazelcast.New, compat.Hazelcast{
		Threshold:         s.threshold,
		SampleSize:        s.window,
		MaxNoHeartbeat:    s.pause,
		HeartbeatInterval: s.interval,
	})
}

// lawName is what stands for the law of a phi without one in its name.
func (s *settings) lawName() string {
	if s.preset != "" {
		return s.preset
	}
	return s.law
}
