package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

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
