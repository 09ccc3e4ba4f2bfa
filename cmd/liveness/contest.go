package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// An entry is what a detector did on one trace.
type entry struct {
	judged  bool              // false: it makes no sense here
	kept    []qos.Calibration // at comparedLevels, if its level is a φ
	reached []reached         // in the order of the goals
}

// reached is how a goal was reached: at the least threshold that does.
type reached struct {
	threshold, timeout float64 // NaN: at none
	ratio              float64 // of timeout to the best constant one; NaN: unknown
}

var unreached = reached{math.NaN(), math.NaN(), math.NaN()}

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

// usual returns the median interval at which heartbeats were sent, or else
// arrived, with as few digits as are within 0.1 % of it.
func usual(beats []qos.Beat) time.Duration {
	var sent, gaps []time.Duration
	var last, numbered qos.Beat // arrived, and sent
	for _, b := range beats {
		if !b.Sent.IsZero() && b.Seq > 0 {
			if numbered.Seq > 0 && numbered.Life == b.Life && b.Seq == numbered.Seq+1 {
				sent = append(sent, b.Sent.Sub(numbered.Sent))
			}
			numbered = b
		}
		if b.Lost() {
			continue
		}
		if !last.At.IsZero() && last.Life == b.Life {
			gaps = append(gaps, b.At.Sub(last.At))
		}
		last = b
	}
	if len(sent) > 0 {
		gaps = sent
	}
	if len(gaps) == 0 {
		return 0
	}
	slices.Sort(gaps)
	return rounded(gaps[len(gaps)/2])
}

func rounded(d time.Duration) time.Duration {
	for places := 0; ; places++ {
		x, _ := strconv.ParseFloat(strconv.FormatFloat(float64(d), 'e', places, 64), 64)
		if math.Abs(x-float64(d)) <= 0.001*math.Abs(float64(d)) {
			return time.Duration(x)
		}
	}
}

// leastInterval is the least that the library takes.
const leastInterval = time.Microsecond

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

// enter judges a contender.
func (c *contest) enter(set *settings, name string, warmup int) (entry, error) {
	if suits(c.series, name) != nil {
		return entry{}, nil
	}
	if isChen(name) && c.interval < leastInterval {
		return entry{}, fmt.Errorf("the median interval is %v, want at least %v", c.interval, leastInterval)
	}
	own, err := c.settings(set, name).detector(name)
	if err != nil {
		return entry{}, err
	}
	levelsReached, err := highest(c.beats, own, warmup)
	if err != nil {
		return entry{}, err
	}
	var levels []float64
	if isPhi(name) {
		levels = slices.Clone(comparedLevels)
	}
	thresholds := make([]float64, len(c.goals))
	for i, g := range c.goals {
		thresholds[i] = math.Nextafter(levelsReached[g.mistakes], math.Inf(1))
		if !math.IsInf(thresholds[i], 1) {
			levels = append(levels, thresholds[i])
		}
	}
	if len(levels) == 0 {
		return entry{judged: true, reached: slices.Repeat([]reached{unreached}, len(c.goals))}, nil
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	calibrations, err := qos.Calibrate(qos.Slice(c.beats), own, warmup, levels...)
	if err != nil {
		return entry{}, err
	}
	at := func(level float64) (qos.Calibration, bool) {
		i, ok := slices.BinarySearch(levels, level)
		if !ok {
			return qos.Calibration{}, false
		}
		return calibrations[i], true
	}
	e := entry{judged: true}
	if isPhi(name) {
		for _, level := range comparedLevels {
			k, _ := at(level)
			e.kept = append(e.kept, k)
		}
	}
	for i, g := range c.goals {
		r := unreached
		if k, ok := at(thresholds[i]); ok {
			r = reached{k.Level, k.TimeoutMean, math.NaN()}
			if g.best > 0 {
				r.ratio = r.timeout / g.best
			}
		}
		e.reached = append(e.reached, r)
	}
	return e, nil
}

// highest returns the levels that suspicion had reached at the ends of the gaps
// judged, the highest first. A threshold above all but n of them makes n mistakes:
// those are where a gap was over after its deadline.
func highest(beats []qos.Beat, make qos.Factory, warmup int) ([]float64, error) {
	var levels []float64
	var d liveness.Detector
	var last qos.Beat
	heard := 0
	for _, b := range beats {
		if b.Lost() || d != nil && b.Life < last.Life {
			continue
		}
		if d == nil || b.Life > last.Life {
			var err error
			if d, err = make(); err != nil {
				return nil, err
			}
			heard = 0
		}
		if heard >= warmup {
			level := 0.0
			if b.At.After(last.At) { // a heartbeat at its deadline is no mistake
				level = d.Suspicion(b.At.Add(-1))
			}
			levels = append(levels, level)
		}
		if s, ok := d.(interface{ HeartbeatSeq(uint64, time.Time) }); ok && b.Seq > 0 {
			s.HeartbeatSeq(b.Seq, b.At)
		} else {
			d.Heartbeat(b.At)
		}
		last = b
		heard++
	}
	slices.SortFunc(levels, func(a, b float64) int { return cmp.Compare(b, a) })
	return levels, nil
}

// error returns the mean |log10(observed / promised)| over the levels scored, NaN if there is none.
func (e entry) error() float64 {
	sum, n := 0.0, 0
	for _, k := range e.kept {
		if !math.IsNaN(k.Log10Error) {
			sum += math.Abs(k.Log10Error)
			n++
		}
	}
	return sum / float64(n)
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
