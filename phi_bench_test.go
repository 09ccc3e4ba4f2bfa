package liveness_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"example.com/liveness"
	"example.com/liveness/internal/pernow"
)

// Every benchmark reports, beside ns/op, what an operation costs as a multiple
// of time.Now() measured in the same run ("x-now"): the caller has to read the
// clock anyway. The cost of making up the script's instants is measured in the
// same run, too, and taken off that multiple, not off ns/op.

var (
	sinkTime  time.Time
	sinkLevel float64
	sinkBool  bool
)

// beats is an endless script of heartbeats with mean gap 1 s and a jitter of 100 ms.
type beats struct {
	gaps [1024]time.Duration
	i    uint
	at   time.Time
}

func newBeats() *beats {
	s := &beats{at: time.Now()}
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range s.gaps {
		s.gaps[i] = time.Second + time.Duration(1e8*rng.NormFloat64())
	}
	return s
}

func (s *beats) next() time.Time {
	s.i = (s.i + 1) % uint(len(s.gaps))
	s.at = s.at.Add(s.gaps[s.i])
	return s.at
}

// silence returns an instant up to 2 s after the last heartbeat.
func (s *beats) silence() time.Time {
	s.i = (s.i + 1) % uint(len(s.gaps))
	return s.at.Add(2 * (s.gaps[s.i] - 500*time.Millisecond))
}

func warm(b *testing.B, cfg liveness.PhiConfig) (*liveness.Phi, *beats) {
	d := newPhi(b, cfg)
	s := newBeats()
	for range max(cfg.WindowSize, 1000) + 1 {
		d.Heartbeat(s.next())
	}
	return d, s
}

var laws = []struct {
	name   string
	family liveness.Distribution
}{
	{"gaussian", liveness.Gaussian{}}, {"exponential", liveness.Exponential{}}, {"lognormal", liveness.LogNormal{}},
	{"logistic", liveness.Logistic{}}, {"student", liveness.StudentT{}}, {"logstudent", liveness.LogStudentT{}},
	{"empirical", liveness.Empirical{}}, {"lomax", liveness.Lomax{}}, {"shifted", liveness.ShiftedExponential{}},
}

func BenchmarkNow(b *testing.B) { pernow.Bench(b, func() { sinkTime = time.Now() }, nil) }

func BenchmarkHeartbeat(b *testing.B) {
	for _, law := range laws {
		b.Run("law="+law.name, func(b *testing.B) {
			d, s := warm(b, liveness.PhiConfig{Distribution: law.family})
			pernow.Bench(b, func() { d.Heartbeat(s.next()) }, func() { s.next() })
		})
	}
}

// BenchmarkHeartbeatWindow shows that the cost does not depend on the window.
func BenchmarkHeartbeatWindow(b *testing.B) {
	for _, size := range []int{10, 100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			d, s := warm(b, liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: size})
			pernow.Bench(b, func() { d.Heartbeat(s.next()) }, func() { s.next() })
		})
	}
}

func BenchmarkSuspicion(b *testing.B) {
	for _, law := range laws {
		b.Run("law="+law.name, func(b *testing.B) {
			d, s := warm(b, liveness.PhiConfig{Distribution: law.family})
			pernow.Bench(b, func() { sinkLevel = d.Suspicion(s.silence()) }, func() { s.silence() })
		})
	}
}

func BenchmarkSuspected(b *testing.B) {
	d, s := warm(b, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
	pernow.Bench(b, func() { sinkBool = liveness.Suspected(d, s.silence()) }, func() { s.silence() })
}

func BenchmarkDeadline(b *testing.B) {
	for _, level := range []float64{8, 3} {
		b.Run(fmt.Sprintf("level=%v", level), func(b *testing.B) {
			d, _ := warm(b, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
			pernow.Bench(b, func() { sinkTime = d.Deadline(level) }, nil)
		})
	}
}

// BenchmarkBeatAndAsk is the other extreme: each heartbeat is followed by one
// question, which has to fit the law again.
func BenchmarkBeatAndAsk(b *testing.B) {
	for _, law := range laws {
		d, s := warm(b, liveness.PhiConfig{Distribution: law.family})
		b.Run("ask=suspicion/law="+law.name, func(b *testing.B) {
			pernow.Bench(b, func() {
				d.Heartbeat(s.next())
				sinkLevel = d.Suspicion(s.silence())
			}, func() { s.next(); s.silence() })
		})
		b.Run("ask=suspected/law="+law.name, func(b *testing.B) {
			pernow.Bench(b, func() {
				d.Heartbeat(s.next())
				sinkBool = d.Suspected(s.silence())
			}, func() { s.next(); s.silence() })
		})
	}
}

func BenchmarkOthers(b *testing.B) {
	for name, d := range map[string]liveness.Detector{
		"fixed":      newFixed(b, 4*time.Second),
		"chen":       newChen(b, liveness.ChenConfig{Interval: time.Second, Margin: time.Second}),
		"bertier":    newBertier(b, liveness.BertierConfig{Interval: time.Second}),
		"two-window": newTwoWindow(b, liveness.TwoWindowConfig{Interval: time.Second, Margin: time.Second}),
		"rto":        newRTO(b, liveness.RTOConfig{}),
		"quantile":   newQuantile(b, liveness.QuantileConfig{}),
		"satzger":    newSatzger(b, liveness.SatzgerConfig{}),
	} {
		s := newBeats()
		for range 1001 { // until all windows are full
			d.Heartbeat(s.next())
		}
		b.Run("op=heartbeat/detector="+name, func(b *testing.B) {
			pernow.Bench(b, func() { d.Heartbeat(s.next()) }, func() { s.next() })
		})
		b.Run("op=suspected/detector="+name, func(b *testing.B) {
			pernow.Bench(b, func() { sinkBool = liveness.Suspected(d, s.silence()) }, func() { s.silence() })
		})
		b.Run("op=suspicion/detector="+name, func(b *testing.B) {
			pernow.Bench(b, func() { sinkLevel = d.Suspicion(s.silence()) }, func() { s.silence() })
		})
	}
}

func BenchmarkWindowAdd(b *testing.B) {
	w := newWindow(b, 1000)
	s := newBeats()
	i := 0
	pernow.Bench(b, func() { i++; w.Add(s.gaps[i%len(s.gaps)]) }, func() { i++; sinkBool = s.gaps[i%len(s.gaps)] > 0 })
}

// BenchmarkContended has all cores use one detector.
func BenchmarkContended(b *testing.B) {
	for _, c := range []struct {
		name string
		op   func(d *liveness.Phi, at time.Time)
	}{
		{"heartbeat", func(d *liveness.Phi, at time.Time) { d.Heartbeat(at) }},
		{"suspicion", func(d *liveness.Phi, at time.Time) { d.Suspicion(at) }},
		{"suspected", func(d *liveness.Phi, at time.Time) { d.Suspected(at) }},
		{"deadline", func(d *liveness.Phi, at time.Time) { d.Deadline(8) }},
	} {
		b.Run("op="+c.name, func(b *testing.B) {
			d, s := warm(b, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
			now := pernow.Clock()
			start := s.at
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				at := start
				for pb.Next() {
					at = at.Add(time.Millisecond)
					c.op(d, at)
				}
			})
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/now, "x-now")
			b.ReportAllocs()
		})
	}
}

// BenchmarkMemory reports what a detector with a full window takes.
func BenchmarkMemory(b *testing.B) {
	for _, size := range []int{100, 1000} {
		b.Run(fmt.Sprintf("size=%d", size), func(b *testing.B) {
			const peers = 1000
			var before, after runtime.MemStats
			perPeer := 0.0
			for b.Loop() {
				ds := make([]*liveness.Phi, peers)
				runtime.GC()
				runtime.ReadMemStats(&before)
				for i := range ds {
					ds[i] = newPhi(b, liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: size})
					ds[i].Heartbeat(t0)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				perPeer = float64(after.HeapAlloc-before.HeapAlloc) / peers
				runtime.KeepAlive(ds)
			}
			b.ReportMetric(perPeer, "B/peer")
		})
	}
}
