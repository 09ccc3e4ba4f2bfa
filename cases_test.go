package liveness_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// These are inputs that broke other failure detectors, with the right answer.
// Each subtest is a script on the instants t0 plus so many seconds.
//
// The cases of clocks (B050, B054) are in TestMonotonicClock, those of settings
// (B024, B025, B120, B121, B123, B127, O06) in TestConfigErrors and
// TestConfigDefaults. B053 cannot arise: a detector is given arrival times only.
// B087, and the ejection times of B024, B126 and O09, are about parts that act on
// a detector.

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// seconds is a duration of s seconds, to the nanosecond.
func seconds(s float64) time.Duration { return time.Duration(math.Round(s * 1e9)) }

// made returns what a constructor makes of cfg, without an error.
func made[C, D any](t testing.TB, make func(C) (D, error), cfg C) D {
	t.Helper()
	d, err := make(cfg)
	require.NoError(t, err)
	return d
}

func newPhi(t testing.TB, cfg liveness.PhiConfig) *liveness.Phi {
	t.Helper()
	return made(t, liveness.NewPhi, cfg)
}

// script feeds heartbeats and asks questions at the end of its time line.
type script struct {
	*testing.T
	d    liveness.Detector
	last time.Time // the last heartbeat
}

func begin(t *testing.T, d liveness.Detector) *script {
	d.Heartbeat(t0)
	return &script{t, d, t0}
}

// gaps adds n heartbeats, each a gap after the one before.
func (s *script) gaps(n int, gap float64) *script {
	for range n {
		s.last = s.last.Add(seconds(gap))
		s.d.Heartbeat(s.last)
	}
	return s
}

// after returns the level after a silence.
func (s *script) after(silence float64) float64 { return s.d.Suspicion(s.last.Add(seconds(silence))) }

func (s *script) suspected(silence float64) bool {
	return liveness.Suspected(s.d, s.last.Add(seconds(silence)))
}

// detection returns the silence in seconds at which the level is reached.
func (s *script) detection(level float64) float64 { return s.d.Deadline(level).Sub(s.last).Seconds() }

func TestCases(t *testing.T) {
	tight := liveness.PhiConfig{Distribution: liveness.Gaussian{}, MinStdDev: 100 * time.Millisecond}
	exponential := liveness.PhiConfig{Distribution: liveness.Exponential{}}
	usual := liveness.Gaussian{Mean: 1, StdDev: 0.1}
	mixed := func(t *testing.T, d liveness.Detector) *script { // mean 1 s, standard deviation 100 ms
		s := begin(t, d)
		for range 500 {
			s.gaps(1, 0.9).gaps(1, 1.1)
		}
		return s
	}

	for _, c := range []struct {
		id, what string
		run      func(t *testing.T)
	}{
		{"B001", "the tail is finite and rising", func(t *testing.T) {
			s := mixed(t, newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}, MinStdDev: time.Millisecond}))
			for _, v := range []struct{ x, phi, tol float64 }{
				{1.5, 6.543, 1e-4}, {1.7, 11.893, 1e-4}, {1.8, 15.206, 1e-4}, {1.825, 16.10, 1e-3}, {1.830, 16.28, 1e-3}, {2, 23.118, 1e-4},
			} {
				assert.InEpsilon(t, v.phi, usual.Phi(v.x), v.tol)
				assert.InEpsilon(t, usual.Phi(v.x), s.after(v.x), 1e-12, "the detector follows its law at %v s", v.x)
			}
		}},
		{"B002", "every elapsed time", func(t *testing.T) {
			assert.InEpsilon(t, 15.206, usual.Phi(1.8), 1e-4)
			assert.InEpsilon(t, 103.05, usual.Phi(3.16), 1e-4)
			assert.InEpsilon(t, 2.8127e8, usual.Phi(3600), 1e-4)
			s := mixed(t, newPhi(t, tight))
			assert.Zero(t, s.after(0))
			assert.False(t, math.Signbit(s.after(0)))
			assert.Less(t, s.after(3600), s.after(3601))
		}},
		{"B004", "one heartbeat, or four at one instant", func(t *testing.T) {
			s := begin(t, newPhi(t, liveness.PhiConfig{}))
			assert.Less(t, s.after(0.001), 1.0)
			s.gaps(3, 0)
			level := s.after(0.001)
			assert.True(t, level >= 0 && level < 1, "%v", level)
			assert.False(t, s.suspected(0.001))
		}},
		{"B005", "the deviation does not depend on the order", func(t *testing.T) {
			for _, order := range [][]time.Duration{{900, 1100}, {1100, 900}, {900, 900, 1100, 1100}} {
				w := newWindow(t, 100)
				for i := range 100 {
					w.Add(order[i%len(order)] * time.Millisecond)
				}
				assert.Equal(t, 0.1, w.StdDev())
				assert.Equal(t, 1.0, w.Mean())
			}
		}},
		{"B007", "gaps are from one heartbeat to the next, not from the first", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{WindowSize: 4})
			begin(t, d).gaps(4, 1)
			assert.Equal(t, 4, d.Stats().Count)
			assert.Equal(t, 1.0, d.Stats().Mean)
		}},
		{"B008", "no jump between neighbouring milliseconds", func(t *testing.T) {
			for x := 1.0; x < 1.9; x += 0.001 {
				step := usual.Phi(x+0.001) - usual.Phi(x)
				assert.True(t, step > 0 && step < 0.1, "%v at %v s", step, x)
			}
		}},
		{"B010", "the far tail", func(t *testing.T) {
			normal := liveness.Gaussian{StdDev: 1}
			for z, phi := range map[float64]float64{8.6: 17.4, 20: 88.56, 37: 299.3, 40: 349.44} {
				assert.InEpsilon(t, phi, normal.Phi(z), 3e-3, "z = %v", z)
			}
		}},
		{"B011", "equal gaps have no variance", func(t *testing.T) {
			w := newWindow(t, 1000)
			for range 1000 {
				w.Add(999_999_937)
			}
			assert.Zero(t, w.Variance())
			for range 5000 {
				w.Add(300 * time.Millisecond)
			}
			assert.Zero(t, w.Variance())
			level := begin(t, newPhi(t, liveness.PhiConfig{})).gaps(1500, 0.3).after(0.301)
			assert.True(t, level > 0 && level < 1, "%v", level)
		}},
		{"B013", "one absurd gap leaves no trace", func(t *testing.T) {
			w := newWindow(t, 100)
			w.Add(1_700_000_000 * time.Second)
			for range 100 {
				w.Add(time.Second)
			}
			assert.Equal(t, 1.0, w.Mean())
			assert.Zero(t, w.StdDev())
		}},
		{"B014", "means are not cut to whole units", func(t *testing.T) {
			w := newWindow(t, 1000)
			w.Add(1)
			w.Add(2)
			assert.Equal(t, 1.5e-9, w.Mean())
			w.Reset()
			for range 999 {
				w.Add(time.Second)
			}
			w.Add(1999 * time.Millisecond)
			assert.Equal(t, 1.000999, w.Mean())
		}},
		{"B021", "an hour of outage", func(t *testing.T) {
			d := newPhi(t, exponential)
			s := begin(t, d).gaps(999, 1).gaps(1, 3600)
			assert.InEpsilon(t, 1, d.Stats().Mean, 0.02)
			assert.InEpsilon(t, 18.4, s.detection(8), 0.02)
		}},
		{"B022", "the whole pause counts, below a millisecond too", func(t *testing.T) {
			s := begin(t, newPhi(t, liveness.PhiConfig{AcceptablePause: 3 * time.Second})).gaps(100, 1)
			assert.False(t, s.suspected(2.9))
			plain := begin(t, newPhi(t, liveness.PhiConfig{})).gaps(100, 1).detection(8)
			for _, pause := range []time.Duration{1500 * time.Millisecond, 999 * time.Millisecond, 500 * time.Microsecond, 1234567} {
				s := begin(t, newPhi(t, liveness.PhiConfig{AcceptablePause: pause})).gaps(100, 1)
				assert.InDelta(t, plain+pause.Seconds(), s.detection(8), 2e-9, "%v", pause)
			}
		}},
		{"B031", "one outage, then silence", func(t *testing.T) {
			s := begin(t, newPhi(t, exponential)).gaps(999, 1).gaps(1, 3600).gaps(1, 1)
			assert.InEpsilon(t, 18.4, s.detection(8), 0.02)
			s = begin(t, newPhi(t, liveness.PhiConfig{WindowSize: 100})).gaps(99, 1)
			before := s.detection(8)
			assert.InEpsilon(t, before, s.gaps(1, 60).detection(8), 0.1, "learnt whole it would be 34.5 s")
		}},
		{"B032", "an outage is no sample, but the last arrival moves", func(t *testing.T) {
			for law, more := range map[liveness.Distribution]float64{liveness.Gaussian{}: 0.01, liveness.Empirical{}: 0.1} {
				s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law})).gaps(1000, 1)
				before := s.detection(8)
				s.gaps(1, 300)
				assert.Zero(t, s.after(0))
				assert.InEpsilon(t, before, s.gaps(1, 1).detection(8), more, "%T", law)
			}
		}},
		{"B034 O07", "a process slower than the detector thinks possible", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{MinStdDev: 10 * time.Millisecond, WindowSize: 200})
			s := begin(t, d).gaps(300, 1).gaps(200, 3)
			assert.InEpsilon(t, 3, d.Stats().Mean, 0.05)
			assert.False(t, s.suspected(3.05))
		}},
		{"B035", "back from the dead with other habits", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{})
			s := begin(t, d).gaps(1000, 0.2).gaps(1, 100)
			s.gaps(2, 2) // +2 s and +4 s
			assert.Less(t, d.Stats().Count, 10, "the old history is dropped")
			assert.False(t, s.suspected(0))
			assert.False(t, s.suspected(2))
			s.gaps(100, 2)
			assert.True(t, s.suspected(20))
		}},
		{"B037", "any prior: no early suspicion, and it fades", func(t *testing.T) {
			for _, law := range []liveness.Distribution{liveness.Exponential{}, liveness.Gaussian{}} {
				learnt := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law})).gaps(1000, 1).detection(8)
				for _, prior := range []time.Duration{500 * time.Millisecond, 2 * time.Second, 30 * time.Second} {
					s := begin(t, newPhi(t, liveness.PhiConfig{ExpectedInterval: prior, Distribution: law}))
					if prior >= time.Second {
						assert.False(t, s.suspected(2), "%v %T", prior, law)
					}
					s.gaps(100, 1)
					assert.Equal(t, learnt, s.detection(8), "%v %T", prior, law)
				}
			}
		}},
		{"B038", "a prior with weight", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{ExpectedInterval: 5 * time.Second, PriorWeight: 5, Distribution: liveness.Exponential{}})
			s := begin(t, d).gaps(5, 0.2)
			assert.InEpsilon(t, 2.6, d.Stats().Mean, 0.03) // the prior has faded by a twentieth
			assert.False(t, s.suspected(6))
			s.gaps(995, 0.2)
			assert.Equal(t, 0.2, d.Stats().Mean, "the window is full")
		}},
		{"B040", "one heartbeat, or two, then silence", func(t *testing.T) {
			s := begin(t, newPhi(t, exponential))
			assert.InEpsilon(t, 18.4, s.detection(8), 0.01)
			assert.InEpsilon(t, 18.4, s.gaps(1, 1).detection(8), 0.01)
			s = begin(t, newPhi(t, liveness.PhiConfig{}))
			assert.True(t, s.suspected(4.2))
			assert.True(t, s.gaps(1, 1).suspected(4.2))
		}},
		{"B041", "never heard is unknown", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{})
			assert.True(t, d.Deadline(8).IsZero())
			assert.Zero(t, d.Suspicion(t0))
			assert.False(t, d.Suspected(t0))
		}},
		{"B051", "wall times with steps", func(t *testing.T) {
			s := begin(t, newPhi(t, liveness.PhiConfig{})).gaps(100, 1)
			before := s.detection(8)
			for _, step := range []float64{-5, 3600} {
				s.gaps(1, 1+step)
				s.gaps(5, 1)
				assert.False(t, s.suspected(1), "regular heartbeats after a step of %v s", step)
				assert.InEpsilon(t, before, s.detection(8), 0.1, "step of %v s", step)
			}
		}},
		{"B056", "from 1970 to today", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{})
			for i := range 5 {
				d.Heartbeat(time.Unix(int64(i), 0))
			}
			s := begin(t, d).gaps(4, 1)
			assert.False(t, s.suspected(1))
			assert.InEpsilon(t, 1, d.Stats().Mean, 0.5)
			assert.True(t, s.suspected(10))
		}},
		{"B068", "queued heartbeats read in one go", func(t *testing.T) {
			for _, between := range []float64{0, 1e-9, 1e-5, 1e-3} {
				d := newPhi(t, liveness.PhiConfig{WindowSize: 100})
				s := begin(t, d).gaps(200, 1)
				before := s.detection(8)
				s.gaps(1, 30).gaps(29, between)
				assert.InEpsilon(t, before, s.detection(8), 0.1, "%v s apart", between)
				for range 50 {
					assert.False(t, s.suspected(1))
					s.gaps(1, 1)
				}
				// Faster for good is believed.
				s.gaps(1, 30).gaps(200, 1e-3)
				assert.InEpsilon(t, 1e-3, d.Stats().Mean, 1e-6)
			}
		}},
		{"B069", "a stalled sender recovers", func(t *testing.T) {
			s := begin(t, newPhi(t, liveness.PhiConfig{})).gaps(100, 1)
			assert.True(t, s.suspected(19.17))
			assert.False(t, s.gaps(1, 19.17).suspected(1))
			assert.False(t, s.gaps(1, 1).suspected(1))
			assert.True(t, s.suspected(5))

			c := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
			for i := range 100 {
				c.HeartbeatSeq(uint64(i), t0.Add(seconds(float64(i))))
			}
			at := t0.Add(seconds(99 + 19.17))
			assert.True(t, c.Suspected(at))
			for i := range 10 { // the sender stood still, and so did its numbers
				c.HeartbeatSeq(uint64(100+i), at)
				assert.False(t, c.Suspected(at.Add(seconds(1))))
				assert.True(t, c.Suspected(at.Add(seconds(2.1))))
				at = at.Add(time.Second)
			}
		}},
		{"B086", "a reordered heartbeat", func(t *testing.T) {
			a := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
			b := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
			for i, seq := range []uint64{1, 2, 4, 3, 5} {
				at := t0.Add(seconds(float64(i)))
				a.HeartbeatSeq(seq, at)
				if seq != 3 {
					b.HeartbeatSeq(seq, at)
				}
				assert.Equal(t, b.Deadline(1), a.Deadline(1), "number %d", seq)
			}
			assert.EqualValues(t, 1, a.Missed())
		}},
		{"B124", "one meaning of a pause", func(t *testing.T) {
			for _, d := range []liveness.Detector{
				newFixed(t, seconds(1+3)), // interval + pause
				newPhi(t, liveness.PhiConfig{AcceptablePause: 3 * time.Second, MinStdDev: 100 * time.Millisecond}),
				newPhi(t, liveness.PhiConfig{AcceptablePause: 3 * time.Second, Distribution: liveness.Exponential{}}),
				newPhi(t, liveness.PhiConfig{AcceptablePause: 3 * time.Second, Distribution: liveness.LogNormal{}}),
			} {
				assert.False(t, begin(t, d).gaps(100, 1).suspected(3.999), "%T", d)
			}
		}},
		{"B130", "a pause of 3 s each minute, by default", func(t *testing.T) {
			for _, law := range []liveness.Distribution{liveness.Gaussian{}, liveness.LogNormal{}, liveness.Exponential{}} {
				s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law}))
				for minute := range 40 {
					for range 56 {
						assert.False(t, s.suspected(1))
						s.gaps(1, 1)
					}
					// The pause begins at any time after a heartbeat, and the next one is sent at its end.
					gap := 3 + float64(minute%20)/20
					assert.False(t, s.suspected(gap), "%T, minute %d, a gap of %v s", law, minute, gap)
					s.gaps(1, gap)
				}
			}
		}},
		{"B155", "a threshold belongs to its law", func(t *testing.T) {
			assert.InEpsilon(t, 0.869, begin(t, newPhi(t, exponential)).gaps(1000, 1).after(2), 1e-3)
			assert.InEpsilon(t, 23.1, begin(t, newPhi(t, tight)).gaps(1000, 1).after(2), 1e-3)
		}},
		{"B129 O01", "regular heartbeats keep a floor of jitter, and a millisecond is not damning", func(t *testing.T) {
			for law, most := range map[liveness.Distribution]float64{liveness.Gaussian{}: 0.31, liveness.Empirical{}: 0.34} {
				s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law})).gaps(1000, 1)
				for _, x := range []float64{1, 1.001} {
					assert.True(t, s.after(x) > 0.3 && s.after(x) < most, "%T: %v at %v s", law, s.after(x), x)
				}
			}
		}},
		{"O03", "sums of squares of nanoseconds", func(t *testing.T) {
			w := newWindow(t, 1000)
			for range 1000 {
				w.Add(time.Second)
			}
			assert.Equal(t, 1.0, w.Mean())
			assert.Zero(t, w.Variance())
		}},
		{"O04", "a floor below a millisecond", func(t *testing.T) {
			d := newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}, MinStdDev: 500 * time.Microsecond})
			s := begin(t, d).gaps(1000, 1)
			assert.Equal(t, 500e-6, d.Stats().StdDev)
			assert.InEpsilon(t, liveness.Gaussian{Mean: 1, StdDev: 500e-6}.Phi(1.001), s.after(1.001), 1e-9)
		}},
	} {
		t.Run(c.id+" "+c.what, c.run)
	}
}

// TestMonotonicClock is for clock-wall and clock-suspend (B050, B051, B054):
// with the readings that time.Now gives, steps of the wall clock do not exist.
func TestMonotonicClock(t *testing.T) {
	// A time with a monotonic reading can only be had from the clock itself;
	// adding to it moves both readings, and stripping one shows it was there.
	now := time.Now()
	if now == now.Round(0) {
		t.Skip("this system's clock gives no monotonic reading")
	}
	d := newPhi(t, liveness.PhiConfig{})
	for i := range 100 {
		d.Heartbeat(now.Add(time.Duration(i) * time.Second))
	}
	last := now.Add(99 * time.Second)
	deadline := d.Deadline(8)
	assert.NotEqual(t, deadline, deadline.Round(0), "the deadline has a monotonic reading")
	assert.False(t, liveness.Suspected(d, last.Add(time.Second)))

	// One heartbeat without a reading does not take it from those that follow.
	d.Heartbeat(last.Add(time.Second).Round(0))
	d.Heartbeat(last.Add(2 * time.Second))
	deadline = d.Deadline(8)
	assert.NotEqual(t, deadline, deadline.Round(0))
	assert.InDelta(t, 1, d.Stats().Mean, 1e-3)
}

func TestConfigErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	negativeZero := math.Copysign(0, -1)
	phi := func(cfg liveness.PhiConfig) error { _, err := liveness.NewPhi(cfg); return err }
	chen := func(cfg liveness.ChenConfig) error { _, err := liveness.NewChen(cfg); return err }
	type tc struct {
		field string
		value any
		err   error
	}
	var cases []tc
	for _, x := range []float64{nan, inf, -inf, negativeZero, -1, 1e308, 1.1e12} {
		cases = append(cases, tc{"Threshold", x, phi(liveness.PhiConfig{Threshold: x})})
		cases = append(cases, tc{"MinRelStdDev", x, phi(liveness.PhiConfig{MinRelStdDev: x})})
		cases = append(cases, tc{"PriorWeight", x, phi(liveness.PhiConfig{PriorWeight: x})})
	}
	for _, n := range []int{-1, math.MinInt, 1<<20 + 1, math.MaxInt} {
		cases = append(cases, tc{"WindowSize", n, phi(liveness.PhiConfig{WindowSize: n})})
		cases = append(cases, tc{"WindowSize", n, chen(liveness.ChenConfig{Interval: 1e9, Margin: 1e9, WindowSize: n})})
	}
	for _, n := range []int{0, -1, math.MinInt, math.MaxInt} {
		_, err := liveness.NewWindow(n)
		cases = append(cases, tc{"capacity", n, err})
	}
	for _, x := range []time.Duration{-1, -time.Second, 1, 500, math.MaxInt64, math.MinInt64} {
		cases = append(cases, tc{"ExpectedInterval", x, phi(liveness.PhiConfig{ExpectedInterval: x})})
		cases = append(cases, tc{"MinStdDev", x, phi(liveness.PhiConfig{MinStdDev: x})})
		cases = append(cases, tc{"AcceptablePause", x, phi(liveness.PhiConfig{AcceptablePause: x})})
		cases = append(cases, tc{"Interval", x, chen(liveness.ChenConfig{Interval: x, Margin: 1e9})})
		cases = append(cases, tc{"Margin", x, chen(liveness.ChenConfig{Interval: 1e9, Margin: x})})
		_, err := liveness.NewFixedTimeout(x)
		cases = append(cases, tc{"timeout", x, err})
	}
	_, err := liveness.NewFixedTimeout(0)
	cases = append(cases,
		tc{"timeout", time.Duration(0), err},
		tc{"Interval", time.Duration(0), chen(liveness.ChenConfig{Margin: 1e9})},
		tc{"Margin", time.Duration(0), chen(liveness.ChenConfig{Interval: 1e9})},
	)
	for _, c := range cases {
		if assert.Error(t, c.err, "%s %v", c.field, c.value) {
			assert.Regexp(t, `^liveness: `+c.field+` is `, c.err.Error())
			assert.Contains(t, c.err.Error(), fmt.Sprintf(" is %v, want ", c.value))
			assert.Regexp(t, `want .*\d`, c.err.Error(), "a bound")
		}
	}
}

func TestConfigDefaults(t *testing.T) {
	d := newPhi(t, liveness.PhiConfig{})
	assert.Equal(t, 8.0, d.Threshold())
	assert.Equal(t, liveness.Stats{Mean: 1, StdDev: 0.55, Weight: 2}, d.Stats())
	assert.Equal(t, liveness.Stats{Mean: 1, StdDev: 0.27, Weight: 2}, newPhi(t, liveness.PhiConfig{Distribution: liveness.LogNormal{}}).Stats())
	assert.Equal(t, liveness.Stats{Mean: 0.01, StdDev: 0.01, Weight: 2}, newPhi(t, liveness.PhiConfig{ExpectedInterval: 10 * time.Millisecond}).Stats())
	// One floor given means that the other is none.
	assert.Equal(t, 0.25, newPhi(t, liveness.PhiConfig{MinStdDev: time.Millisecond}).Stats().StdDev)
	assert.Equal(t, 0.5, newPhi(t, liveness.PhiConfig{MinRelStdDev: 0.5}).Stats().StdDev)
}
