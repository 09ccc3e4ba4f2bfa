package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

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
	assert.Equal(t, []int{9, 500, 500, 3, 3, 5}, []int{tail.Peers, tail.Samples, tail.Needed, tail.Hits, tail.HitsNeeded, tail.Of})
	assert.Contains(t, j.String(), "s003: eject until 2026-03-01T12:01:00Z, slow tail 200ms against 21ms, the median of 9 peers, threshold 63ms, 500 samples, bad in 3 of the last 5 intervals, 3 needed")
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
	assert.EqualValues(t, 5, s.Counters().Kept[gray.SmallGap])
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
				s.verdict(d, 3, gray.Keep, gray.FewPeers)
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

// Without hedges a server that is slow in 8 % of its requests is ejected; with them
// nobody's p99 is known, and nothing but Masked tells.
func TestHedgingHidesATail(t *testing.T) {
	for _, hedged := range []bool{false, true} {
		s := begin(t, gray.Config{}, 10)
		for interval := range 3 {
			for i := range 10 {
				slow, latency := 25, 30*ms // of 500
				if i == 3 {
					slow, latency = 40, 500*ms
				}
				s.send(i, 500-slow, gray.OK, 20*ms)
				if hedged {
					s.send(i, slow, gray.HedgedAway, 25*ms) // when the answer to the hedge came
				} else {
					s.send(i, slow, gray.OK, latency)
				}
			}
			d := s.tick()
			j, _ := d.Of(name(3))
			switch {
			case hedged:
				s.verdict(d, 3, gray.Keep, gray.FewPeers)
				assert.Equal(t, 40, j.Figures.Masked)
			case interval == 2:
				s.verdict(d, 3, gray.Eject, gray.None)
			}
		}
	}
}

// With too few peers a server is not found bad by the rules that compare, and the
// verdict says so, whether others could judge it or not.
func TestFewPeers(t *testing.T) {
	s := begin(t, gray.Config{}, 4)
	for range 5 {
		d := s.slowRound(500, 3)
		for i := range 4 {
			s.verdict(d, i, gray.Keep, gray.FewPeers) // half of the requests failing would have been found
		}
	}
	assert.Empty(t, s.Counters().Detected)
	assert.EqualValues(t, 20, s.Counters().Kept[gray.FewPeers])
	// Where one rule has peers and another has not: one busy server, nine with 100 requests.
	s = begin(t, gray.Config{}, 10)
	s.all(100, 20*ms)
	s.send(3, 400, gray.OK, 20*ms)
	d := s.tick()
	s.verdict(d, 3, gray.Keep, gray.FewPeers)
	s.verdict(d, 4, gray.Keep, gray.None)
	// What stands out but for the gap says that instead.
	s.all(100, ms, 3)
	s.send(3, 500, gray.OK, 8*ms)
	s.verdict(s.tick(), 3, gray.Keep, gray.SmallGap)
	// Where nothing else can judge either, it is not evaluated.
	s = begin(t, gray.Config{Envoy: &gray.Envoy{Failures: -1}}, 4)
	s.all(500, ms)
	s.verdict(s.tick(), 3, gray.NotEvaluated, gray.FewPeers)
	s = begin(t, gray.Config{Envoy: &gray.Envoy{Failures: -1, FailurePercent: 50, FailureHosts: 4}}, 4)
	s.all(500, ms)
	s.verdict(s.tick(), 3, gray.Keep, gray.FewPeers)
}
