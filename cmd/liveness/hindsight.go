package main

import (
	"maps"
	"math"
	"slices"

	"example.com/liveness/qos"
)

// hindsight counts the gaps of a stream in buckets 0.2 % wide: what each constant
// timeout would have done, in memory that does not grow with the stream.
type hindsight struct {
	buckets  map[int]int
	judged   int
	positive int
}

const bucketWidth = 0.002

// watch passes a stream on and counts the gaps that are judged.
func (h *hindsight) watch(beats qos.Beats, warmup int) qos.Beats {
	h.buckets = map[int]int{}
	return func(yield func(qos.Beat, error) bool) {
		arrived, last := 0, qos.Beat{}
		for b, err := range beats {
			if err == nil && !b.Lost() {
				if b.Life != last.Life {
					arrived = 0
				}
				if arrived >= warmup {
					h.add(b.At.Sub(last.At).Seconds())
				}
				arrived++
				last = b
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

func (h *hindsight) add(gap float64) {
	h.judged++
	if gap > 0 {
		h.positive++
		h.buckets[int(math.Ceil(math.Log(gap)/bucketWidth))]++
	}
}

// curve returns each timeout at which the number of gaps above it changes, with
// that number as a share of those judged, which falls to 0.
func (h *hindsight) curve() (timeouts, rates []float64) {
	above := h.positive
	for _, i := range slices.Sorted(maps.Keys(h.buckets)) {
		above -= h.buckets[i]
		timeouts = append(timeouts, math.Exp(float64(i)*bucketWidth))
		rates = append(rates, float64(above)/float64(h.judged))
	}
	return timeouts, rates
}

// best returns the smallest timeout that at most n gaps exceed, in seconds.
func (h *hindsight) best(n int) float64 {
	if h.positive <= n {
		return 0
	}
	timeouts, rates := h.curve()
	for i, r := range rates {
		if r*float64(h.judged) < float64(n)+0.5 {
			return timeouts[i]
		}
	}
	return math.Inf(1)
}

// above returns the share of gaps above 0.
func (h *hindsight) above() float64 { return float64(h.positive) / float64(h.judged) }
