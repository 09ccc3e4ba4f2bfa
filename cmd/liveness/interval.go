package main

import (
	"math"
	"slices"
	"strconv"
	"time"

	"example.com/liveness/qos"
)

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
