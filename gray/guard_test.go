package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

func census(n, bad int) gray.Census { return gray.Census{Members: names(n), Failing: names(bad)} }

func newGuard(t *testing.T, cfg gray.GuardConfig) *gray.Guard {
	t.Helper()
	g, err := gray.NewGuard(cfg)
	require.NoError(t, err)
	return g
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
	assert.Equal(t, total(c.Detected), total(c.Enforced)+total(c.Suppressed))
	assert.EqualValues(t, 6, c.Suppressed[gray.GuardOpen])
}

// The ratchet: what is ejected already counts, as does what others find.
func TestGuardCountsEverything(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.eject(1, 3)
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
	g := newGuard(t, gray.GuardConfig{PageAfter: 3})
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
	g := newGuard(t, gray.GuardConfig{LeavePercent: -1, Dwell: -1})
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

// With a cap of 1 % half of it is nothing: one bad server among a thousand must
// not hold the guard open all the same.
func TestGuardOfOnePercentCloses(t *testing.T) {
	g := newGuard(t, gray.GuardConfig{MaxPercent: 1})
	require.True(t, g.Look(t0, census(1000, 11)).Open)
	g.Look(t0, census(1000, 1))
	assert.False(t, g.Look(t0.Add(time.Minute), census(1000, 1)).Open)
	// Negative still means nobody.
	g = newGuard(t, gray.GuardConfig{LeavePercent: -1})
	require.True(t, g.Look(t0, census(10, 3)).Open)
	for i := range 10 {
		assert.True(t, g.Look(t0.Add(time.Duration(i)*time.Minute), census(10, 1)).Open)
	}
	g.Look(t0.Add(time.Hour), census(10, 0))
	assert.False(t, g.Look(t0.Add(2*time.Hour), census(10, 0)).Open)
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

func TestGuardClockSetBack(t *testing.T) {
	g := newGuard(t, gray.GuardConfig{})
	require.True(t, g.Look(t0, census(10, 5)).Open)
	require.True(t, g.Look(t0, census(10, 0)).Open)
	back := t0.Add(-time.Hour)
	assert.True(t, g.Look(back, census(10, 0)).Open, "it dwells")
	assert.False(t, g.Look(back.Add(time.Minute), census(10, 0)).Open)
}
