package qos

import (
	"math"
	"time"
)

// TB is what [MeasureTimeout] needs of a [testing.TB].
type TB interface {
	Helper()
	Logf(format string, args ...any)
	Fatalf(format string, args ...any)
}

const (
	measureBudget = time.Second
	measureLeast  = 10
	measureFloor  = 100 * time.Millisecond
)

// MeasureTimeout runs the operation op, which must be healthy, again and again
// for about a second, and returns the timeout at which a test may give up on it:
// one that a healthy run outlasts with a probability of at most falsePositive,
// p. It logs how it came to it, and ends the test by Fatalf if p is not above 0
// and below 1, or the timeout would be no duration.
//
//	timeout := qos.MeasureTimeout(t, 1e-6, func() { … })
//
// The rules are:
//
//   - op runs n = ln 0.05 / ln(1 − p) times, 3/p for short, or until the second
//     is over, but at least 10 times. The largest of n running times is exceeded
//     by another one with a probability of at most p₀ = 1 − 0.05^(1/n), 95 % sure,
//     whatever their law.
//   - If p₀ is above p, it is doubled for each factor of ten between them:
//     timeout = largest · 2^log10(p₀/p). No measurement can confirm this part.
//     It covers exponential tails from 100 runs on, and from 10 for p below
//     1e-4; lognormal ones with a σ of 0.67 from 100 runs on, and of 0.9 from 1000;
//     Pareto ones with an index above 3.4. It does not cover an operation that has
//     a second way to be slow which did not show.
//   - The timeout is at least 100 ms: anything may be held up for that long by a
//     scheduler or a collector, and a test pays for it only when it fails.
//
// The first run counts as any other, though it may be slow for being the first:
// so may be the one that the test waits for. Measure on the machine and under
// the load that the test will have, such as in the test itself.
func MeasureTimeout(tb TB, falsePositive float64, op func()) time.Duration {
	tb.Helper()
	if err := demand(0 < falsePositive && falsePositive < 1, "falsePositive", falsePositive, "a number above 0 and below 1"); err != nil {
		tb.Fatalf("%v", err)
		return 0
	}
	wanted := max(needed(falsePositive, 0.95), measureLeast)
	n, largest := 0, time.Duration(0)
	begin := time.Now()
	for n < wanted && (n < measureLeast || time.Since(begin) < measureBudget) {
		before := time.Now()
		op()
		largest = max(largest, time.Since(before))
		n++
	}
	supported := -math.Expm1(math.Log(0.05) / float64(n)) // p₀
	factor := math.Exp2(max(0, math.Log10(supported/falsePositive)))
	seconds := largest.Seconds() * factor
	if !(seconds < math.MaxInt64/1e9) {
		tb.Fatalf("qos: falsePositive is %v, which takes a timeout of %.3g s", falsePositive, seconds)
		return 0
	}
	timeout := max(roundUp(seconds), measureFloor)
	tb.Logf("qos: timeout %v for a false-positive rate of %v: the largest of %d runs is %v, good for %.3g; times %.3g to go beyond; at least %v",
		timeout, falsePositive, n, largest, supported, factor, measureFloor)
	return timeout
}
