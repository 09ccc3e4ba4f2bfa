package gray_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// These are inputs that broke other systems, with the right answer.

func TestCases(t *testing.T) {
	oneDead := func(t *testing.T, cfg gray.Config, n int) int {
		s := begin(t, cfg, n)
		ejections := 0
		for range 3 {
			s.all(1000, ms, 0)
			s.send(0, 1000, gray.Error, ms)
			ejections += len(s.tick().Ejections())
		}
		return ejections
	}
	for _, c := range []struct {
		id, what string
		run      func(t *testing.T)
	}{
		{"B024", "ejection times stay within their bounds, whatever the count", func(t *testing.T) {
			for _, double := range []bool{false, true} {
				b, err := gray.NewBackoff(gray.Backoff{Double: double})
				require.NoError(t, err)
				last := time.Duration(0)
				for _, n := range []int{math.MinInt, -1, 0, 1, 2, 3, 4, 28, 29, 30, 64, 1000, 307_445_735, math.MaxInt} {
					d := b.Time(n)
					assert.True(t, b.Base <= d && d <= b.Max && d >= last, "%d: %v", n, d)
					last = d
				}
				assert.Equal(t, b.Max, last)
			}
			b, err := gray.NewBackoff(gray.Backoff{Double: true})
			require.NoError(t, err)
			assert.Equal(t, []time.Duration{30e9, 60e9, 120e9, 240e9, 300e9}, []time.Duration{b.Time(1), b.Time(2), b.Time(3), b.Time(4), b.Time(5)})
			assert.Equal(t, 60*time.Second, gray.Backoff{}.Time(2))
			_, err = gray.NewBackoff(gray.Backoff{Jitter: math.MaxInt64})
			assert.ErrorContains(t, err, "gray: Backoff.Jitter is")
		}},
		{"O09", "the limit comes before the multiplication", func(t *testing.T) {
			b, err := gray.NewBackoff(gray.Backoff{Base: 50 * 24 * time.Hour, Max: 100 * 24 * time.Hour})
			require.NoError(t, err)
			assert.Equal(t, b.Max, b.Time(math.MaxInt))
			assert.Equal(t, 2, b.Limit())
		}},
		{"B126", "a base above the default maximum moves it", func(t *testing.T) {
			b, err := gray.NewBackoff(gray.Backoff{Base: 600 * time.Second})
			require.NoError(t, err)
			assert.Equal(t, 600*time.Second, b.Max)
			_, err = gray.NewBackoff(gray.Backoff{Base: 600 * time.Second, Max: 300 * time.Second})
			assert.EqualError(t, err, "gray: Backoff.Max is 5m0s, want at least Backoff.Base, which is 10m0s")
		}},
		{"B140", "the cap is exact", func(t *testing.T) {
			for _, v := range []struct{ n, percent, want int }{{3, 50, 1}, {3, 67, 2}, {4, 50, 2}, {100, 10, 10}, {20, 55, 11}} {
				assert.Equal(t, v.want, gray.MaxEjected(v.n, v.percent))
				g := newGuard(t, gray.GuardConfig{MaxPercent: v.percent})
				assert.False(t, g.Look(t0, census(v.n, v.want)).Open)
				assert.True(t, g.Look(t0, census(v.n, v.want+1)).Open)
			}
		}},
		{"B141", "never the last one", func(t *testing.T) {
			for n, percent := range map[int]int{1: 10, 2: 10, 3: 10} {
				g := newGuard(t, gray.GuardConfig{MaxPercent: percent})
				assert.Zero(t, g.Look(t0, census(n, 0)).Limit)
			}
			for n, want := range map[int]int{1: 0, 2: 1, 10: 9} {
				g := newGuard(t, gray.GuardConfig{MaxPercent: 100})
				assert.Equal(t, want, g.Look(t0, census(n, 0)).Limit)
			}
			assert.Zero(t, oneDead(t, gray.Config{Guard: gray.GuardConfig{MaxPercent: 100}}, 1))
			assert.Zero(t, oneDead(t, gray.Config{Guard: gray.GuardConfig{SmallGroup: gray.EjectOne}}, 2))
			assert.Equal(t, 1, oneDead(t, gray.Config{Guard: gray.GuardConfig{SmallGroup: gray.EjectOne}}, 3))
			assert.Equal(t, 1, oneDead(t, gray.Config{Envoy: &gray.Envoy{Cap: gray.CapAtLeastOne}}, 3))
		}},
		{"B143", "the dead and the slow have one budget", func(t *testing.T) {
			s := begin(t, gray.Config{Guard: gray.GuardConfig{MaxPercent: 10}}, 10)
			s.SetSilent(name(9), true)
			for range 4 {
				s.all(500, 20*ms, 3, 9)
				s.send(3, 500, gray.OK, 200*ms)
				d := s.tick()
				assert.Empty(t, d.Ejections())
				assert.Equal(t, 2, d.Guard.Unhealthy)
			}
		}},
		{"B144", "who is removed gives the place back", func(t *testing.T) {
			s := begin(t, gray.Config{Guard: gray.GuardConfig{MaxPercent: 10}}, 10)
			s.eject(3)
			s.Remove(name(3))
			s.Add("new")
			for range 3 {
				s.all(500, 20*ms, 3)
				for range 500 {
					s.Record("c", "new", gray.OK, 200*ms)
				}
				s.tick()
			}
			assert.Equal(t, gray.Ejected, s.State("new"))
		}},
		{"B146", "a dead server among few", func(t *testing.T) {
			for n := 2; n <= 5; n++ {
				e := gray.Envoy{SuccessHosts: 1, Failures: -1, MaxPercent: 100}
				assert.Equal(t, map[int]int{5: 1}[n], oneDead(t, gray.Config{Envoy: &e}, n), "Envoy's rule, %d servers", n)
				assert.Equal(t, map[int]int{5: 1}[n], oneDead(t, gray.Config{}, n), "%d servers", n)
				small := gray.Config{Guard: gray.GuardConfig{SmallGroup: gray.EjectOne}}
				assert.Equal(t, map[bool]int{true: 1}[n >= 3], oneDead(t, small, n), "%d servers, one may go", n)
			}
		}},
		{"B147", "who is idle is neither judged nor compared with", func(t *testing.T) {
			for _, cfg := range []gray.Config{{}, {Envoy: &gray.Envoy{MaxPercent: 100, FailurePercent: 85, Failures: -1}}} {
				s := begin(t, cfg, 25)
				var d gray.Decision
				for range 3 {
					for i := range 5 {
						s.send(i, 5, gray.Error, ms)
						s.send(i, 95, gray.OK, ms)
						if cfg.Envoy == nil {
							s.send(i, 10, gray.Error, ms)
							s.send(i, 190, gray.OK, ms)
						}
					}
					s.send(5, 1, gray.Error, ms)
					d = s.tick()
				}
				assert.Empty(t, d.Ejections())
				for _, j := range d.Servers {
					idle := j.Server >= name(5)
					assert.Equal(t, idle, j.Tests[len(j.Tests)-1].Reason != gray.None && j.Verdict == gray.NotEvaluated, "%v", j)
					if !idle {
						for _, test := range j.Tests {
							if test.Rule == gray.MoreErrors || test.Rule == gray.SuccessRate {
								assert.Equal(t, 4, test.Peers)
								assert.InDelta(t, 0.05, min(test.Median, 1-test.Median), 1e-12)
							}
						}
					}
				}
			}
		}},
		{"B149", "the time away is bounded, is reached exactly, and falls by evidence only", func(t *testing.T) {
			cfg := gray.Config{
				Interval: time.Second, Hits: 1, Of: 1, Failures: 3, Probes: -1, SlowStart: -1,
				Backoff: gray.Backoff{Base: 2 * time.Second, Max: 7 * time.Second, Jitter: -1},
			}
			s := begin(t, cfg, 10)
			fail := func() time.Duration {
				s.send(3, 3, gray.Error, ms)
				j, _ := s.after(time.Second).Of(name(3))
				require.Equal(t, gray.Eject, j.Verdict)
				return j.Until.Sub(s.now)
			}
			for _, want := range []time.Duration{2, 4, 6, 7, 7, 7} {
				assert.Equal(t, want*time.Second, fail())
				for s.State(name(3)) == gray.Ejected {
					s.after(time.Second)
				}
				s.after(time.Second) // one quiet second is no evidence
			}
			j, _ := s.Evaluate(s.now).Of(name(3))
			assert.Equal(t, 4, j.Times)
			for want := 3; want >= 0; want-- {
				s.all(50, ms)
				s.after(time.Second)
				j, _ := s.Evaluate(s.now).Of(name(3))
				assert.Equal(t, want, j.Times)
			}
			fail()
			s.Restore(name(3))
			assert.Equal(t, gray.Active, s.State(name(3)))
			assert.Equal(t, 2*time.Second, fail())
		}},
		{"B150", "failures while ejected do not count after the return", func(t *testing.T) {
			for _, cfg := range []gray.Config{
				{Envoy: &gray.Envoy{Failures: 3, StdevFactor: -1}},
				{Hits: 1, Of: 1, Failures: 3, Probes: -1, SlowStart: -1},
			} {
				cfg.Backoff.Jitter = -1
				s := begin(t, cfg, 10)
				s.send(3, 3, gray.Error, ms)
				require.Len(t, s.tick().Ejections(), 1)
				s.send(3, 5, gray.Error, ms)
				for range 3 {
					assert.Empty(t, s.tick().Ejections())
				}
				require.Equal(t, gray.Active, s.State(name(3)))
				s.send(3, 2, gray.Error, ms)
				assert.Empty(t, s.tick().Ejections())
				s.send(3, 1, gray.Error, ms)
				assert.Len(t, s.tick().Ejections(), 1)
			}
		}},
		{"B152", "one comparison, and a way out when a group shrinks for good", func(t *testing.T) {
			g := newGuard(t, gray.GuardConfig{MaxPercent: 15})
			r := g.Look(t0, census(68, 10)) // 14.7 %
			assert.False(t, r.Open)
			assert.Equal(t, 10, r.Limit)
			r = g.Look(t0, census(68, 11)) // 16.2 %
			assert.True(t, r.Open && r.Page)
			g = newGuard(t, gray.GuardConfig{MaxPercent: 15})
			assert.False(t, g.Look(t0, census(100, 0)).Open)
			for i := range 50 {
				r = g.Look(t0.Add(time.Duration(i)*time.Minute), census(100, 50))
				assert.Equal(t, i == 0, r.Page)
				assert.True(t, r.Open)
			}
			at := t0.Add(time.Hour)
			gone := census(100, 50)
			gone.Members = gone.Members[50:] // those that are gone are removed
			assert.True(t, g.Look(at, gone).Open, "it dwells")
			assert.False(t, g.Look(at.Add(time.Minute), gone).Open)
			g.Look(at, census(100, 50))
			g.Override(at.Add(time.Hour)) // or an operator says that they are dead
			assert.False(t, g.Look(at.Add(59*time.Minute), census(100, 50)).Open)
			assert.True(t, g.Look(at.Add(60*time.Minute), census(100, 50)).Page)
		}},
		{"B153", "one short outage at the moment of a check evicts nobody", func(t *testing.T) {
			s := begin(t, gray.Config{Interval: time.Minute}, 10)
			for i := range 30 {
				s.all(2000, 20*ms, 3)
				s.send(3, 1900, gray.OK, 20*ms)
				if i%4 == 1 {
					s.send(3, 500, gray.Timeout, 100*ms)
				}
				d := s.after(time.Minute)
				assert.Empty(t, d.Ejections())
				if i%4 == 1 {
					s.verdict(d, 3, gray.Suppressed, gray.Persistence)
				}
			}
		}},
	} {
		t.Run(c.id+" "+c.what, c.run)
	}
}
