package main

import (
	"fmt"
	"math"
	"slices"

	"example.com/liveness/qos"
)

// period is the mean period at which the heartbeats of a stream were sent.
type period struct {
	first, last qos.Beat // of this life of the process
	elapsed     float64  // seconds, in earlier lives
	intervals   uint64
}

// watch passes a stream on and notes which of its heartbeats were sent first and last.
func (p *period) watch(beats qos.Beats) qos.Beats {
	return func(yield func(qos.Beat, error) bool) {
		for b, err := range beats {
			if err == nil && b.Seq > 0 && !b.Sent.IsZero() {
				switch {
				case p.first.Seq == 0:
					p.first, p.last = b, b
				case b.Life != p.first.Life:
					p.elapsed, p.intervals = p.sum()
					p.first, p.last = b, b
				case b.Seq < p.first.Seq:
					p.first = b
				case b.Seq > p.last.Seq:
					p.last = b
				}
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// sum returns how long the process was seen to send, and in how many intervals.
func (p *period) sum() (elapsed float64, intervals uint64) {
	return p.elapsed + p.last.Sent.Sub(p.first.Sent).Seconds(), p.intervals + p.last.Seq - p.first.Seq
}

// periodTolerance is how far it may be from -interval.
const periodTolerance = 0.01

// compare warns if a detector that counts intervals was told another one.
func (p *period) compare(s *settings, detectors ...string) {
	elapsed, n := p.sum()
	if n == 0 || !slices.ContainsFunc(detectors, isChen) {
		return
	}
	mean := elapsed / float64(n)
	if want := s.interval.Seconds(); math.Abs(mean-want) > periodTolerance*want {
		fmt.Fprintf(s.flags.env.stderr, "warning: the trace's mean period is %s, -interval is %s\n", seconds(mean), seconds(want))
	}
}
