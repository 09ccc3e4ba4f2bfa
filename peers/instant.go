package peers

import (
	"math"
	"time"
)

// epoch is the origin of instants. It carries a monotonic reading, so instants
// taken from time.Now are compared by it, and all others by the wall clock.
var epoch = time.Now()

// offset returns t in nanoseconds since epoch, at most 292 years either way.
func offset(t time.Time) int64 { return int64(t.Sub(epoch)) }

// never is the offset of what does not happen within reach.
const never = math.MaxInt64

// plus returns a + b, or the nearest int64.
func plus(a, b int64) int64 {
	s := a + b
	if (a^s)&(b^s) < 0 {
		return extreme(a)
	}
	return s
}

// minus returns a − b, or the nearest int64.
func minus(a, b int64) int64 {
	d := a - b
	if (a^b)&(a^d) < 0 {
		return extreme(a)
	}
	return d
}

// times returns n·x for positive n and x, or the largest int64.
func times(n, x int64) int64 {
	if x > never/n {
		return never
	}
	return n * x
}

// extreme returns the int64 furthest from 0 on a's side.
func extreme(a int64) int64 {
	if a < 0 {
		return math.MinInt64
	}
	return math.MaxInt64
}

// moment returns the instant of an offset as seen from now, whose location and
// monotonic reading it keeps; the zero Time for never.
func moment(now time.Time, off int64) time.Time {
	if off == never {
		return time.Time{}
	}
	return now.Add(time.Duration(minus(off, offset(now))))
}
