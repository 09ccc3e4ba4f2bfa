package liveness

import (
	"fmt"
	"time"
)

const (
	// minDuration catches a number without its unit: 500 is 500 ns.
	minDuration = time.Microsecond
	// maxDuration in nanoseconds is exact in a float64.
	maxDuration = 100 * 24 * time.Hour
	maxWindow   = 1 << 20
	// minWeight is a weight as good as none whose products are still above 0.
	minWeight, maxWeight = 1e-100, 1e6
	maxFactor            = 100
	// maxLevel is as far as the inverse of φ is exact.
	maxLevel = 1e12
)

const durationBounds = "a duration from 1µs to 100 days"

// check returns an error that names the field, its value and the bound, unless
// ok, which should ask for what is wanted: NaN is neither above nor below.
func check(ok bool, field string, value any, want string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("liveness: %s is %v, want %s", field, value, fmt.Sprintf(want, args...))
}

func checkWindowSize(field string, n int) error {
	return check(1 <= n && n <= maxWindow, field, n, "a number from 1 to %d", maxWindow)
}

func checkDuration(field string, d time.Duration) error {
	return check(minDuration <= d && d <= maxDuration, field, d, durationBounds)
}

func checkDurationOrZero(field string, d time.Duration) error {
	return check(d == 0 || minDuration <= d && d <= maxDuration, field, d, "0 or "+durationBounds)
}

func checkThreshold(x float64) error {
	return check(x > 0 && x <= maxLevel, "Threshold", x, "a finite number above 0, at most %v", maxLevel)
}

// checkFactor accepts a factor that was set.
func checkFactor(field string, x float64) error {
	return check(x > 0 && x <= maxFactor, field, x, "a finite number above 0, at most %v", maxFactor)
}
