package gray

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// nameOf returns the name of a constant that counts from 0.
func nameOf(names []string, i int, kind string) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// twoDigits rounds to two significant digits: the buckets of a histogram are 6 %
// of their value wide, and more digits would be made up.
func twoDigits(x float64) float64 {
	if x == 0 {
		return 0
	}
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(x)))-1)
	return math.Round(x/unit) * unit
}

// span writes a latency in seconds with two digits.
func span(seconds float64) string { return duration(twoDigits(seconds)).String() }

// times writes a factor with two digits.
func times(factor float64) string {
	return strconv.FormatFloat(twoDigits(factor), 'g', 15, 64) // the 16th would show how 0.1 is stored
}

// percent writes a share.
func percent(share float64) string { return fmt.Sprintf("%.4g %%", 100*share) }

// plural writes how many there are of something.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// duration is at most the largest one: the parts of a [Table] can add up to more.
func duration(seconds float64) time.Duration {
	if ns := math.Round(seconds * 1e9); ns < math.MaxInt64 {
		return time.Duration(ns)
	}
	return math.MaxInt64
}
