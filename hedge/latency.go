package hedge

import (
	"math"
	"time"

	"example.com/liveness/internal/order"
)

// A latency is the running quantile that the delay is.
type latency struct {
	share float64 // of the latencies beyond the delay
	last  order.Window
	delay time.Duration // 0 until there are enough latencies
	known bool
	turn  uint32 // of the latencies that stand in
}

func newLatency(cfg Config) latency {
	return latency{share: cfg.ExtraLoad, last: order.New(cfg.WindowSize)}
}

// learn takes in a latency. It keeps the r-th largest of n with r = ⌊(n+1) p⌋:
// the next one is longer with a probability of at most p, whatever the law, as
// long as each is as likely as any other to be the longest. The same rule as in
// qos.HedgeDelay, for samples that keep coming.
func (l *latency) learn(d time.Duration) {
	l.last.Add(int64(max(d, 0)))
	n := l.last.Len()
	// 0.29 is a little less than 29 in 100, but that is what was meant.
	r := int(math.Floor(float64(n+1) * l.share * (1 + 1e-14)))
	if l.known = r >= above; l.known {
		l.delay = time.Duration(l.last.At(n - r))
	}
}

// learnAtLeast takes in what is known to be too short: the time after which an
// attempt was given up. What is not beyond the delay might belong to either side
// of it, and teaches nothing. For what is, one of the latencies that are longer
// stands in, each as often as any other, as Kaplan and Meier's estimator has it
// (Efron's redistribution to the right): taken as it is, it would count as short
// once the delay has grown beyond it.
func (l *latency) learnAtLeast(d time.Duration) {
	if !l.known || d < l.delay {
		return
	}
	if longer := l.last.Above(int64(d)); longer > 0 {
		l.turn++
		_, turn := math.Modf(float64(l.turn) * golden) // regular, and never the same order
		d = time.Duration(l.last.At(l.last.Len() - 1 - int(turn*float64(longer))))
	}
	l.learn(d)
}

// golden is the share whose multiples fill the unit interval most evenly.
const golden = 0.6180339887498949
