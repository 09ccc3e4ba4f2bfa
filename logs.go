package liveness

import (
	"math"
	"time"

	"example.com/liveness/internal/exact"
)

// logUnit is the number of units of fixedLog in 1. ln of the longest gap in
// nanoseconds is 43.7, so squares of a thousand of them fit 128 bits.
const logUnit = 1 << 44

// lnNanos is ln(1 s/1 ns).
const lnNanos = 9 * math.Ln10

// fixedLog returns ln(d/1 ns) as an integer, so that sums of it are exact. A d
// below 1 ns counts as 1 ns.
func fixedLog(d time.Duration) int64 {
	return int64(math.Log(float64(max(d, 1)))*logUnit + 0.5)
}

// logMoments returns the mean and the population variance of ln(gap/1 s).
func logMoments(sums *exact.Sums, n int) (mean, variance float64) {
	mean, variance = sums.Moments(n, logUnit)
	return mean - lnNanos, variance
}
