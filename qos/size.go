package qos

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"gonum.org/v1/gonum/mathext"

	"example.com/liveness"
)

// The methods by which a timeout can be found, see [Size].
const (
	MethodLaw   = "law"
	MethodOrder = "order statistic"
	MethodTail  = "generalised-Pareto tail"
)

// A Size is a timeout for a false-positive rate, and how far to trust it.
type Size struct {
	// Timeout is exceeded by what is healthy with probability FalsePositive.
	Timeout time.Duration

	// FalsePositive is the rate P that was asked for, a probability.
	FalsePositive float64

	// Phi is −log10 P.
	Phi float64

	// Method is how the timeout was found: MethodLaw, MethodOrder or
	// MethodTail. The last is an extrapolation beyond all samples.
	Method string

	// Lower and Upper enclose the true timeout with a confidence of 95 %,
	// whatever the law, at most 2.5 % of being wrong at either end. They are
	// 0 where the samples give no such bound, and both for MethodLaw.
	Lower, Upper time.Duration

	// Warning says in a sentence why the samples are too few for the rate.
	// It is empty where they are not.
	Warning string
}

// confidence is how sure a bound is that lies at one end of an interval of 95 %.
const confidence = 0.975

// The upper tenth of the samples is the tail, if that is at least tailLeast of
// them, and it is followed to rates down to 1/tailReach of what the samples show.
const (
	tailLeast = 10
	tailReach = 100
)

// SizeLaw returns the timeout that a law gives for the false-positive rate P,
// above 0 and below 1, rounded up to the nanosecond:
//
//	law.Quantile(−log10 P)
//
// It is as right as the law is. It returns an error that wraps [ErrUnreachable]
// if the timeout is below 0 or above 292 years.
func SizeLaw(law liveness.Distribution, falsePositive float64) (Size, error) {
	s, err := newSize("falsePositive", falsePositive)
	if err != nil {
		return Size{}, err
	}
	if law == nil {
		return Size{}, demand(false, "law", law, "a law")
	}
	s.Method = MethodLaw
	seconds := law.Quantile(s.Phi)
	if !(0 <= seconds && seconds < math.MaxInt64/1e9) {
		return Size{}, cannot("the timeout is %.4g s, and no duration: allow another falsePositive than %v", seconds, falsePositive)
	}
	s.Timeout = roundUp(seconds)
	return s, nil
}

// SizeSamples returns the timeout for the false-positive rate P, above 0 and
// below 1, from n samples of what is healthy: round-trip times, gaps between
// heartbeats, running times. It assumes nothing of their law, but that they are
// independent and that the future is like them. Where delays come in bursts,
// the interval is too narrow.
//
// The timeout is the r-th largest sample with r = ⌊(n+1) P⌋: the next one of n+1
// that are alike is among the r largest with a probability of at most P.
// The interval comes from the binomial number of samples above the true
// timeout (David and Nagaraja, Order Statistics, section 7.1).
//
// With n below 3.7/P the interval has no upper end, and with n below 1/P − 1 no
// sample is as rare as P: the true timeout is then most likely above all samples,
// and they cannot tell how far. What can be said is a guess: a generalised Pareto
// law fitted to the upper tenth, but not below the largest sample. Method and
// Warning say so. In simulations of exponential, lognormal and Pareto laws nine in
// ten such guesses were between a quarter of the true timeout and four times as
// much, down to P = 1/(100 (n+1)) and from n = 100 on. Beyond either limit it gets
// worse, and an error is returned that wraps [ErrUnreachable].
//
// The samples must be at least 0 and are left as they are. It costs a sort.
func SizeSamples(samples []time.Duration, falsePositive float64) (Size, error) {
	return sizeSamples(samples, "falsePositive", falsePositive)
}

// HedgeDelay returns how long to wait for an answer before sending a second
// request, so that the extra load is the given share of the requests, above 0
// and below 1: the timeout that this share of the latencies exceeds. It is
// [SizeSamples] by another name; FalsePositive is the extra load. For a law, use
// [SizeLaw].
func HedgeDelay(latencies []time.Duration, extraLoad float64) (Size, error) {
	return sizeSamples(latencies, "extraLoad", extraLoad)
}

func newSize(field string, p float64) (Size, error) {
	err := demand(0 < p && p < 1, field, p, "a number above 0 and below 1")
	return Size{FalsePositive: p, Phi: -math.Log10(p)}, err
}

func sizeSamples(samples []time.Duration, field string, p float64) (Size, error) {
	s, err := newSize(field, p)
	if err != nil {
		return Size{}, err
	}
	n := len(samples)
	if n == 0 {
		return Size{}, cannot("there are no samples")
	}
	sorted := slices.Sorted(slices.Values(samples))
	if err := demand(sorted[0] >= 0, "a sample", sorted[0], "a duration of at least 0"); err != nil {
		return Size{}, err
	}
	bounded := s.enclose(sorted)

	// 0.29 is a little less than 29 in 100, but that is what was meant.
	r := int(math.Floor(float64(n+1) * p * (1 + 1e-14)))
	if r > 0 {
		s.Method = MethodOrder
		s.Timeout = sorted[n-min(r, n)]
		if !bounded {
			s.Warning = fmt.Sprintf("%d samples do not bound the timeout from above: that takes %d", n, needed(p, confidence))
		}
		return s, nil
	}
	if n/10 < tailLeast || p*tailReach*float64(n+1) < 1 {
		return Size{}, cannot("%s is %v, want at least %.3g with %d samples: take %d or more, or a law",
			field, p, leastRate(n), n, needed(p, confidence))
	}
	s.Method = MethodTail
	if s.Timeout, err = extrapolate(sorted, p); err != nil {
		return Size{}, err
	}
	s.Warning = fmt.Sprintf("no sample of %d is as rare as %v: the timeout is extrapolated, a bound takes %d samples", n, p, needed(p, confidence))
	return s, nil
}

// enclose sets the interval and reports whether it has an upper end. The number
// of samples above the true timeout is binomial, so the r-th largest is above it
// with the probability that there are at least r.
func (s *Size) enclose(sorted []time.Duration) (bounded bool) {
	n := len(sorted)
	atLeast := func(r int) float64 {
		return mathext.RegIncBeta(float64(r), float64(n-r+1), s.FalsePositive)
	}
	// The first r from 1 on for which the r-th largest is that surely not above it …
	if r := 1 + sort.Search(n, func(i int) bool { return atLeast(i+1) <= 1-confidence }); r <= n {
		s.Lower = sorted[n-r]
	}
	// … and the last one for which it is that surely above it.
	r := sort.Search(n, func(i int) bool { return atLeast(i+1) < confidence })
	if r > 0 {
		s.Upper = sorted[n-r]
	}
	return r > 0
}

// needed returns how many samples it takes for the largest to be a bound from
// above: the least n with 1 − (1 − p)^n ≥ confidence.
func needed(p, confidence float64) int {
	n := math.Ceil(math.Log1p(-confidence) / math.Log1p(-p))
	return int(min(n, math.MaxInt64/2))
}

// leastRate returns the least rate that sizeSamples serves with n samples.
func leastRate(n int) float64 {
	rate := 1 / float64(n+1)
	if n/10 >= tailLeast {
		rate /= tailReach
	}
	return rate
}

// extrapolate returns the timeout for a p that no sample is as rare as.
func extrapolate(sorted []time.Duration, p float64) (time.Duration, error) {
	n := len(sorted)
	seconds := make([]float64, n)
	for i, d := range sorted {
		seconds[i] = d.Seconds()
	}
	x := fitTail(seconds, n/10).quantile(p)
	if !(x < math.MaxInt64/1e9) {
		return 0, cannot("the extrapolated timeout is %.4g s, and no duration", x)
	}
	return max(roundUp(x), sorted[n-1]), nil
}

// roundUp returns seconds as a Duration, rounded up to the nanosecond but for
// what is an error of rounding.
func roundUp(seconds float64) time.Duration {
	ns := seconds * 1e9
	if nearest := math.Round(ns); math.Abs(nearest-ns) <= 1e-15*ns {
		return time.Duration(nearest)
	}
	return time.Duration(math.Ceil(ns))
}
