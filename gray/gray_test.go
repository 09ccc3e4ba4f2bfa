package gray_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// Every test is a script on the instants t0 plus so much.

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const ms = time.Millisecond

func newMonitor(t testing.TB, cfg gray.Config, servers int) *gray.Monitor {
	t.Helper()
	m, err := gray.New(cfg)
	require.NoError(t, err)
	m.Add(names(servers)...)
	return m
}

func name(i int) string { return fmt.Sprintf("s%03d", i) }

func names(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = name(i)
	}
	return all
}

// script is a monitor with a clock.
type script struct {
	testing.TB
	*gray.Monitor
	now time.Time
}

func begin(t testing.TB, cfg gray.Config, servers int) *script {
	return &script{t, newMonitor(t, cfg, servers), t0}
}

// send records n attempts of one kind.
func (s *script) send(server, n int, o gray.Outcome, latency time.Duration) {
	for range n {
		s.Record("c", name(server), o, latency)
	}
}

// all sends n good requests of a latency to all servers but some.
func (s *script) all(n int, latency time.Duration, but ...int) {
	for i := range len(s.Members()) {
		if !slices.Contains(but, i) {
			s.send(i, n, gray.OK, latency)
		}
	}
}

// tick goes on by an interval and decides.
func (s *script) tick() gray.Decision { return s.after(10 * time.Second) }

func (s *script) after(d time.Duration) gray.Decision {
	s.now = s.now.Add(d)
	return s.Advance(s.now)
}

func (s *script) verdict(d gray.Decision, server int, want gray.Verdict, reason gray.Reason) {
	s.Helper()
	j, ok := d.Of(name(server))
	require.True(s, ok)
	assert.Equal(s, want.String()+"/"+reason.String(), j.Verdict.String()+"/"+j.Reason.String(), "%v %+v", j, j.Tests)
}

// slowRound is one interval in which some servers take 10 times as long.
func (s *script) slowRound(n int, slow ...int) gray.Decision {
	s.all(n, 20*ms, slow...)
	for _, i := range slow {
		s.send(i, n, gray.OK, 200*ms)
	}
	return s.tick()
}

func TestSlowServerIsEjected(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.verdict(s.slowRound(500, 3), 3, gray.Suppressed, gray.Persistence)
	s.verdict(s.slowRound(500, 3), 3, gray.Suppressed, gray.Persistence)
	d := s.slowRound(500, 3)
	s.verdict(d, 3, gray.Eject, gray.None)
	assert.Equal(t, []string{"s003"}, d.Ejections())
	j := d.Servers[0]
	assert.Equal(t, "s003", j.Server)
	assert.Equal(t, gray.SlowTail, j.Rule)
	assert.Equal(t, gray.Ejected, j.State)
	assert.Equal(t, 1, j.Times)
	assert.WithinDuration(t, s.now.Add(31500*ms), j.Until, 1500*ms)
	tail := j.Tests[0]
	assert.InEpsilon(t, 0.2, tail.Value, 0.0625)
	assert.InEpsilon(t, 0.02, tail.Median, 0.0625)
	assert.InEpsilon(t, 3*tail.Median, tail.Threshold, 1e-9)
	assert.Equal(t, []int{9, 500, 500, 3, 5}, []int{tail.Peers, tail.Samples, tail.Needed, tail.Hits, tail.Of})
	assert.Contains(t, j.String(), "s003: eject, slow tail")
	for _, other := range d.Servers[1:] {
		assert.Equal(t, gray.Keep, other.Verdict)
		assert.Equal(t, gray.None, other.Reason)
	}
	assert.False(t, s.Admit("s003", s.now))
	assert.True(t, s.Admit("s004", s.now))
	// They need not follow each other: the third interval in five is enough.
	s = begin(t, gray.Config{}, 10)
	for _, slow := range [][]int{{3}, {}, {3}, {}} {
		s.slowRound(500, slow...)
	}
	s.verdict(s.slowRound(500, 3), 3, gray.Eject, gray.None)
	// But not in six.
	s = begin(t, gray.Config{}, 10)
	for _, slow := range [][]int{{3}, {}, {3}, {}, {}} {
		s.slowRound(500, slow...)
	}
	s.verdict(s.slowRound(500, 3), 3, gray.Suppressed, gray.Persistence)
	// One request in twenty is slow: that does not show in the median.
	s = begin(t, gray.Config{}, 10)
	for range 3 {
		s.all(500, 20*ms, 3)
		s.send(3, 475, gray.OK, 20*ms)
		s.send(3, 25, gray.OK, time.Second)
		d = s.tick()
	}
	s.verdict(d, 3, gray.Eject, gray.None)
	assert.False(t, d.Servers[0].Tests[1].Outlier)
}

// With few requests the median judges, and with fewer nobody does.
func TestFewRequests(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 2 {
		s.slowRound(50, 3)
	}
	d := s.slowRound(50, 3)
	s.verdict(d, 3, gray.Eject, gray.None)
	assert.Equal(t, gray.SlowMedian, d.Servers[0].Rule)
	assert.Equal(t, gray.FewRequests, d.Servers[0].Tests[0].Reason)

	s = begin(t, gray.Config{}, 10)
	for range 10 {
		d = s.slowRound(49, 3)
		s.verdict(d, 3, gray.NotEvaluated, gray.FewRequests)
		s.verdict(d, 4, gray.NotEvaluated, gray.FewRequests)
	}
	// A newcomer without data is neither the best nor bad.
	s.Add("new")
	s.slowRound(500)
	j, _ := s.Evaluate(s.now.Add(10 * time.Second)).Of("new")
	assert.Equal(t, gray.NotEvaluated, j.Verdict)
}

// The ratio alone is not enough, nor is the gap.
func TestGap(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 5 {
		s.all(500, ms)
		s.send(3, 500, gray.OK, 8*ms)
		d := s.tick()
		s.verdict(d, 3, gray.Keep, gray.SmallGap)
	}
	assert.EqualValues(t, 5, s.Counters().SmallGaps)
	s = begin(t, gray.Config{LatencyGap: -1, Hits: 1}, 10)
	s.all(500, ms, 3)
	s.send(3, 500, gray.OK, 8*ms)
	s.verdict(s.tick(), 3, gray.Eject, gray.None)
}

// What hedges and deadlines cut off counts as at least that long, or they would hide the slow one.
func TestLowerBounds(t *testing.T) {
	for _, o := range []gray.Outcome{gray.HedgedAway, gray.Cancelled, gray.Timeout} {
		s := begin(t, gray.Config{Failures: -1, FailureShare: 0.99, ErrorGap: 0.99}, 10)
		var d gray.Decision
		for range 3 {
			s.all(500, 20*ms, 3)
			s.send(3, 300, gray.OK, 20*ms) // the fast half is as fast as anybody
			s.send(3, 200, o, 100*ms)
			d = s.tick()
		}
		s.verdict(d, 3, gray.Eject, gray.None)
		assert.True(t, d.Servers[0].Tests[0].AtLeast, "%v", o)
		assert.InEpsilon(t, 0.1, d.Servers[0].Tests[0].Value, 0.07)
	}
	s := begin(t, gray.Config{}, 10)
	s.all(500, 20*ms)
	s.send(3, 7, gray.HedgedAway, 30*ms)
	s.tick()
	assert.EqualValues(t, 7, s.Counters().Masked)
	// Attempts that were cancelled at once are no evidence of speed.
	s.all(500, 20*ms, 3)
	s.send(3, 5, gray.OK, 20*ms)
	s.send(3, 1000, gray.Cancelled, ms)
	d := s.tick()
	s.verdict(d, 3, gray.NotEvaluated, gray.FewRequests)
	j, _ := d.Of("s003")
	assert.Equal(t, 5, j.Figures.Latencies)
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		what      string
		good, bad int
		peersBad  int
		want      gray.Verdict
		reason    gray.Reason
		rule      gray.Rule
		o         gray.Outcome
	}{
		{"one in ten among perfect peers", 450, 50, 0, gray.Eject, gray.None, gray.MoreErrors, gray.Error},
		{"one in a thousand among perfect peers", 999, 1, 0, gray.Keep, gray.SmallGap, gray.NoRule, gray.Error},
		{"double the peers' share", 400, 100, 55, gray.Keep, gray.None, gray.NoRule, gray.Error},
		{"all of some", 0, 60, 0, gray.Eject, gray.None, gray.ManyErrors, gray.Unreachable},
		{"six in a row", 0, 6, 0, gray.Eject, gray.None, gray.Consecutive, gray.Invalid},
		{"one now and then", 0, 1, 0, gray.NotEvaluated, gray.FewRequests, gray.NoRule, gray.Error},
		{"429 is no failure", 100, 100, 0, gray.Keep, gray.None, gray.NoRule, gray.Overload},
		{"nor is being cancelled", 500, 100, 0, gray.Keep, gray.None, gray.NoRule, gray.Cancelled},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := begin(t, gray.Config{}, 10)
			var d gray.Decision
			for range 3 {
				for i := range 10 {
					if i != 3 {
						s.send(i, c.peersBad, gray.Error, ms)
						s.send(i, 500-c.peersBad, gray.OK, ms)
					}
				}
				s.send(3, c.bad, c.o, ms)
				s.send(3, c.good, gray.OK, ms)
				d = s.tick()
			}
			s.verdict(d, 3, c.want, c.reason)
			j, _ := d.Of("s003")
			assert.Equal(t, c.rule, j.Rule)
		})
	}
}

// A success at the end of the interval takes failures in a row back.
func TestFailuresInARowEnd(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 5 {
		s.send(3, 30, gray.Error, ms)
		s.send(3, 1, gray.OK, ms)
		s.verdict(s.tick(), 3, gray.NotEvaluated, gray.FewRequests)
	}
}

// Where all are slow no peer can tell. The limit, or what is usual, can.
func TestGroupDegraded(t *testing.T) {
	s := begin(t, gray.Config{Limit: 100 * ms}, 10)
	degraded := func(latency time.Duration, want bool, ejects int) {
		t.Helper()
		s.all(500, latency)
		d := s.tick()
		assert.Equal(t, want, d.Group.Degraded, "%+v", d.Group)
		assert.Equal(t, want, s.Degraded())
		assert.Len(t, d.Ejections(), ejects)
	}
	degraded(20*ms, false, 0)
	degraded(200*ms, false, 0)
	degraded(200*ms, false, 0)
	degraded(200*ms, true, 0)
	for range 4 {
		degraded(20*ms, true, 0)
	}
	degraded(20*ms, false, 0)

	s = begin(t, gray.Config{}, 10)
	for range 31 {
		degraded(20*ms, false, 0)
	}
	d := s.Evaluate(s.now.Add(10 * time.Second))
	assert.InEpsilon(t, 0.02, d.Group.Usual.Seconds(), 0.04)
	degraded(200*ms, false, 0)
	degraded(200*ms, false, 0)
	n := 0
	for s.all(500, 200*ms); s.tick().Group.Degraded; s.all(500, 200*ms) {
		n++
	}
	assert.InDelta(t, 400, n, 60, "a lasting change becomes usual after about an hour")

	// All fail: degraded, and the guard opens.
	s = begin(t, gray.Config{}, 10)
	for range 3 {
		for i := range 10 {
			s.send(i, 100, gray.Error, ms)
		}
		d = s.tick()
		assert.True(t, d.Guard.Open)
		assert.Empty(t, d.Ejections())
	}
	assert.True(t, d.Group.Degraded)
	assert.True(t, d.Guard.Page)
	assert.Equal(t, 1.0, d.Group.Failures)
}

// A slow server that is called by one slow client only is excused, as is one
// that has a single slow path.
func TestExcuses(t *testing.T) {
	clients := func(s *script, n int, latency func(client, server int) time.Duration) {
		for c := range 6 {
			for i := range 10 {
				for range n {
					s.Record(fmt.Sprintf("c%d", c), name(i), gray.OK, latency(c, i))
				}
			}
		}
	}
	t.Run("path", func(t *testing.T) {
		s := begin(t, gray.Config{}, 10)
		for range 5 {
			clients(s, 100, func(c, i int) time.Duration {
				if c == 1 && i == 3 {
					return 300 * ms
				}
				return 20 * ms
			})
			s.verdict(s.tick(), 3, gray.Suppressed, gray.PathFault)
		}
		assert.EqualValues(t, 5, s.Counters().Suppressed[gray.PathFault])
		require.Len(t, s.Table().Faults(), 1)
		assert.Equal(t, gray.FaultPath, s.Table().Faults()[0].Kind)
	})
	t.Run("client", func(t *testing.T) {
		s := begin(t, gray.Config{}, 10)
		for range 5 {
			clients(s, 60, func(c, i int) time.Duration {
				if c == 1 {
					return 300 * ms
				}
				return 20 * ms
			})
			// The slow client calls server 3 only so often that it shows.
			for c := range 6 {
				for i := range 10 {
					for range 5000 {
						if c != 1 {
							s.Record(fmt.Sprintf("c%d", c), name(i), gray.OK, 20*ms)
						} else if i == 3 {
							s.Record("c1", name(i), gray.OK, 300*ms)
						}
					}
				}
			}
			s.verdict(s.tick(), 3, gray.Suppressed, gray.ClientFault)
		}
	})
	t.Run("server", func(t *testing.T) {
		s := begin(t, gray.Config{}, 10)
		var d gray.Decision
		for range 3 {
			clients(s, 100, func(c, i int) time.Duration {
				if i == 3 {
					return 300 * ms
				}
				return 20 * ms
			})
			d = s.tick()
		}
		s.verdict(d, 3, gray.Eject, gray.None)
	})
}

// An ejection has an end, a probation and a slow start.
func TestLife(t *testing.T) {
	s := begin(t, gray.Config{Backoff: gray.Backoff{Jitter: -1}}, 10)
	for range 3 {
		s.slowRound(500, 3)
	}
	state := func(want gray.State) {
		t.Helper()
		assert.Equal(t, want, s.State("s003"), "%v", s.now.Sub(t0))
	}
	state(gray.Ejected)
	assert.Zero(t, s.Weight("s003", s.now))
	s.slowRound(500, 3) // late completions do not matter
	s.slowRound(500, 3)
	state(gray.Ejected)
	s.slowRound(500, 3)
	state(gray.Probation)
	admitted := 0
	for range 100 {
		if s.Admit("s003", s.now) {
			admitted++
		}
	}
	assert.Equal(t, 5, admitted)
	s.all(500, 20*ms, 3)
	s.tick()
	state(gray.Probation) // no evidence, no return
	s.all(500, 20*ms, 3)
	s.send(3, 5, gray.OK, 200*ms)
	d := s.tick()
	state(gray.Ejected) // still slow: away for twice as long
	j, _ := d.Of("s003")
	assert.Equal(t, s.now.Add(time.Minute), j.Until)
	for range 6 {
		state(gray.Ejected)
		s.slowRound(500)
	}
	state(gray.Probation)
	s.all(500, 20*ms, 3)
	s.send(3, 3, gray.OK, 20*ms)
	s.tick()
	state(gray.Probation) // evidence adds up
	s.all(500, 20*ms, 3)
	s.send(3, 2, gray.OK, 20*ms)
	s.tick()
	state(gray.SlowStart)
	assert.InDelta(t, 0.1, s.Weight("s003", s.now), 1e-9)
	assert.InDelta(t, 0.5, s.Weight("s003", s.now.Add(15*time.Second)), 1e-9)
	admitted = 0
	for range 1000 {
		if s.Admit("s003", s.now.Add(15*time.Second)) {
			admitted++
		}
	}
	assert.InDelta(t, 500, admitted, 1)
	for range 3 {
		s.slowRound(500)
	}
	state(gray.Active)
	j, _ = s.Evaluate(s.now).Of("s003")
	assert.Equal(t, 1, j.Times)
	{ // evidence of health
		s.slowRound(500)
	}
	j, _ = s.Evaluate(s.now).Of("s003")
	assert.Zero(t, j.Times)
	c := s.Counters()
	assert.EqualValues(t, 1, c.Returned)
	assert.EqualValues(t, 1, c.FailedProbes)
	assert.EqualValues(t, 1, c.Enforced[gray.SlowTail])
}

// The last latency of an ejected server is not in the median of its peers.
func TestEjectedLeaveThePeers(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 3 {
		s.slowRound(500, 3)
	}
	d := s.slowRound(500, 3)
	for _, j := range d.Servers {
		if j.Server == "s003" {
			assert.Equal(t, gray.Away, j.Reason)
			continue
		}
		assert.Equal(t, 8, j.Tests[0].Peers)
	}
	assert.Equal(t, 9, d.Group.Judged)
}

// Above the cap nobody is evicted and one page goes out.
func TestGuardInMonitor(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	pages := 0
	for i := range 20 {
		d := s.slowRound(500, 1, 3, 5)
		assert.Empty(t, d.Ejections())
		assert.True(t, d.Guard.Open)
		assert.Equal(t, []int{10, 3, 2}, []int{d.Guard.Members, d.Guard.Unhealthy, d.Guard.Limit})
		if d.Guard.Page {
			pages++
			assert.Equal(t, 2, i)
		}
		if i >= 2 {
			s.verdict(d, 1, gray.Suppressed, gray.CapReached)
		}
	}
	assert.Equal(t, 1, pages)
	// One of ten is bad: that is half the cap, so the guard closes after its dwell.
	for i := range 7 {
		d := s.slowRound(500, 3)
		if i < 6 {
			s.verdict(d, 3, gray.Suppressed, gray.GuardOpen)
		} else {
			s.verdict(d, 3, gray.Eject, gray.None)
		}
	}
	c := s.Counters()
	assert.EqualValues(t, 1, c.Pages)
	detected, enforced, suppressed := uint64(0), uint64(0), uint64(0)
	for _, n := range c.Detected {
		detected += n
	}
	for _, n := range c.Enforced {
		enforced += n
	}
	for _, n := range c.Suppressed {
		suppressed += n
	}
	assert.Equal(t, detected, enforced+suppressed)
	assert.EqualValues(t, 6, c.Suppressed[gray.GuardOpen])
}

// The ratchet: what is ejected already counts, as does what others find.
func TestGuardCountsEverything(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 3 {
		s.slowRound(500, 1, 3)
	}
	assert.Equal(t, gray.Ejected, s.State("s001"))
	for range 3 {
		d := s.slowRound(500, 5)
		assert.True(t, d.Guard.Open)
		assert.Empty(t, d.Ejections())
	}
	for _, mark := range []func(*gray.Monitor, string, bool){(*gray.Monitor).SetSilent, (*gray.Monitor).SetFailing} {
		s = begin(t, gray.Config{}, 10)
		mark(s.Monitor, "s007", true)
		mark(s.Monitor, "s008", true)
		mark(s.Monitor, "nobody", true)
		for range 4 {
			d := s.slowRound(500, 3)
			assert.Empty(t, d.Ejections())
		}
		// An operator knows that they are bad.
		override := func() []string {
			s.Override(s.now.Add(time.Minute))
			return s.slowRound(500, 3).Ejections()
		}
		preview := s.slowRound(500, 3)
		s.verdict(preview, 3, gray.Suppressed, gray.CapReached)
		assert.Equal(t, []string{"s003"}, override())

		// Whom an operator removes counts no more: the guard closes after its dwell.
		s.Restore("s003")
		s.Override(time.Time{})
		for range 3 {
			assert.Empty(t, s.slowRound(500, 3).Ejections())
		}
		s.Remove("s007", "s008")
		n := 0
		for ; s.State("s003") == gray.Active; n++ {
			s.all(500, 20*ms, 3, 7, 8)
			s.send(3, 500, gray.OK, 200*ms)
			s.tick()
		}
		assert.Equal(t, 7, n)
	}
}

// An operator can go beyond the cap, but somebody must stay, and who goes does
// not depend on chance: the worst first, then by name.
func TestOverrideLeavesOne(t *testing.T) {
	s := begin(t, gray.Config{Hits: 1, Of: 1}, 10)
	s.Override(s.now.Add(time.Hour))
	for i := range 10 {
		s.send(i, 100, gray.Error, ms)
	}
	d := s.tick()
	assert.Equal(t, names(9), d.Ejections())
	s.verdict(d, 9, gray.Suppressed, gray.CapReached)
	_, ok := d.Of("nobody")
	assert.False(t, ok)
}

// A share that goes up and down pages all the same, once for each time the guard opens.
func TestGuardPagesWhenFlapping(t *testing.T) {
	g, err := gray.NewGuard(gray.GuardConfig{PageAfter: 3})
	require.NoError(t, err)
	var pages []int
	for i := range 40 {
		bad := 3
		if i%2 == 1 || i >= 20 && i < 30 {
			bad = 0
		}
		if g.Look(t0.Add(time.Duration(i)*10*time.Second), census(10, bad)).Page {
			pages = append(pages, i)
		}
	}
	assert.Equal(t, []int{4, 34}, pages)
}

// In a group of five to nine a tenth is nobody, but one that is bad does not
// hold the guard open for ever.
func TestGuardClosesWithOneLeft(t *testing.T) {
	s := begin(t, gray.Config{}, 6)
	assert.True(t, s.slowRound(500, 1, 2).Guard.Open)
	for range 6 {
		assert.Empty(t, s.slowRound(500, 1).Ejections())
	}
	assert.Equal(t, []string{"s001"}, s.slowRound(500, 1).Ejections())
	g, err := gray.NewGuard(gray.GuardConfig{LeavePercent: -1, Dwell: -1})
	require.NoError(t, err)
	assert.True(t, g.Look(t0, census(6, 2)).Open)
	assert.True(t, g.Look(t0, census(6, 1)).Open)
	assert.False(t, g.Look(t0, census(6, 0)).Open)
}

func TestSmallGroups(t *testing.T) {
	for n := range 5 {
		s := begin(t, gray.Config{MinPeers: 1}, n)
		for range 10 {
			assert.Empty(t, s.slowRound(500, 0).Ejections(), "%d servers", n)
		}
		s = begin(t, gray.Config{MinPeers: 1, Guard: gray.GuardConfig{SmallGroup: gray.EjectOne}}, n)
		total := 0
		for range 4 {
			total += len(s.slowRound(500, 0).Ejections())
		}
		assert.Equal(t, map[bool]int{true: 1}[n >= 3], total, "%d servers", n)
	}
}

// Evaluate changes nothing, whenever it is called.
func TestEvaluateIsPure(t *testing.T) {
	asked, quiet := begin(t, gray.Config{Seed: 5}, 10), begin(t, gray.Config{Seed: 5}, 10)
	for round := range 30 {
		for _, s := range []*script{asked, quiet} {
			s.all(500, 20*ms, 3)
			s.send(3, 500, gray.OK, time.Duration(200-180*(round/12%2))*ms)
		}
		for i := range 5 {
			asked.Evaluate(asked.now.Add(time.Duration(i) * 10 * time.Second))
		}
		next := asked.now.Add(10 * time.Second)
		preview := asked.Evaluate(next)
		d := asked.tick()
		assert.Equal(t, preview, d)
		assert.Equal(t, quiet.tick(), d)
	}
	assert.Equal(t, quiet.Counters(), asked.Counters())
	assert.NotZero(t, asked.Counters().Enforced[gray.SlowTail])
}

// A monitor that was held up itself is no judge.
func TestLateAndEarly(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.slowRound(500, 3)
	s.slowRound(500, 3)
	s.all(500, 20*ms, 3)
	s.send(3, 500, gray.OK, 200*ms)
	d := s.after(5 * time.Second)
	assert.False(t, d.Closed)
	s.verdict(d, 3, gray.NotEvaluated, gray.Early)
	d = s.after(26 * time.Second)
	s.verdict(d, 3, gray.NotEvaluated, gray.Late)
	assert.EqualValues(t, 1, s.Counters().LateOnes)
	s.verdict(s.tick(), 3, gray.NotEvaluated, gray.FewRequests) // what was recorded before is gone
	s.verdict(s.slowRound(500, 3), 3, gray.Eject, gray.None)    // the third of four that were judged
	d = s.Advance(s.now.Add(-5 * time.Second))                  // a little back in time is early
	assert.Equal(t, gray.Early, d.Reason)
	d = s.Advance(t0.Add(-time.Hour)) // and far back is a clock that was set
	assert.Equal(t, gray.Late, d.Reason)
}

func TestShadow(t *testing.T) {
	s := begin(t, gray.Config{Shadow: true}, 10)
	for range 5 {
		s.slowRound(500, 3)
	}
	c := s.Counters()
	assert.EqualValues(t, 3, c.Suppressed[gray.Shadowed])
	assert.EqualValues(t, 2, c.Suppressed[gray.Persistence])
	assert.EqualValues(t, 5, c.Detected[gray.SlowTail])
	assert.Empty(t, c.Enforced)
	assert.Equal(t, gray.Active, s.State("s003"))
}

func TestRestore(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 3 {
		s.slowRound(500, 3)
	}
	s.Restore("s003")
	assert.Equal(t, gray.Active, s.State("s003"))
	j, _ := s.Evaluate(s.now).Of("s003")
	assert.Zero(t, j.Times)
}

func TestUnknownAndManyClients(t *testing.T) {
	s := begin(t, gray.Config{MaxClients: 3}, 5)
	s.Record("c", "stranger", gray.OK, ms)
	s.Record("c", "s001", gray.Outcome(99), ms)
	assert.EqualValues(t, 2, s.Counters().Unknown)
	for i := range 10_000 {
		s.Record(fmt.Sprint(i), "s001", gray.OK, ms)
	}
	j, _ := s.Evaluate(s.now).Of("s001")
	assert.Equal(t, 10_000, j.Figures.Requests)
	s.tick()
	assert.Contains(t, s.Table().String(), gray.OtherClients)
	assert.False(t, s.Admit("stranger", s.now))
	assert.Equal(t, gray.Ejected, s.State("stranger"))
	assert.Zero(t, s.Weight("stranger", s.now))
	// Clients that have gone leave no trace.
	for range 61 {
		s.tick()
	}
	s.Record("late", "s001", gray.OK, ms)
	s.tick()
	assert.Contains(t, s.Table().String(), "late")
}

// With a cap of 1 % half of it is nothing: one bad server among a thousand must
// not hold the guard open all the same.
func TestGuardOfOnePercentCloses(t *testing.T) {
	g, err := gray.NewGuard(gray.GuardConfig{MaxPercent: 1})
	require.NoError(t, err)
	require.True(t, g.Look(t0, census(1000, 11)).Open)
	g.Look(t0, census(1000, 1))
	assert.False(t, g.Look(t0.Add(time.Minute), census(1000, 1)).Open)
	// Negative still means nobody.
	g, err = gray.NewGuard(gray.GuardConfig{LeavePercent: -1})
	require.NoError(t, err)
	require.True(t, g.Look(t0, census(10, 3)).Open)
	for i := range 10 {
		assert.True(t, g.Look(t0.Add(time.Duration(i)*time.Minute), census(10, 1)).Open)
	}
	g.Look(t0.Add(time.Hour), census(10, 0))
	assert.False(t, g.Look(t0.Add(2*time.Hour), census(10, 0)).Open)
}

// Every attempt that lost against a hedge is counted once, also around a return.
func TestMaskedAreCountedOnce(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	var sent uint64
	for range 60 {
		s.all(500, 20*ms, 3)
		l := 200 * ms
		if s.State(name(3)) != gray.Active {
			l = 20 * ms
			s.send(3, 50, gray.OK, l)
		} else {
			s.send(3, 500, gray.OK, l)
		}
		s.send(3, 7, gray.HedgedAway, l)
		sent += 7
		s.after(5 * time.Second)
		s.send(3, 7, gray.HedgedAway, l)
		sent += 7
		s.after(5 * time.Second)
	}
	for range 2 {
		s.after(10 * time.Second)
	}
	assert.Equal(t, sent, s.Counters().Masked)
}

// A run of failures that the cap suppresses counts once, however often Advance is called.
func TestEnvoyRunCountsOnce(t *testing.T) {
	s := begin(t, gray.Config{Envoy: &gray.Envoy{MaxPercent: 1}}, 10)
	s.tick()
	s.send(3, 5, gray.Error, ms)
	for range 9 {
		s.after(time.Second)
	}
	assert.EqualValues(t, 1, s.Counters().Suppressed[gray.CapReached])
}

// EjectOne works in the groups it is for with nothing else configured: a slow
// server among three is compared with the two others.
func TestEjectOneFindsSlowOnes(t *testing.T) {
	for n, want := range map[int]int{2: 0, 3: 1, 4: 1, 5: 1} {
		s := begin(t, gray.Config{Guard: gray.GuardConfig{SmallGroup: gray.EjectOne}}, n)
		total := 0
		for range 4 {
			total += len(s.slowRound(500, 0).Ejections())
		}
		assert.Equal(t, want, total, "%d servers", n)
	}
}

// Where hedging cuts off the tails of the peers, what is left of them is no
// measure for one whose hedges lost: theirs may have been as long.
func TestBoundsOfPeersAreNoMeasure(t *testing.T) {
	for _, slowMedian := range []bool{false, true} {
		s := begin(t, gray.Config{}, 10)
		ejections := 0
		for range 5 {
			for i := range 10 {
				usual, o, tail := 20*ms, gray.HedgedAway, 30*ms
				if i == 3 {
					o, tail = gray.OK, 100*ms
					if slowMedian {
						usual = tail
					}
				}
				s.send(i, 475, gray.OK, usual)
				s.send(i, 25, o, tail)
			}
			d := s.tick()
			ejections += len(d.Ejections())
			if j, _ := d.Of(name(3)); !slowMedian {
				assert.Equal(t, gray.Keep, j.Verdict, "%v", j)
				assert.Equal(t, gray.FewPeers, j.Tests[0].Reason)
			}
		}
		assert.Equal(t, map[bool]int{true: 1}[slowMedian], ejections)
	}
	// Bounds that are in the minority change nothing, and bounds of the judged one count.
	s := begin(t, gray.Config{}, 10)
	ejections := 0
	for range 3 {
		s.all(500, 20*ms, 3, 4, 5, 6)
		for i := 4; i <= 6; i++ {
			s.send(i, 475, gray.OK, 20*ms)
			s.send(i, 25, gray.Cancelled, 25*ms)
		}
		s.send(3, 475, gray.OK, 20*ms)
		s.send(3, 25, gray.HedgedAway, 100*ms)
		ejections += len(s.tick().Ejections())
	}
	assert.Equal(t, 1, ejections)
}

// Probes that their clients gave up for reasons of their own tell nothing, and
// more are sent; probes that lost against hedges tell that it is still slow.
func TestProbesThatWereCancelled(t *testing.T) {
	for outcome, want := range map[gray.Outcome]gray.State{gray.Cancelled: gray.Probation, gray.HedgedAway: gray.Ejected} {
		s := begin(t, gray.Config{}, 10)
		for range 3 {
			s.slowRound(500, 3)
		}
		for s.State(name(3)) != gray.Probation {
			s.all(500, 20*ms, 3)
			s.tick()
		}
		s.all(500, 20*ms, 3)
		latency := 2 * ms
		if outcome == gray.HedgedAway {
			latency = 30 * ms
		}
		s.send(3, 5, outcome, latency)
		s.tick()
		assert.Equal(t, want, s.State(name(3)), "%v", outcome)
		if outcome == gray.HedgedAway {
			continue
		}
		for i := range 5 {
			assert.Equal(t, gray.Probation, s.State(name(3)), "%d", i)
			assert.True(t, s.Admit(name(3), s.now), "%d", i)
			s.send(3, 1, gray.OK, 20*ms)
			s.all(500, 20*ms, 3)
			s.tick()
		}
		assert.Equal(t, gray.SlowStart, s.State(name(3)))
	}
}

// Whose slowness is excused by a path, and who fails besides, counts under the cap.
func TestExcusedThatFailCount(t *testing.T) {
	s := begin(t, gray.Config{Failures: -1}, 10)
	for range 4 {
		for i := range 10 {
			for c := range 4 {
				client, latency := fmt.Sprint("c", c), 20*ms
				if i < 4 && c == i {
					latency = time.Second
				}
				for range 200 {
					s.Record(client, name(i), gray.OK, latency)
				}
				if i < 4 {
					for range 300 {
						s.Record(client, name(i), gray.Error, ms)
					}
				}
			}
		}
		d := s.tick()
		assert.Empty(t, d.Ejections())
		assert.Equal(t, 4, d.Guard.Unhealthy)
		assert.True(t, d.Guard.Open)
	}
}
