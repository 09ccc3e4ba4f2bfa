package qos

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// leastPromised is how many mistakes must be promised for a level to be scored.
const leastPromised = 3

// gapBits makes buckets of at most 2^-12 of the value.
const gapBits = 12

// A Calibration compares, at one level φ and on one trace, the mistakes that
// the level promises with those that were made. A heartbeat judged is a mistake
// if it arrived after the deadline of that level.
type Calibration struct {
	// Level is φ. It promises a share of 10^−φ mistakes.
	Level float64

	// Judged is the number of heartbeats judged, Mistakes that of mistakes
	// among them.
	Judged, Mistakes int

	// Promised is 10^−φ, Observed is Mistakes / Judged.
	Promised, Observed float64

	// Low and High are the 95 % confidence interval of Clopper and Pearson
	// for the rate of which Observed is a sample: exact if the mistakes are
	// independent, too narrow if they come in bursts.
	Low, High float64

	// TimeoutMean is the mean of deadline less last arrival, in seconds:
	// the price.
	TimeoutMean float64

	// Hindsight is the best constant timeout for the observed rate, in
	// seconds: the smallest that no more than Mistakes of the heartbeats
	// judged would have exceeded, or up to 0.025 % more.
	Hindsight float64

	// Log10Error is log₁₀(observed / promised mistakes): 0 is right, 1 means
	// ten times as many as promised. No mistake counts as half a one. It is
	// NaN where fewer than 3 mistakes are promised, because chance alone
	// decides there.
	Log10Error float64
}

// Efficiency is TimeoutMean / Hindsight: what the detector costs, as a multiple
// of what the best constant timeout would have cost at the same rate of
// mistakes. Below 1 is better than any constant. NaN if all gaps were 0.
func (c Calibration) Efficiency() float64 {
	if !(c.Hindsight > 0) {
		return math.NaN()
	}
	return c.TimeoutMean / c.Hindsight
}

// Calibrate compares promise and observation on one stream of heartbeats, for a
// detector whose level is a φ, at each of the levels; none means 1, 2, 3 and 4.
// [Scores] sums up several streams. For the warm-up and the errors see [Replay].
func Calibrate(beats Beats, newDetector Factory, warmup int, levels ...float64) ([]Calibration, error) {
	if len(levels) == 0 {
		levels = []float64{1, 2, 3, 4}
	}
	warmup, err := warmupOf(warmup)
	if err != nil {
		return nil, err
	}
	p, err := newPlayer(Candidate{New: newDetector, Levels: levels}, warmup)
	if err != nil {
		return nil, err
	}
	p.gaps = &histogram{bits: gapBits}
	if err := run(beats, p); err != nil {
		return nil, err
	}
	reports, err := p.reports()
	if err != nil {
		return nil, err
	}
	results := make([]Calibration, len(reports))
	for i, r := range reports {
		late := p.judges[i].late
		c := Calibration{
			Level:       r.Level,
			Judged:      r.Heartbeats,
			Mistakes:    late,
			Promised:    math.Pow(10, -r.Level),
			Observed:    float64(late) / float64(r.Heartbeats),
			TimeoutMean: r.AfterHeartbeat.Mean,
			Hindsight:   float64(p.gaps.exceededBy(int64(late))) / nanos,
			Log10Error:  math.NaN(),
		}
		c.Low, c.High = clopperPearson(late, r.Heartbeats)
		if promised := c.Promised * float64(c.Judged); promised >= leastPromised {
			c.Log10Error = math.Log10(max(float64(late), 0.5) / promised)
		}
		results[i] = c
	}
	return results, nil
}

// clopperPearson returns the 95 % interval for the probability of which k of n is a sample.
func clopperPearson(k, n int) (low, high float64) {
	const tail = 0.025
	high = 1
	if k > 0 {
		low = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(tail)
	}
	if k < n {
		high = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(1 - tail)
	}
	return low, high
}

// A Score sums up the calibration at one level over several traces, each of
// which counts the same.
type Score struct {
	// Level is φ.
	Level float64

	// Traces is the number of traces long enough to be scored: those where
	// the level promises at least 3 mistakes. What follows is NaN if it is 0.
	Traces int

	// MeanAbsLog10Error is the mean of |Log10Error|: how far off the level is.
	MeanAbsLog10Error float64

	// MeanSignedLog10Error is the mean of Log10Error: above 0, it promises too much.
	MeanSignedLog10Error float64

	// Efficiency is the geometric mean of [Calibration.Efficiency].
	Efficiency float64
}

// Scores sums up the calibrations of one detector on several traces, one a
// trace. They must be about the same levels in the same order.
func Scores(traces ...[]Calibration) ([]Score, error) {
	if len(traces) == 0 {
		return nil, nil
	}
	scores := make([]Score, len(traces[0]))
	for i := range scores {
		level := traces[0][i].Level
		var size, signed, price running
		for k, trace := range traces {
			if len(trace) != len(scores) || trace[i].Level != level {
				return nil, fmt.Errorf("qos: traces[%d] has other levels than traces[0], want the same", k)
			}
			if c := trace[i]; !math.IsNaN(c.Log10Error) {
				size.add(math.Abs(c.Log10Error))
				signed.add(c.Log10Error)
				if e := c.Efficiency(); e > 0 { // not where all gaps were 0
					price.add(math.Log(e))
				}
			}
		}
		scores[i] = Score{level, size.n, size.moments().Mean, signed.moments().Mean, math.Exp(price.moments().Mean)}
	}
	return scores, nil
}
