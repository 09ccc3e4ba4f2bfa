package liveness

import (
	"fmt"
	"math"
	"time"
)

const (
	// minDuration catches a number without its unit: 500 is 500 ns.
	minDuration = time.Microsecond
	// maxDuration keeps sums of a few durations within time.Duration.
	maxDuration = 10 * 365 * 24 * time.Hour
	// minWeight is a weight as good as none whose products are still above 0.
	minWeight, maxWeight = 1e-100, 1e6
	// maxLevel is as far as the inverse of φ is exact.
	maxLevel = 1e12
)

// check returns an error that names the field, its value and the bound, unless ok.
func check(ok bool, field string, value any, want string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("liveness: %s is %v, want %s", field, value, fmt.Sprintf(want, args...))
}

func checkInt(field string, n, low, high int) error {
	return check(low <= n && n <= high, field, n, "a number from %d to %d", low, high)
}

func checkDuration(field string, d time.Duration) error {
	return check(minDuration <= d && d <= maxDuration, field, d, "a duration from %v to %v", minDuration, maxDuration)
}

// checkPositive refuses NaN, the infinities, zero of either sign and what is below or above high.
func checkPositive(field string, x, high float64) error {
	return check(x > 0 && x <= high, field, x, "a finite number above 0, at most %v", high)
}

// unset reports whether a number in a config was left out. Negative zero was not.
func unset(x float64) bool { return x == 0 && !math.Signbit(x) }
