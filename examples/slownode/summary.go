package main

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// seconds are written as milliseconds below 1 s.
type seconds float64

func secondsOf(d time.Duration) seconds { return seconds(d.Seconds()) }

func (s seconds) String() string {
	if s >= 1 {
		return fmt.Sprintf("%.2f s", float64(s))
	}
	return fmt.Sprintf("%.0f ms", float64(s)*1e3)
}

// A percentage is a share, from 0 to 1, that is written in percent.
type percentage float64

func percent(part, whole float64) percentage {
	if whole == 0 {
		return 0
	}
	return percentage(part / whole)
}

func (p percentage) String() string {
	if p > 0 && p < 0.0995 {
		return fmt.Sprintf("%.1f %%", float64(p)*100)
	}
	return fmt.Sprintf("%.0f %%", float64(p)*100)
}

// A latency summarises searches.
type latency struct {
	Searches int
	P50      seconds
	P99      seconds
	Slow     percentage // share of those that took as long as a slow server does, or longer
	Stalled  int        // searches left out, since this program was held up meanwhile
}

// summarise requires the time that a slow server takes.
func summarise(samples []sample, slow time.Duration) latency {
	var took []time.Duration
	late := 0
	for _, s := range samples {
		if s.stalled {
			continue
		}
		took = append(took, s.took)
		if s.took >= slow {
			late++
		}
	}
	slices.Sort(took)
	return latency{
		Searches: len(took),
		P50:      secondsOf(quantile(took, 0.5)),
		P99:      secondsOf(quantile(took, 0.99)),
		Slow:     percent(float64(late), float64(len(took))),
		Stalled:  len(samples) - len(took),
	}
}

func (l latency) String() string {
	text := fmt.Sprintf("p50 %7s   p99 %7s   slow %5s of %d searches", l.P50, l.P99, l.Slow, l.Searches)
	if l.Stalled > 0 {
		text += fmt.Sprintf(" (%d left out)", l.Stalled)
	}
	return text
}

// quantile returns the least value that a share q is at or below; 0 of none.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	// 0.99 · 100 is a little more than 99 in binary.
	i := int(math.Ceil(q*float64(len(sorted))-1e-9)) - 1
	return sorted[min(max(i, 0), len(sorted)-1)]
}

// after returns the samples that began at or after t.
func after(samples []sample, t time.Time) []sample {
	i, _ := slices.BinarySearchFunc(samples, t, func(s sample, t time.Time) int { return s.began.Compare(t) })
	return samples[i:]
}
