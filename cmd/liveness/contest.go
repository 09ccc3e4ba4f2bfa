package main

import (
	"math"
	"strings"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// contenders returns the names of all that is compared: phi with each law, and the
// other detectors but fixed, which is what they are measured by.
func contenders() []string {
	var all []string
	for _, law := range lawNames {
		all = append(all, "phi:"+law)
	}
	for _, name := range detectorNames {
		if name != "phi" && name != "fixed" {
			all = append(all, name)
		}
	}
	return all
}

// comparedLevels are the φ whose promises are checked.
var comparedLevels = []float64{1, 2, 3, 4}

// A contest is a trace on which detectors are compared.
type contest struct {
	file     string
	series   qos.Series
	beats    []qos.Beat
	interval time.Duration
	judged   int
	goals    []goal
	entries  []entry // in the order of contenders
}

// A goal is a rate of mistakes that is not to be exceeded.
type goal struct {
	rate     float64
	mistakes int
	best     float64 // the best constant timeout, in seconds
}

// goalSteps is how many goals there are to a decade, from a tenth on.
const goalSteps = 4

// leastMistakes must be allowed, because chance alone decides where fewer are; as
// many must be promised for a φ to be scored.
const leastMistakes = 3

// rateOf returns the rate of the k-th goal.
func rateOf(k int) float64 { return math.Pow(10, -1-float64(k)/goalSteps) }

// newContest reads a trace.
func newContest(s *source, which qos.Series, warmup int) (*contest, error) {
	c := &contest{file: s.name}
	err := s.with(which, func(trace *qos.Trace, beats qos.Beats) error {
		c.series = seriesOf(trace, which)
		for b, err := range beats {
			if err != nil {
				return explain(s.name, err)
			}
			c.beats = append(c.beats, b)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var limit hindsight
	anyone := func() (liveness.Detector, error) { return liveness.NewFixedTimeout(time.Second) }
	if _, err := qos.Replay(limit.watch(qos.Slice(c.beats), warmup), anyone, warmup); err != nil { // it checks the trace
		return nil, explain(s.name, err)
	}
	c.judged = limit.judged
	c.interval = usual(c.beats)
	for k := 0; ; k++ {
		n := mistakesAt(rateOf(k), c.judged)
		if n < leastMistakes { // the data do not reach so far
			return c, nil
		}
		c.goals = append(c.goals, goal{rateOf(k), n, limit.best(n)})
	}
}

// settings returns what a contender is told: phi as little as in calibrate, and
// the others the interval, which floors are measured by. The margin of those that
// need one is the interval, because their level is a multiple of it.
func (c *contest) settings(set *settings, name string) *settings {
	own := *set
	if !strings.HasPrefix(name, "phi") && c.interval >= leastInterval {
		own.interval = c.interval
	}
	if name == "chen" || name == "two-window" {
		own.margin = c.interval
	}
	return &own
}

// ratio returns what the i-th contender needs for the k-th goal, NaN if it was not judged.
func (c *contest) ratio(i, k int) float64 {
	if e := c.entries[i]; e.judged {
		return e.reached[k].ratio
	}
	return math.NaN()
}

// best returns which contender reaches the k-th goal soonest, and its ratio, +Inf if none does.
func (c *contest) best(k int) (who int, ratio float64) {
	ratio = math.Inf(1)
	for i := range c.entries {
		if r := c.ratio(i, k); r < ratio {
			who, ratio = i, r
		}
	}
	return who, ratio
}
