package qos_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// Which timeout do I set, if one healthy request in a thousand may run into it
// and latencies are lognormal with a median of 50 ms?
func ExampleSizeLaw() {
	s, err := qos.SizeLaw(liveness.LogNormal{Mu: math.Log(0.050), Sigma: 1}, 0.001)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Timeout.Round(time.Millisecond))
	// Output: 1.099s
}

// Which timeout do I set, if all I have are measurements? And are they enough?
func ExampleSizeSamples() {
	latencies := make([]time.Duration, 500)
	for i := range latencies { // an exponential law with a mean of 20 ms, evenly drawn
		latencies[i] = time.Duration(-20e6 * math.Log((float64(i)+0.5)/500))
	}
	for _, p := range []float64{0.05, 0.005, 0.0005, 1e-9} {
		s, err := qos.SizeSamples(latencies, p)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %v by %s\n", p, s.Timeout.Round(time.Millisecond), s.Method)
		if s.Warning == "" {
			fmt.Printf("  from %v to %v, 95 %% sure\n", s.Lower.Round(time.Millisecond), s.Upper.Round(time.Millisecond))
		} else {
			fmt.Println(" ", s.Warning)
		}
	}
	// Output:
	// 0.05: 60ms by order statistic
	//   from 53ms to 69ms, 95 % sure
	// 0.005: 116ms by order statistic
	//   500 samples do not bound the timeout from above: that takes 736
	// 0.0005: 152ms by generalised-Pareto tail
	//   no sample of 500 is as rare as 0.0005: the timeout is extrapolated, a bound takes 7376 samples
	// qos: falsePositive is 1e-09, want at least 2e-05 with 500 samples: take 3688879453 or more, or a law
}

// When do I send a second request, if that may cost 5 % more load?
func ExampleHedgeDelay() {
	latencies := make([]time.Duration, 1000)
	for i := range latencies {
		latencies[i] = time.Duration(i+1) * time.Millisecond
	}
	s, err := qos.HedgeDelay(latencies, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Timeout)
	// Output: 951ms
}

// How long may my test wait? Long enough that a healthy run fails once in a
// million.
func ExampleMeasureTimeout() {
	_ = func(t *testing.T) {
		answer := make(chan string, 1)
		ask := func() { answer <- "pong" }

		timeout := qos.MeasureTimeout(t, 1e-6, func() { ask(); <-answer })

		go ask()
		select {
		case <-answer:
		case <-time.After(timeout):
			t.Errorf("no answer within %v", timeout)
		}
	}
}
