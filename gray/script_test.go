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

// eject has servers ejected that are slow in three intervals.
func (s *script) eject(slow ...int) {
	s.Helper()
	for range 3 {
		s.slowRound(500, slow...)
	}
	for _, i := range slow {
		require.Equal(s, gray.Ejected, s.State(name(i)))
	}
}

// changed asserts which servers changed their state, and how.
func (s *script) changed(d gray.Decision, want ...string) {
	s.Helper()
	var got []string
	for _, c := range d.Changes {
		got = append(got, fmt.Sprintf("%s %v → %v", c.Server, c.From, c.To))
	}
	assert.Equal(s, want, got, "%v", s.now.Sub(t0))
}

// total adds up counters.
func total[K comparable](counts map[K]uint64) (n uint64) {
	for _, k := range counts {
		n += k
	}
	return n
}
