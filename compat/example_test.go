package compat_test

import (
	"fmt"
	"log"
	"time"

	"example.com/liveness"
	"example.com/liveness/compat"
)

// When does a cluster of Akka suspect a node that beats every second, and what is
// its threshold worth?
func ExampleAkka() {
	d, err := compat.Akka{AcceptableHeartbeatPause: 3 * time.Second}.New()
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 1001 {
		d.Heartbeat(at)
		at = at.Add(time.Second)
	}
	last := at.Add(-time.Second)
	fmt.Printf("suspected after %.2f s\n", d.Deadline(d.Threshold()).Sub(last).Seconds())

	// From its thresholds to those of a Gaussian, whose φ keeps its promise, and back.
	gaussian, logistic := liveness.Gaussian{StdDev: 1}, liveness.Logistic{StdDev: 1}
	fmt.Printf("its 8 is %.2f\n", liveness.AkkaPhi(8))
	fmt.Printf("8 is its %.2f\n", logistic.Phi(gaussian.Quantile(8)))
	// Output:
	// suspected after 4.52 s
	// its 8 is 7.06
	// 8 is its 9.31
}

// When does Cassandra convict a node, of which gossip comes every second?
func ExampleCassandra() {
	d, err := compat.Cassandra{PhiConvictThreshold: 12}.New()
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 1001 {
		d.Heartbeat(at)
		at = at.Add(time.Second)
	}
	last := at.Add(-time.Second)
	fmt.Printf("convicted after %.2f s\n", d.Deadline(12).Sub(last).Seconds())
	fmt.Printf("φ is %.2f after 10 s\n", d.Suspicion(last.Add(10*time.Second)))
	// Output:
	// convicted after 27.63 s
	// φ is 4.34 after 10 s
}

// How long does Hazelcast wait with its defaults? More than its maximum of a
// minute without a heartbeat: that is added to what it expects.
func ExampleHazelcast() {
	d, err := compat.Hazelcast{}.New()
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 1001 {
		d.Heartbeat(at)
		at = at.Add(5 * time.Second)
	}
	last := at.Add(-5 * time.Second)
	fmt.Printf("suspected after %.2f s\n", d.Deadline(d.Threshold()).Sub(last).Seconds())
	// Output:
	// suspected after 65.58 s
}

// How do I take over the settings, but with another law?
func ExampleAkka_PhiConfig() {
	cfg := compat.Akka{Threshold: 12, MinStdDeviation: 200 * time.Millisecond}.PhiConfig()
	cfg.Distribution = liveness.Gaussian{}
	cfg.Threshold = liveness.AkkaPhi(cfg.Threshold)
	d, err := liveness.NewPhi(cfg)
	if err != nil {
		log.Fatal(err)
	}
	d.Heartbeat(time.Now())
	fmt.Printf("threshold %.2f\n", d.Threshold())
	// Output: threshold 9.81
}
