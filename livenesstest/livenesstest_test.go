package livenesstest_test

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/liveness"
	"example.com/liveness/livenesstest"
)

// A check that cannot fail is worth nothing: each of these breaks one rule, and
// the kit must say which.

type brokenLaw struct {
	liveness.Gaussian
	phi      func(g liveness.Gaussian, x float64) float64
	quantile func(g liveness.Gaussian, phi float64) float64
}

func (b brokenLaw) Fit(s liveness.Stats) liveness.Distribution {
	b.Gaussian = liveness.Gaussian{Mean: s.Mean, StdDev: s.StdDev}
	return b
}

func (b brokenLaw) Phi(x float64) float64 {
	if b.phi != nil {
		return b.phi(b.Gaussian, x)
	}
	return b.Gaussian.Phi(x)
}

func (b brokenLaw) Quantile(phi float64) float64 {
	if b.quantile != nil {
		return b.quantile(b.Gaussian, phi)
	}
	return b.Gaussian.Quantile(phi)
}

// sharing keeps its fitted state in common.
type sharing struct{ *liveness.Gaussian }

func (s sharing) Fit(st liveness.Stats) liveness.Distribution {
	*s.Gaussian = liveness.Gaussian{Mean: st.Mean, StdDev: st.StdDev}
	return s
}

func TestBrokenLawsAreFound(t *testing.T) {
	type gaussian = liveness.Gaussian
	for rule, law := range map[string]liveness.Distribution{
		"finite": brokenLaw{phi: func(g gaussian, x float64) float64 { // from a probability
			return -math.Log10(0.5 * math.Erfc((x-g.Mean)/(g.StdDev*math.Sqrt2)))
		}},
		"grows without bound": brokenLaw{phi: func(g gaussian, x float64) float64 { return min(g.Phi(x), 100) }},
		"never falls":         brokenLaw{phi: func(g gaussian, x float64) float64 { return max(0, g.Phi(x)*(1+1e-6*math.Sin(x*1e6/g.Mean))) }},
		"not below 0":         brokenLaw{phi: func(g gaussian, x float64) float64 { return g.Phi(x) - 1 }},
		"quantile inverts":    brokenLaw{quantile: func(g gaussian, phi float64) float64 { return g.Quantile(phi) * (1 + 1e-9) }},
		"quantile is a number": brokenLaw{quantile: func(g gaussian, phi float64) float64 {
			if phi > 8 {
				return math.NaN()
			}
			return g.Quantile(phi)
		}},
		"no panic":             brokenLaw{phi: func(gaussian, float64) float64 { panic("broken") }},
		"fit leaves others":    sharing{&gaussian{}},
		"lies where the gaps":  brokenLaw{phi: func(g gaussian, x float64) float64 { return g.Phi(x / 10) }, quantile: func(g gaussian, phi float64) float64 { return 10 * g.Quantile(phi) }},
		"quantile never falls": brokenLaw{quantile: func(g gaussian, phi float64) float64 { return -g.Quantile(phi) }},
	} {
		if _, ok := law.(sharing); ok && raceEnabled {
			continue // sharing is a data race, which the race detector reports before the kit does
		}
		err := livenesstest.TestDistribution(law)
		if err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("a law that breaks %q: %v", rule, err)
		}
	}
}

// broken is a fixed timeout with one method replaced.
type broken struct {
	*liveness.FixedTimeout
	heartbeat func(d liveness.Detector, at time.Time)
	suspicion func(d liveness.Detector, now time.Time) float64
	deadline  func(d liveness.Detector, level float64) time.Time
}

func (b *broken) Heartbeat(at time.Time) {
	if b.heartbeat != nil {
		b.heartbeat(b.FixedTimeout, at)
		return
	}
	b.FixedTimeout.Heartbeat(at)
}

func (b *broken) Suspicion(now time.Time) float64 {
	if b.suspicion != nil {
		return b.suspicion(b.FixedTimeout, now)
	}
	return b.FixedTimeout.Suspicion(now)
}

func (b *broken) Deadline(level float64) time.Time {
	if b.deadline != nil {
		return b.deadline(b.FixedTimeout, level)
	}
	return b.FixedTimeout.Deadline(level)
}

func TestBrokenDetectorsAreFound(t *testing.T) {
	var sink [][]byte
	for rule, b := range map[string]func() broken{
		"unknown is not suspected": func() broken {
			return broken{suspicion: func(d liveness.Detector, now time.Time) float64 { return max(d.Suspicion(now), 1) }}
		},
		"no deadline before": func() broken {
			return broken{deadline: func(d liveness.Detector, level float64) time.Time { return d.Deadline(level).Add(1) }}
		},
		"grows without bound": func() broken {
			return broken{suspicion: func(d liveness.Detector, now time.Time) float64 { return min(d.Suspicion(now), 50) }}
		},
		"never falls": func() broken {
			return broken{suspicion: func(d liveness.Detector, now time.Time) float64 {
				level := d.Suspicion(now)
				return level - float64(now.Nanosecond()%2)*min(level/2, 1e-6)
			}}
		},
		"finite and not below 0": func() broken {
			return broken{suspicion: func(d liveness.Detector, now time.Time) float64 { return math.Exp(100 * d.Suspicion(now)) }}
		},
		"deadline inverts": func() broken {
			return broken{deadline: func(d liveness.Detector, level float64) time.Time {
				due := d.Deadline(level)
				if due.IsZero() || level <= 0 {
					return due
				}
				return due.Add(1)
			}}
		},
		"asking changes nothing": func() broken {
			asked := 0.0
			return broken{suspicion: func(d liveness.Detector, now time.Time) float64 {
				asked += 1e-9
				return d.Suspicion(now) + asked*min(d.Suspicion(now), 1)
			}}
		},
		"a heartbeat ends suspicion": func() broken {
			var latched bool
			return broken{suspicion: func(d liveness.Detector, now time.Time) float64 {
				level := d.Suspicion(now)
				latched = latched || level > 50
				if latched {
					return max(level, 50)
				}
				return level
			}}
		},
		"a clock set back": func() broken {
			var newest time.Time
			return broken{heartbeat: func(d liveness.Detector, at time.Time) {
				if at.After(newest) {
					newest = at
					d.Heartbeat(at)
				}
			}}
		},
		"a stray heartbeat": func() broken {
			return broken{heartbeat: func(d liveness.Detector, at time.Time) {
				d.Heartbeat(at) // twice, so that it counts as a clock set back
				d.Heartbeat(at)
			}}
		},
		"no allocations": func() broken {
			return broken{heartbeat: func(d liveness.Detector, at time.Time) {
				sink = append(sink[:0], make([]byte, 64))
				d.Heartbeat(at)
			}}
		},
		"no panic": func() broken {
			return broken{heartbeat: func(liveness.Detector, time.Time) { panic("broken") }}
		},
	} {
		var mu sync.Mutex // the broken parts are not safe for concurrent use
		err := livenesstest.TestDetector(time.Second, func() liveness.Detector {
			fixed, err := liveness.NewFixedTimeout(4 * time.Second)
			if err != nil {
				t.Fatal(err)
			}
			d := b()
			d.FixedTimeout = fixed
			return &serial{&mu, &d}
		})
		if err == nil || !strings.Contains(err.Error(), rule) {
			t.Errorf("a detector that breaks %q: %v", rule, err)
		}
	}
}

// serial lets one caller at a time into a detector.
type serial struct {
	mu *sync.Mutex
	liveness.Detector
}

func (s *serial) Heartbeat(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Detector.Heartbeat(at)
}

func (s *serial) Suspicion(now time.Time) float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Detector.Suspicion(now)
}

func (s *serial) Deadline(level float64) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Detector.Deadline(level)
}

// Does my detector keep the contract? In your test, report the error by t.Error.
func ExampleTestDetector() {
	err := livenesstest.TestDetector(time.Second, func() liveness.Detector {
		d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: time.Second})
		if err != nil {
			panic(err)
		}
		return d
	})
	fmt.Println(err)
	// Output: <nil>
}

// Does my law?
func ExampleTestDistribution() {
	fmt.Println(livenesstest.TestDistribution(liveness.LogNormal{}))
	// Output: <nil>
}

func TestWrongUse(t *testing.T) {
	fine := func() liveness.Detector {
		d, _ := liveness.NewFixedTimeout(time.Second)
		return d
	}
	for want, err := range map[string]error{
		"livenesstest: interval is 0s, want a duration from 1µs to 100 days":      livenesstest.TestDetector(0, fine),
		"livenesstest: interval is -1s, want a duration from 1µs to 100 days":     livenesstest.TestDetector(-time.Second, fine),
		"livenesstest: newDetector is nil, want a function that makes a detector": livenesstest.TestDetector(time.Second, nil),
		"livenesstest: newDetector returned nil, want a detector":                 livenesstest.TestDetector(time.Second, func() liveness.Detector { return nil }),
		"livenesstest: family is nil, want a law":                                 livenesstest.TestDistribution(nil),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
