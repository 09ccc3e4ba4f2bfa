package gray

import (
	"math"
	"time"
)

const (
	usualAfter = 30  // intervals until the usual latency is known
	usualSpan  = 360 // intervals by which it follows
)

// Group is how the group itself is doing. Its latencies are as right as those in
// [Figures], and where most attempts were cut off they are lower bounds.
type Group struct {
	Degraded bool
	Judged   int           // servers with enough requests
	Median   time.Duration // the median of their medians
	P99      time.Duration // the median of their p99s
	Failures float64       // the median of their shares of failures
	Limit    time.Duration // for P99; 0 if there is none
	Usual    time.Duration // what Median usually is; 0 while that is not known

	// It was slow or failing in Hits of the last Of intervals, this one included.
	// From HitsNeeded on it is degraded, until it is 0.
	Hits, HitsNeeded, Of int
}

// groupState is how the group has been doing. It is a value, so that looking
// ahead changes nothing.
type groupState struct {
	degraded bool
	history  history // the last intervals in which it was slow or failing
	learnt   int     // intervals that the usual latency comes from, up to usualAfter
	usual    float64 // the logarithm of the usual median latency in seconds
}

// next judges an interval by absolute measures: the peers cannot tell when all are slow.
func (g groupState) next(cfg *Config, eligible []*view) (groupState, Group) {
	var medians, tails, shares []float64
	for _, v := range eligible {
		f := &v.j.Figures
		if f.Latencies >= cfg.MinRequests {
			medians = append(medians, v.median)
		}
		if f.Latencies >= cfg.TailRequests {
			tails = append(tails, v.tail)
		}
		if f.Requests >= cfg.MinRequests {
			shares = append(shares, f.failureShare())
		}
	}
	now := Group{Judged: max(len(medians), len(shares)), Limit: cfg.Limit, HitsNeeded: cfg.Hits, Of: cfg.Of}
	mid, tail := median(medians), median(tails)
	now.Median, now.P99, now.Failures = duration(mid), duration(tail), median(shares)

	slow := len(shares) > 0 && now.Failures >= cfg.FailureShare
	if cfg.Limit > 0 {
		// Where there are too few requests for the tail, a median above the limit will do.
		slow = slow || now.P99 > cfg.Limit || now.Median > cfg.Limit
	}
	known := g.learnt >= usualAfter
	usual := math.Exp(g.usual)
	if known {
		now.Usual = duration(usual)
	}
	if len(medians) > 0 && cfg.UsualRatio > 0 {
		if known {
			slow = slow || mid > cfg.UsualRatio*usual && mid-usual >= max(cfg.LatencyGap, 0).Seconds()
		}
		g = g.learn(mid)
	}
	g.history = g.history.and(slow, cfg.Of)
	now.Hits = g.history.hits()
	switch {
	case now.Hits >= cfg.Hits:
		g.degraded = true
	case now.Hits == 0:
		g.degraded = false
	}
	now.Degraded = g.degraded
	return g, now
}

// learn takes in the median latency of an interval. What is far off teaches no
// more than what is at the edge, so that an outage is not learnt but a lasting
// change is.
func (g groupState) learn(mid float64) groupState {
	x := math.Log(mid)
	if g.learnt < usualAfter {
		g.learnt++
		g.usual += (x - g.usual) / float64(g.learnt)
		return g
	}
	edge := math.Log(3)
	g.usual += min(max(x-g.usual, -edge), edge) / usualSpan
	return g
}
