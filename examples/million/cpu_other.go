//go:build !unix

package main

import "time"

// cpuTime returns false: nobody says.
func cpuTime() (time.Duration, bool) { return 0, false }
