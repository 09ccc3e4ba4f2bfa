package qos

import (
	"fmt"
	"time"
)

const (
	// minPeriod catches a number without its unit: 500 is 500 ns.
	minPeriod = time.Microsecond
	// maxPeriod keeps sums of a few durations within time.Duration.
	maxPeriod = 10 * 365 * 24 * time.Hour
)

// demand returns an error that names the field, its value and the bound, unless ok.
func demand(ok bool, field string, value any, want string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("qos: %s is %v, want %s", field, value, fmt.Sprintf(want, args...))
}

func demandPeriod(field string, d time.Duration) error {
	return demand(minPeriod <= d && d <= maxPeriod, field, d, "a duration from %v to %v", minPeriod, maxPeriod)
}
