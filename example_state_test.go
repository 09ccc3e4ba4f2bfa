package liveness_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"example.com/liveness"
)

// A monitor that is restarted need not start blind: save what its detectors have
// learnt now and then, and restore it into detectors of the same configuration.
func ExamplePhi_UnmarshalBinary() {
	dir, err := os.MkdirTemp("", "liveness")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "phi.state")

	newDetector := func() *liveness.Phi {
		d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: 10 * time.Second, MinStdDev: 20 * time.Millisecond})
		if err != nil {
			log.Fatal(err)
		}
		return d
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // in your program, time.Now()

	// Before the restart: the process beats every second, more or less.
	before := newDetector()
	for i := range 1000 {
		at = at.Add(time.Second + time.Duration(i%7)*10*time.Millisecond)
		before.Heartbeat(at)
	}
	data, err := before.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	// Written beside it first, so that a crash leaves the old one or the new one.
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		log.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		log.Fatal(err)
	}

	// After it: a file that is missing or damaged only costs what was learnt.
	after, blind := newDetector(), newDetector()
	if data, err := os.ReadFile(path); err != nil {
		log.Print(err)
	} else if err := after.UnmarshalBinary(data); err != nil {
		log.Print(err)
	}
	at = at.Add(time.Hour)
	fmt.Println("an hour later: suspected", liveness.Suspected(after, at))
	after.Heartbeat(at)
	blind.Heartbeat(at)
	wait := func(d liveness.Detector) time.Duration { return d.Deadline(3).Sub(at).Round(100 * time.Millisecond) }
	fmt.Println("φ = 3 after a silence of", wait(after), "with what was learnt, and", wait(blind), "without")
	// Output:
	// an hour later: suspected false
	// φ = 3 after a silence of 1.3s with what was learnt, and 17.7s without
}
