package qos_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"strings"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/qos"
)

// A network for the examples: a heartbeat a second, in bursts of three one in a
// hundred is lost, and delays have a long tail.
func exampleNetwork() qos.Beats {
	return qos.Simulation{Phases: []qos.Phase{{
		Beats: 100_000,
		Delay: func(src rand.Source) qos.Draw { return distuv.LogNormal{Mu: -3, Sigma: 1, Src: src} },
		Loss:  0.01,
		Burst: 3,
	}}}.Beats()
}

// How good is my detector on my network?
func ExampleReplay() {
	// Of your own, use qos.Open and Trace.Beats.
	r, err := qos.Replay(exampleNetwork(), func() (liveness.Detector, error) {
		return liveness.NewPhi(liveness.PhiConfig{Threshold: 4})
	}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d heartbeats, %d lost\n", r.Heartbeats, r.Lost)
	fmt.Printf("wrong once in %.0f s, for %.1f s; right %.2f %% of the time\n",
		r.MistakeRecurrence.Mean, r.MistakeDuration.Mean, 100*r.QueryAccuracy)
	fmt.Printf("a crash is noticed after %.1f s, at worst %.1f s\n", r.AnyInstant.Mean, r.AfterHeartbeat.Max)
	// Output:
	// 98715 heartbeats, 1085 lost
	// wrong once in 7945 s, for 3.1 s; right 99.97 % of the time
	// a crash is noticed after 11.4 s, at worst 57.7 s
}

// What does a threshold cost?
func ExampleSweep() {
	curves, err := qos.Sweep(exampleNetwork(), 0,
		qos.Candidate{
			Name:   "φ",
			New:    func() (liveness.Detector, error) { return liveness.NewPhi(liveness.PhiConfig{}) },
			Levels: []float64{1, 2, 3, 4}, // 360, 36, 3.6 and 0.36 mistakes an hour are promised
		},
		qos.Candidate{
			Name: "margin of NFD-E, s",
			New: func() (liveness.Detector, error) {
				return liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
			},
			Levels: []float64{0.5, 1.5, 2.5},
		})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range curves {
		fmt.Println(c.Name)
		for _, p := range c.Points {
			fmt.Printf("  %4v: noticed after %.1f s, wrong %4.1f times an hour\n", p.Level, p.AnyInstant.Mean, 3600*p.MistakeRate)
		}
	}
	// Output:
	// φ
	//      1: noticed after 0.6 s, wrong 356.1 times an hour
	//      2: noticed after 1.1 s, wrong 35.4 times an hour
	//      3: noticed after 4.6 s, wrong  3.6 times an hour
	//      4: noticed after 11.4 s, wrong  0.4 times an hour
	// margin of NFD-E, s
	//    0.5: noticed after 1.0 s, wrong 37.8 times an hour
	//    1.5: noticed after 2.0 s, wrong  8.4 times an hour
	//    2.5: noticed after 3.0 s, wrong  5.8 times an hour
}

// Is my φ calibrated? Not where losses come in bursts: no law of gaps that was
// made for delays knows them.
func ExampleCalibrate() {
	results, err := qos.Calibrate(exampleNetwork(), func() (liveness.Detector, error) {
		return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.LogNormal{}})
	}, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range results {
		fmt.Printf("φ %v promises %.2g, makes %.2g (%.2g to %.2g) with a timeout of %.1f s\n",
			c.Level, c.Promised, c.Observed, c.Low, c.High, c.TimeoutMean)
	}
	// Output:
	// φ 1 promises 0.1, makes 0.018 (0.017 to 0.019) with a timeout of 1.4 s
	// φ 2 promises 0.01, makes 0.0051 (0.0046 to 0.0055) with a timeout of 1.8 s
	// φ 3 promises 0.001, makes 0.0025 (0.0022 to 0.0028) with a timeout of 2.3 s
	// φ 4 promises 0.0001, makes 0.0023 (0.002 to 0.0026) with a timeout of 2.7 s
}

// A log of ping is a trace.
func ExampleOpen() {
	ping := `PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.
64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=11.6 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=57 time=12.4 ms
64 bytes from 192.0.2.1: icmp_seq=4 ttl=57 time=240 ms
64 bytes from 192.0.2.1: icmp_seq=5 ttl=57 time=12.0 ms
`
	trace, err := qos.Open("ping.log", strings.NewReader(ping))
	if err != nil {
		log.Fatal(err)
	}
	r, err := qos.Replay(trace.Beats(qos.Auto), func() (liveness.Detector, error) {
		return liveness.NewFixedTimeout(100 * time.Millisecond)
	}, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %d answers judged, %d too late, %d lost\n", trace.Series(), r.Heartbeats, r.Mistakes, r.Lost)
	// Output: delay: 3 answers judged, 1 too late, 1 lost
}

// How long does a crash at 02:30 go unnoticed?
func ExampleDetectionTimes() {
	start := time.Date(2026, 1, 1, 2, 0, 0, 0, time.UTC)
	network := qos.Simulation{Start: start, Phases: []qos.Phase{{Beats: 3600}}}
	times, err := qos.DetectionTimes(network.Beats(), func() (liveness.Detector, error) {
		return liveness.NewFixedTimeout(5 * time.Second)
	}, start.Add(30*time.Minute+250*time.Millisecond))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(times[0], "s")
	// Output: 4.75 s
}
