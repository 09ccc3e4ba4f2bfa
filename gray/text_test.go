package gray_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// A test says what its rule goes by, and no peers where it has none.
func TestTestsInWords(t *testing.T) {
	s := begin(t, gray.Config{Envoy: &gray.Envoy{FailurePercent: 50, GatewayFailures: 5}}, 5)
	s.all(500, ms, 3)
	s.send(3, 50, gray.OK, ms)
	s.send(3, 450, gray.Unreachable, ms)
	envoy, _ := s.tick().Of("s003")
	s = begin(t, gray.Config{Failures: 3}, 6)
	s.all(500, 20*ms, 3)
	s.send(3, 100, gray.OK, 20*ms)
	s.send(3, 150, gray.Error, ms)
	own, _ := s.tick().Of("s003")
	s = begin(t, gray.Config{Hits: 2, Of: 3}, 2)
	s.all(500, 20*ms)
	few, _ := s.tick().Of("s001")
	for _, c := range []struct {
		j    gray.Judgement
		want []string
	}{
		{envoy, []string{
			"consecutive gateway failures 450, threshold 5",
			"consecutive 5xx 450, threshold 5",
			"success rate 10 % against 82 %, the mean, threshold 13.6 %, 500 samples",
			"failure percentage 90 %, threshold 50 %, 500 samples",
		}},
		{own, []string{
			"slow tail not judged, 100 of 500 samples",
			"slow median 20ms against 20ms, the median of 5 peers, threshold 61ms, 100 samples, bad in 0 of the last 5 intervals, 3 needed",
			"more errors 60 % against 0 %, the median of 5 peers, threshold 5 %, 250 samples, bad in 1 of the last 5 intervals, 3 needed",
			"many errors 60 %, threshold 50 %, 250 samples, bad in 1 of the last 5 intervals, 3 needed",
			"consecutive failures 150, threshold 3, bad in 1 of the last 5 intervals, 3 needed",
		}},
		{few, []string{
			"slow tail 21ms not compared (few comparable peers)",
			"slow median 20ms not compared (few comparable peers)",
			"more errors 0 % not compared (few comparable peers)",
			"many errors 0 %, threshold 50 %, 500 samples, bad in 0 of the last 3 intervals, 2 needed",
			"consecutive failures 0, threshold 5, bad in 0 of the last 3 intervals, 2 needed",
		}},
	} {
		var got []string
		for _, test := range c.j.Tests {
			got = append(got, test.String())
		}
		assert.Equal(t, c.want, got)
	}
	assert.Equal(t, "slow tail at least 1.2s against 12ms, the median of 1 peer, threshold 35ms, 1 sample",
		gray.Test{Rule: gray.SlowTail, Value: 1.234, AtLeast: true, Peers: 1, Median: 0.01178, Threshold: 0.0353, Samples: 1, Of: 1}.String())
}

func TestJudgementsInWords(t *testing.T) {
	s := begin(t, gray.Config{Hits: 1, Probes: -1, Backoff: gray.Backoff{Jitter: -1}}, 10)
	text := func(d gray.Decision, server int) string {
		j, _ := d.Of(name(server))
		return j.String()
	}
	d := s.slowRound(500, 3)
	assert.Equal(t, "s004: keep", text(d, 4))
	d = s.slowRound(10)
	assert.Equal(t, "s003: not evaluated (ejected until 2026-03-01T12:00:40Z)", text(d, 3))
	assert.Equal(t, "s004: not evaluated (few requests)", text(d, 4))
	assert.Equal(t, "s004: not evaluated (early)", text(s.after(time.Second), 4))
	assert.Equal(t, "s003: not evaluated (slow start)", text(s.after(30*time.Second), 3))
	s.all(500, ms, 4)
	s.send(4, 500, gray.OK, 8*ms)
	assert.Equal(t, "s004: keep (small gap), slow tail 8.1ms against 1ms, the median of 9 peers, threshold 11ms, 500 samples", text(s.tick(), 4))

	s = begin(t, gray.Config{Hits: 1, Backoff: gray.Backoff{Jitter: -1}}, 10)
	s.slowRound(500, 3)
	assert.Equal(t, "s003: not evaluated (probation)", text(s.after(30*time.Second), 3))
}

// No name reaches a terminal with what it would do there.
func TestNamesOnATerminal(t *testing.T) {
	m := newMonitor(t, gray.Config{Hits: 1, Of: 1}, 5)
	const server, client = "evil\x1b[2J", "c\nd"
	m.Add(server)
	for range 500 {
		for _, s := range m.Members() {
			latency := 20 * ms
			if s == server {
				latency = time.Second
			}
			for _, c := range []string{"a", "b", client} {
				m.Record(c, s, gray.OK, latency)
			}
		}
	}
	d := m.Advance(t0)
	texts := fmt.Sprint(d.Servers[0], d.Changes[0], m.Table()) // a table ends with its faults
	assert.Len(t, m.Table().Faults(), 1)
	assert.NotContains(t, texts, "\x1b")
	assert.NotContains(t, texts, client)
	assert.Contains(t, texts, `"evil\x1b[2J"`)
	assert.Contains(t, texts, `"c\nd"`)
}

func TestNames(t *testing.T) {
	for _, v := range []fmt.Stringer{gray.HedgedAway, gray.NotEvaluated, gray.PathFault, gray.SlowTail, gray.Probation, gray.FaultAll} {
		assert.NotContains(t, v.String(), "(")
	}
	assert.Equal(t, "Outcome(99)", gray.Outcome(99).String())
	assert.Equal(t, "Verdict(9)", gray.Verdict(9).String())
	assert.Equal(t, "Rule(99)", gray.Rule(99).String())
	assert.Equal(t, "Reason(99)", gray.Reason(99).String())
}
