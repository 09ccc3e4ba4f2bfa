package gray

import (
	"fmt"
	"math"
	"time"
)

const (
	// minDuration catches a number without its unit: 500 is 500 ns.
	minDuration = time.Microsecond
	maxDuration = 100 * 24 * time.Hour
	maxCount    = 1 << 30
	maxOf       = 32
)

// check returns an error that names the field, its value and the bound, unless
// ok, which should ask for what is wanted: NaN is neither above nor below.
func check(ok bool, field string, value any, want string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("gray: %s is %v, want %s", field, value, fmt.Sprintf(want, args...))
}

func checkDuration(field string, d time.Duration) error {
	return check(minDuration <= d && d <= maxDuration, field, d, "a duration from 1µs to 100 days")
}

// checkDurationOrOff takes any negative duration for the switch that turns something off.
func checkDurationOrOff(field string, d time.Duration) error {
	return check(d < 0 || minDuration <= d && d <= maxDuration, field, d, "a duration from 1µs to 100 days, or a negative one for none")
}

func checkCount(field string, n, least int) error {
	return check(least <= n && n <= maxCount, field, n, "a number from %d to %d", least, maxCount)
}

func checkPercent(field string, n, least int) error {
	return check(least <= n && n <= 100, field, n, "a percentage from %d to 100", least)
}

func checkShare(field string, x float64) error {
	return check(x > 0 && x < 1, field, x, "a number above 0 and below 1")
}

func checkRatio(field string, x float64) error {
	return check(x > 1 && x <= 1e6, field, x, "a number above 1, at most 1e6")
}

// unset reports whether a number in a config was left out. Negative zero was not.
func unset(x float64) bool { return x == 0 && !math.Signbit(x) }

// orElse replaces a zero by its default.
func orElse[T int | time.Duration](p *T, value T) {
	if *p == 0 {
		*p = value
	}
}

func orElseFloat(p *float64, value float64) {
	if unset(*p) {
		*p = value
	}
}
