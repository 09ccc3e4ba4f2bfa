package qos_test

import (
	"errors"
	"fmt"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// Which interval and margin do I need? A crash is to be noticed within 30 s,
// with one mistake in 30 days at most, on a network that loses one heartbeat in
// a hundred and delays the others by 20 ms in the mean.
func ExampleKnownLaw_Configure() {
	network := qos.KnownLaw{Loss: 0.01, Survival: qos.Survival(liveness.Exponential{Mean: 0.020})}
	c, err := network.Configure(qos.Target{
		DetectionTime:     30 * time.Second,
		MistakeRecurrence: 30 * 24 * time.Hour,
		MistakeDuration:   time.Minute,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("send every %.2f s, wait %.2f s more\n", c.Interval.Seconds(), c.Margin.Seconds())
	fmt.Printf("a mistake every %.1f days, for %.1f s\n", c.MistakeRecurrence/86400, c.MistakeDuration)
	// Output:
	// send every 9.98 s, wait 20.02 s more
	// a mistake every 30.0 days, for 2.6 s
}

// The same without synchronised clocks, and knowing no more of the delay than
// its standard deviation: what liveness.Chen is made for.
func ExampleKnownSpread_Configure() {
	c, err := qos.KnownSpread{Loss: 0.01, StdDev: 0.14142}.Configure(qos.Target{
		DetectionTime:     30 * time.Second,
		MistakeRecurrence: 30 * 24 * time.Hour,
		MistakeDuration:   time.Minute,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := liveness.NewChen(liveness.ChenConfig{Interval: c.Interval, Margin: c.Margin})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("send every %.2f s, wait %.2f s more; threshold %v\n", c.Interval.Seconds(), c.Margin.Seconds(), d.Threshold())
	// Output:
	// send every 9.72 s, wait 20.28 s more; threshold 1
}

// Can it be reached at all?
func ExampleTarget() {
	_, err := qos.KnownMoments{Loss: 0.01, Mean: 0.200, StdDev: 0.050}.Configure(qos.Target{
		DetectionTime:     150 * time.Millisecond,
		MistakeRecurrence: time.Hour,
	})
	fmt.Println(errors.Is(err, qos.ErrUnreachable))
	fmt.Println(err)
	// Output:
	// true
	// qos: no heartbeat arrives within DetectionTime 150ms, which has to be longer than delays are; a DetectionTime of 300ms can be reached
}

// How often will it be wrong, with a heartbeat a second and a margin that holds
// one more, or two?
func ExampleKnownLaw_Predict() {
	network := qos.KnownLaw{Loss: 0.01, Survival: qos.Survival(liveness.Exponential{Mean: 0.020})}
	for _, margin := range []time.Duration{time.Second, 2 * time.Second} {
		p, err := network.Predict(time.Second, margin)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("detects within %v: a mistake every %.0f s, right %.4f %% of the time\n", p.DetectionTime, p.MistakeRecurrence, 100*p.QueryAccuracy)
	}
	// Output:
	// detects within 2s: a mistake every 101 s, right 99.9702 % of the time
	// detects within 3s: a mistake every 10101 s, right 99.9997 % of the time
}

// Which φ do I set for one mistake a week among 100 processes?
func ExamplePhiThreshold() {
	phi, err := qos.PhiThreshold(100, 7*24*time.Hour, time.Second)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", phi)
	// Output: 7.8
}
