package liveness

import (
	"iter"
	"math"
	"time"

	"example.com/liveness/internal/exact"
)

// nanos is the number of samples' units in a second.
const nanos = 1e9

// A Window holds the latest durations, up to a fixed number, and their
// statistics. Adding costs O(1) and allocates nothing.
//
// The sums behind the statistics are integers wide enough never to overflow
// or round. So the statistics depend on the samples present alone, bit for
// bit, whatever passed through before; durations that are all equal have
// variance exactly 0.
//
// A Window is not safe for concurrent use, and must not be copied. It must be
// made by [NewWindow]; the zero value panics when a sample is added.
type Window struct {
	n, next int32           // samples present, and the place of the next one
	ring    []time.Duration // as long as the window, never another one
	sums    exact.Sums
}

// NewWindow returns an empty window for the given number of samples, from 1
// to 1048576. It takes 8 bytes a sample, at once.
func NewWindow(capacity int) (*Window, error) {
	if err := checkWindowSize("capacity", capacity); err != nil {
		return nil, err
	}
	w := makeWindow(capacity)
	return &w, nil
}

func makeWindow(capacity int) Window {
	return Window{ring: make([]time.Duration, capacity)}
}

// Add appends d; a full window gives up its oldest sample for it. Every value
// of d is kept as it is, negative ones included.
func (w *Window) Add(d time.Duration) {
	if len(w.ring) == 0 {
		panic("liveness: Window not made by NewWindow")
	}
	place := &w.ring[w.next]
	if w.isFull() {
		w.sums.Replace(int64(*place), int64(d))
	} else {
		w.sums.Add(int64(d))
		w.n++
	}
	*place = d
	if w.next++; int(w.next) == len(w.ring) {
		w.next = 0
	}
}

// Len returns the number of samples present.
func (w *Window) Len() int { return int(w.n) }

func (w *Window) isFull() bool { return int(w.n) == len(w.ring) }

// Cap returns the number of samples the window can hold.
func (w *Window) Cap() int { return len(w.ring) }

// Mean returns the arithmetic mean of the samples in seconds,
//
//	Σx / n
//
// rounded once, to the nearest float64. It is 0 for an empty window.
func (w *Window) Mean() float64 {
	if w.n == 0 {
		return 0
	}
	return w.sums.Mean(w.Len(), nanos)
}

// Variance returns the population variance of the samples in seconds squared,
//
//	(n Σx² − (Σx)²) / n²
//
// computed in integers and rounded once, to the nearest float64. It is 0 for
// fewer than two samples. For the variance of a population of which the window
// is a sample, multiply by n/(n−1).
func (w *Window) Variance() float64 {
	if w.n == 0 {
		return 0
	}
	return w.sums.Variance(w.Len(), nanos)
}

// StdDev returns the square root of [Window.Variance], in seconds.
func (w *Window) StdDev() float64 { return math.Sqrt(w.Variance()) }

// Stats returns the statistics to which a [Distribution] is fitted, all of them:
//
//	law := StudentT{}.Fit(w.Stats())
//
// It costs O(n), for the logarithms and the least. In a logarithm a sample below
// 1 ns counts as 1 ns. All is 0 for an empty window.
func (w *Window) Stats() Stats {
	n := w.Len()
	if n == 0 {
		return Stats{}
	}
	var logs exact.Sums
	least := w.ring[0]
	for _, d := range w.ring[:n] {
		logs.Add(fixedLog(d))
		least = min(least, d)
	}
	s := Stats{Count: n, Mean: w.Mean(), StdDev: w.StdDev(), Weight: float64(n), Least: least.Seconds()}
	mean, variance := logMoments(&logs, n)
	s.LogMean, s.LogStdDev = mean, math.Sqrt(variance)
	return s
}

// oldest returns the sample that the next one takes the place of, and whether there is one.
func (w *Window) oldest() (d time.Duration, full bool) {
	if !w.isFull() {
		return 0, false
	}
	return w.ring[w.next], true
}

// All iterates over the samples, oldest first. Adding to the window while
// iterating over it is not allowed.
func (w *Window) All() iter.Seq[time.Duration] {
	return func(yield func(time.Duration) bool) {
		older := w.ring[w.next:]
		if !w.isFull() {
			older = nil
		}
		for _, part := range [2][]time.Duration{older, w.ring[:w.next]} {
			for _, d := range part {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// Reset empties the window and keeps its capacity.
func (w *Window) Reset() {
	w.n, w.next, w.sums = 0, 0, exact.Sums{}
}
