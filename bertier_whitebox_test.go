package liveness

import (
	"math"
	"testing"
)

// TestJacobsonOfZooKeeper runs the margin alone through the example of
// ZOOKEEPER-702: a first delay of 25 ms, and then arrivals 20 ms before and 10 ms
// after EA. There are timeouts of 87 ms = 60 + α and of 97 ms = 65 + α. The first
// is met. The second is not: it rounds delay to whole milliseconds after each
// step, halves up, so that −1.45 off 24.5 is −1 off 25 there; unrounded it is
// 95.65. EA itself is another one there, the last arrival plus the mean gap, which
// ignores the numbers and so is no Chen's.
func TestJacobsonOfZooKeeper(t *testing.T) {
	const ms = 1e6
	j := jacobson{gain: 0.1, bias: 1, deviations: 4, least: 1, delay: 25 * ms}
	if margin := j.learn(20 * ms); math.Round(60+float64(margin)/ms) != 87 || margin != 26.5*ms {
		t.Errorf("first margin is %v ns", margin)
	}
	if margin := j.learn(10 * ms); margin != 30.65*ms {
		t.Errorf("second margin is %v ns", margin)
	}

	rounded := jacobson{gain: 0.1, bias: 1, deviations: 4, least: 1, delay: 25 * ms}
	rounded.learn(20 * ms)
	rounded.delay = 25 * ms // as it rounds
	rounded.learn(10 * ms)
	rounded.delay = 24 * ms
	if timeout := math.Round(65 + (rounded.delay+4*rounded.deviation)/ms); timeout != 97 {
		t.Errorf("rounded as there, the second timeout is %v ms, want 97", timeout)
	}
}
