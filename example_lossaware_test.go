package liveness_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"example.com/liveness"
)

// Heartbeats come every second by a network that loses a tenth of them. To be
// wrong once in a thousand heartbeats takes three that do not come.
func ExampleLossAware() {
	d, err := liveness.NewLossAware(liveness.LossAwareConfig{Interval: time.Second, Threshold: 3})
	if err != nil {
		panic(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	last := start
	for seq := range 3000 {
		if rng.Float64() < 0.1 {
			continue
		}
		delay := 20*time.Millisecond + time.Duration(rng.ExpFloat64()*5e6)
		last = start.Add(time.Duration(seq)*time.Second + delay)
		d.HeartbeatSeq(uint64(seq), last)
	}
	for silence := 1500 * time.Millisecond; silence < 5*time.Second; silence += time.Second {
		fmt.Printf("φ after %v: %.1f\n", silence, d.Suspicion(last.Add(silence)))
	}
	fmt.Println("suspected after", d.Deadline(3).Sub(last).Round(100*time.Millisecond))
	// Output:
	// φ after 1.5s: 1.0
	// φ after 2.5s: 1.9
	// φ after 3.5s: 2.8
	// φ after 4.5s: 3.7
	// suspected after 4s
}
