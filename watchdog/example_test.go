package watchdog_test

import (
	"fmt"
	"log"
	"time"

	"example.com/liveness/watchdog"
)

// What if the process was frozen for longer than it is allowed? The kick that
// follows says so, whether or not a timer has had a chance to.
func Example() {
	w, err := watchdog.New(watchdog.Config{
		OnMiss: func(m watchdog.Miss) { fmt.Println(m) }, // in your program, watchdog.Kill
	})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // in your program, time.Now()
	flush, err := w.Add("flush", 200*time.Millisecond, at)
	if err != nil {
		log.Fatal(err)
	}
	for _, pause := range []time.Duration{100, 150, 500, 10} {
		at = at.Add(pause * time.Millisecond)
		fmt.Println("kick:", flush.Kick(at))
	}
	// Output:
	// kick: true
	// kick: true
	// watchdog: part "flush" has not kicked for 500ms, its limit is 200ms
	// kick: false
	// kick: false
}

// My process has several loops, and all must be well. Each kicks for itself, and
// learns from its kick if another one hangs.
func ExampleWatchdog_Add() {
	w, err := watchdog.New(watchdog.Config{OnMiss: func(m watchdog.Miss) { fmt.Println("missed by", m.Part) }})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	poll, err := w.Add("poll", time.Second, start)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := w.Add("disk check", 5*time.Second, start); err != nil { // it hangs, and never kicks
		log.Fatal(err)
	}
	at := start
	for poll.Kick(at) {
		at = at.Add(500 * time.Millisecond)
	}
	fmt.Println("poll stopped after", at.Sub(start))
	// Output:
	// missed by disk check
	// poll stopped after 5s
}
