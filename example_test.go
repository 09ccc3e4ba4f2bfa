package liveness_test

import (
	"fmt"
	"log"
	"math"
	"time"

	"example.com/liveness"
)

// Is the process alive? Feed heartbeats, ask when it matters.
func Example() {
	d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: time.Second})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // in your program, time.Now()
	for range 10 {
		d.Heartbeat(at)
		at = at.Add(time.Second)
	}
	fmt.Println("on time:     suspected", liveness.Suspected(d, at))
	fmt.Println("5 s late:    suspected", liveness.Suspected(d, at.Add(5*time.Second)))
	d.Heartbeat(at.Add(6 * time.Second))
	fmt.Println("heard again: suspected", liveness.Suspected(d, at.Add(6*time.Second)))
	// Output:
	// on time:     suspected false
	// 5 s late:    suspected true
	// heard again: suspected false
}

// Which detector? All share one interface, so try them side by side: here on a
// process that beats every 100 ms, with a little jitter, and then falls silent.
func ExampleDetector() {
	const interval = 100 * time.Millisecond
	fixed, err := liveness.NewFixedTimeout(1 * time.Second)
	if err != nil {
		log.Fatal(err)
	}
	chen, err := liveness.NewChen(liveness.ChenConfig{Interval: interval, Margin: 200 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	phi, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: interval})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, d := range []liveness.Detector{fixed, chen, phi} {
		var last time.Time
		for i := range 1000 {
			last = start.Add(time.Duration(i)*interval + time.Duration(i%3)*time.Millisecond)
			d.Heartbeat(last)
		}
		wait := d.Deadline(d.Threshold()).Sub(last)
		fmt.Printf("%-22T suspects after %v of silence\n", d, wait.Round(time.Millisecond))
	}
	// Output:
	// *liveness.FixedTimeout suspects after 1s of silence
	// *liveness.Chen         suspects after 301ms of silence
	// *liveness.Phi          suspects after 413ms of silence
}

// When shall I look again? Set one timer for the deadline instead of polling.
// When it fires, look: a heartbeat may have moved the deadline.
func ExampleDetector_deadline() {
	d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: 10 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	d.Heartbeat(time.Now()) // before the first one there is no deadline to wait for

	suspected := make(chan time.Time)
	var timer *time.Timer
	timer = time.AfterFunc(time.Until(d.Deadline(d.Threshold())), func() {
		if now := time.Now(); liveness.Suspected(d, now) {
			suspected <- now
		} else {
			timer.Reset(d.Deadline(d.Threshold()).Sub(now))
		}
	})
	d.Heartbeat(time.Now()) // costs no timer operation

	now := <-suspected
	fmt.Println("suspected before the deadline:", now.Before(d.Deadline(d.Threshold())))
	// Output: suspected before the deadline: false
}

// What does φ look like as silence grows? It is 0 when fresh, 0.3 when half of
// all heartbeats would have come, and then grows without bound.
func ExamplePhi_Suspicion() {
	d, err := liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, MinStdDev: 100 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 1001 {
		d.Heartbeat(at)
		at = at.Add(time.Second)
	}
	last := at.Add(-time.Second)
	for _, silence := range []time.Duration{
		0, 500 * time.Millisecond, time.Second, 1200 * time.Millisecond, 1500 * time.Millisecond, 2 * time.Second, time.Minute, time.Hour,
	} {
		fmt.Printf("%6v  φ = %.4g\n", silence, d.Suspicion(last.Add(silence)))
	}
	// Output:
	//     0s  φ = 0
	//  500ms  φ = 1.245e-07
	//     1s  φ = 0.301
	//   1.2s  φ = 1.643
	//   1.5s  φ = 6.543
	//     2s  φ = 23.12
	//   1m0s  φ = 7.559e+04
	// 1h0m0s  φ = 2.813e+08
}

// How do I choose the threshold? From the mistakes you can bear: a calibrated φ
// of Φ is wrong once in 10^Φ heartbeats.
func ExamplePhi_Threshold() {
	const (
		peers    = 100
		perDay   = 24 * 60 * 60 // heartbeats of each, one a second
		mistakes = 1. / 7       // a day: one a week
	)
	threshold := math.Log10(peers * perDay / mistakes)
	d, err := liveness.NewPhi(liveness.PhiConfig{Threshold: threshold, ExpectedInterval: time.Second})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("threshold %.1f\n", d.Threshold())
	// Output: threshold 7.8
}

// Two consumers, two thresholds, one detector: a load balancer turns away
// early, an election must be sure.
func ExamplePhi_Deadline() {
	d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: time.Second})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.Heartbeat(start)
	fmt.Println("turn away after", d.Deadline(1).Sub(start).Round(time.Millisecond))
	fmt.Println("elect after    ", d.Deadline(8).Sub(start).Round(time.Millisecond))
	// Output:
	// turn away after 1.705s
	// elect after     4.087s
}

// What has it learnt? The statistics to which the law is fitted.
func ExamplePhi_Stats() {
	d, err := liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, MinStdDev: time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 1001 {
		d.Heartbeat(start.Add(time.Duration(i)*time.Second + time.Duration(i%2)*100*time.Millisecond))
	}
	s := d.Stats()
	fmt.Printf("%d gaps, mean %.3f s, standard deviation %.3f s\n", s.Count, s.Mean, s.StdDev)
	// Output: 1000 gaps, mean 1.000 s, standard deviation 0.100 s
}

// What if the worst case is known? Then a constant does.
func ExampleFixedTimeout() {
	d, err := liveness.NewFixedTimeout(3 * time.Second)
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.Heartbeat(start)
	fmt.Println(d.Suspicion(start.Add(1500*time.Millisecond)), d.Suspected(start.Add(3*time.Second)))
	// Output: 0.5 true
}

// How do I let a process pause for garbage collection?
func ExamplePhiConfig() {
	d, err := liveness.NewPhi(liveness.PhiConfig{
		Distribution:     liveness.LogNormal{}, // delays with a tail
		ExpectedInterval: 100 * time.Millisecond,
		WindowSize:       100,
		AcceptablePause:  2 * time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d.Heartbeat(start)
	fmt.Println(d.Suspected(start.Add(2*time.Second)), d.Suspected(start.Add(3*time.Second)))
	// Output: false true
}

// What if a setting makes no sense? The constructor says which, and what it wants.
func ExampleNewPhi() {
	_, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: 100}) // the unit is missing
	fmt.Println(err)
	// Output: liveness: ExpectedInterval is 100ns, want a duration from 1µs to 100 days
}

// Which timeout is outlasted by one reply in a thousand? A law alone answers;
// no detector is needed.
func ExampleLogNormal() {
	rtt := liveness.LogNormal{Mu: math.Log(0.050), Sigma: 1} // median 50 ms
	timeout := rtt.Quantile(3)                               // seconds
	fmt.Printf("%.3f s\n", timeout)
	fmt.Printf("300 ms is too short for %.2f %% of the replies\n", 100*math.Pow(10, -rtt.Phi(0.300)))
	// Output:
	// 1.099 s
	// 300 ms is too short for 3.66 % of the replies
}

// Which timeout follows from what I have measured? Fit a law to a window.
func ExampleWindow_Stats() {
	w, err := liveness.NewWindow(100)
	if err != nil {
		log.Fatal(err)
	}
	for i := range 100 {
		w.Add(time.Duration(40+i%21) * time.Millisecond) // 40 to 60 ms
	}
	law := liveness.LogNormal{}.Fit(w.Stats())
	timeout := time.Duration(law.Quantile(3) * float64(time.Second)) // one reply in 1000 is later
	fmt.Println(timeout.Round(100 * time.Microsecond))
	// Output: 71.1ms
}

// How sure can I be at 18.25 σ? A probability would have run out of digits at 8.3.
func ExampleGaussian() {
	law := liveness.Gaussian{Mean: 1, StdDev: 0.1}
	fmt.Printf("φ(2.825 s) = %.3f\n", law.Phi(2.825))
	fmt.Printf("φ = 8 at %.4f s\n", law.Quantile(8))
	// Output:
	// φ(2.825 s) = 73.985
	// φ = 8 at 1.5612 s
}

// What does Cassandra's detector assume?
func ExampleExponential() {
	law := liveness.Exponential{Mean: 1}
	fmt.Printf("φ(2 s) = %.3f, φ = 8 at %.1f s\n", law.Phi(2), law.Quantile(8))
	// Output: φ(2 s) = 0.869, φ = 8 at 18.4 s
}

// My heartbeats carry sequence numbers: what do I gain? A lost one does not
// move the deadline of those that follow, and the loss is counted.
func ExampleChen_HeartbeatSeq() {
	d, err := liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: 200 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, beat := range []struct {
		seq uint64
		at  time.Duration
	}{
		{0, 0}, {1, 1 * time.Second}, {2, 2 * time.Second},
		{4, 4 * time.Second}, // 3 is lost, or late
		{3, 4100 * time.Millisecond},
		{5, 5 * time.Second},
	} {
		d.HeartbeatSeq(beat.seq, start.Add(beat.at))
	}
	fmt.Println("freshness point at", d.Deadline(1).Sub(start))
	fmt.Println("missed:", d.Missed(), "ignored:", d.Ignored())
	// Output:
	// freshness point at 6.2s
	// missed: 1 ignored: 1
}

// How do I keep statistics of the latest n durations, exactly and for ever?
func ExampleWindow() {
	w, err := liveness.NewWindow(3)
	if err != nil {
		log.Fatal(err)
	}
	w.Add(365 * 24 * time.Hour) // an absurd one leaves no trace once it is out
	for _, d := range []time.Duration{100, 110, 90} {
		w.Add(d * time.Millisecond)
	}
	fmt.Printf("mean %.4f s, variance %.4g s²\n", w.Mean(), w.Variance())
	for d := range w.All() {
		fmt.Print(d, " ")
	}
	// Output:
	// mean 0.1000 s, variance 6.667e-05 s²
	// 100ms 110ms 90ms
}
