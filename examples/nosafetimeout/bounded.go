package main

import "time"

// uniform is the law of a delay that has a bound: anything from min to max is
// equally likely, and nothing is above max.
type uniform struct{ min, max time.Duration }

// exceeds returns P(X > t). From max on it is exactly 0, which no
// [liveness.Distribution] can be: φ would be infinite.
func (u uniform) exceeds(t time.Duration) float64 {
	t = min(max(t, u.min), u.max)
	return float64(u.max-t) / float64(u.max-u.min)
}

// boundedRow is what a fixed timeout costs where the delay is bounded.
type boundedRow struct {
	timeout time.Duration
	rate    float64
}

// safe reports whether a process that is suspected has crashed for certain.
func (r boundedRow) safe() bool { return r.rate == 0 }

func bound(law uniform, timeouts ...time.Duration) []boundedRow {
	rows := make([]boundedRow, len(timeouts))
	for i, timeout := range timeouts {
		rows[i] = boundedRow{timeout: timeout, rate: law.exceeds(timeout)}
	}
	return rows
}
