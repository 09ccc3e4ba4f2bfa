package qos

import (
	"math"
	"time"
)

// A Prediction is the quality of service that a freshness-point detector will
// have on a network, by Chen, Toueg and Aguilera ("On the Quality of Service of
// Failure Detectors", IEEE Transactions on Computers 51(5), May 2002). From
// [KnownLaw] it is exact; from [KnownMoments] and [KnownSpread] it is the worst
// that any law with these moments allows.
//
// # How far to trust it
//
// All of it takes losses and delays of different heartbeats for independent. On
// a real network they are not: what delays one heartbeat (a full queue, a
// collection, a scheduler) delays the next, and losses come in bursts. On real
// machines two heartbeats sent shortly after one another were both later than
// the 99.9th percentile 250 to 1000 times as often as if they were independent
// (hyper-light/hyper-raft, docs/research/timing.md). By the formulas each further
// heartbeat within the margin makes mistakes rarer by a factor of 1/p; within a
// burst it changes nothing. So where a recurrence of months rests on three
// heartbeats being lost one by one, it may be one of hours. Therefore:
//
//   - Replay recorded heartbeats with the settings found.
//   - Take an interval above the time over which delays and losses are alike
//     (20 to 250 ms in that study).
//   - Where that is not possible, do not count on the product at all: take a
//     margin as long as the longest burst to be ridden out.
type Prediction struct {
	// DetectionTime is the bound T_D ≤ δ + η on the time from a crash to the
	// lasting suspicion, with the interval η and the margin δ. From
	// [KnownSpread] it is α + η, to which comes the mean delay E(D).
	DetectionTime time.Duration

	// MistakeRecurrence is E(T_MR), in seconds: the mean time from one
	// mistake to the next, at least this where only moments are known. It is
	// +Inf where there are no mistakes, or where they are beyond float64.
	MistakeRecurrence float64

	// MistakeDuration is E(T_M), in seconds: the mean time until a mistake is
	// corrected, at most this where only moments are known. From a law it is
	// 0 where there are no mistakes. It is +Inf where no heartbeat comes in time.
	MistakeDuration float64

	// QueryAccuracy is P_A, the probability that a living process is trusted
	// at a random time: at least this where only moments are known.
	QueryAccuracy float64
}

// Predict returns the quality of NFD-S with the given interval η and margin δ.
// At τᵢ = iη + δ it begins to suspect the process, unless heartbeat i, sent at
// iη, or a later one has come. With
//
//	p_j(x) = p + (1 − p) P(D > δ + x − jη)   heartbeat i + j is missing at τᵢ + x
//	u(x)   = Π p_j(x), j = 0 … ⌈δ/η⌉         all of them are
//	q₀     = (1 − p) P(D < δ + η)             the one before came by τᵢ
//
// the quality is
//
//	E(T_MR) = η / (q₀ u(0))
//	E(T_M)  = ∫ u(x) dx / (q₀ u(0))          x from 0 to η
//	P_A     = 1 − ∫ u(x) dx / η
//
// The integral is computed to a relative error of about 1e-9.
// The interval must be from 1 µs to 10 years, the margin from 0 to 10 years and
// at most 10000 intervals. It takes time in proportion to margin/interval.
//
// It promises what independent heartbeats do: see [Prediction].
func (n KnownLaw) Predict(interval, margin time.Duration) (Prediction, error) {
	return predict(n, interval, margin)
}

// Predict returns what NFD-S with the given interval η and margin δ reaches
// with every law of the given moments. With T = δ + η − E(D) and
//
//	β  = Π [V + p x²]/[V + x²]    over all x = T − jη > 0, j = 1, 2, …
//	q₀ = (1 − p) T²/(V + T²)
//
// from Cantelli's inequality, the bounds are
//
//	E(T_MR) ≥ η/β,  E(T_M) ≤ η/q₀,  P_A ≥ 1 − β
//
// For limits of the arguments see [KnownLaw.Predict]. It promises what independent
// heartbeats do: see [Prediction].
func (n KnownMoments) Predict(interval, margin time.Duration) (Prediction, error) {
	return predict(n, interval, margin)
}

// Predict returns what NFD-U with the given interval η and margin α reaches
// with every law of the given standard deviation: the bounds of
// [KnownMoments.Predict] with T = α + η. NFD-E, which estimates the expected
// arrivals that NFD-U knows, comes close to it with some tens of samples.
func (n KnownSpread) Predict(interval, margin time.Duration) (Prediction, error) {
	return predict(n, interval, margin)
}

func predict(n network, interval, margin time.Duration) (Prediction, error) {
	l, err := n.link()
	if err != nil {
		return Prediction{}, err
	}
	if err := demandPeriod("interval", interval); err != nil {
		return Prediction{}, err
	}
	if err := demand(0 <= margin && margin <= maxPeriod, "margin", margin, "a duration from 0s to %v", maxPeriod); err != nil {
		return Prediction{}, err
	}
	if err := demand(margin/interval <= maxBeats, "margin", margin, "at most %d intervals of %v", maxBeats, interval); err != nil {
		return Prediction{}, err
	}
	p := l.quality(interval, margin)
	return p, l.fault
}

func (l *link) quality(interval, margin time.Duration) Prediction {
	eta := interval.Seconds()
	p := Prediction{DetectionTime: interval + margin}
	q0 := l.onTime(p.DetectionTime)
	u0 := l.missed(interval, margin, 0, 0)
	if !l.exact {
		p.MistakeRecurrence = eta / u0
		p.MistakeDuration = eta / q0
		p.QueryAccuracy = 1 - u0
		return p
	}
	wrong := l.wrong(interval, margin) // ∫ u(x)/u(0) dx
	p.MistakeRecurrence = eta / (q0 * u0)
	if wrong > 0 {
		p.MistakeDuration = wrong / q0
	}
	p.QueryAccuracy = max(0, 1-u0*wrong/eta)
	return p
}

// wrong returns ∫ u(x)/u(0) dx for x from 0 to interval. The quotients are
// taken one by one, so that it does not matter if u itself is below float64.
func (l *link) wrong(interval, margin time.Duration) float64 {
	type beat struct{ age, late float64 } // at x = 0
	var beats []beat
	rest := margin
	for ; rest > 0; rest -= interval {
		b := beat{rest.Seconds(), l.late(rest.Seconds())}
		if b.late == 0 {
			return 0 // no mistakes
		}
		if b.late > l.loss { // else it is lost, or it would be here
			beats = append(beats, b)
		}
	}
	beats = append(beats, beat{rest.Seconds(), 1})
	u := func(x float64) float64 {
		product := 1.0
		for _, b := range beats {
			product *= l.late(b.age+x) / b.late
		}
		return product
	}
	// Before kink the last heartbeat has not been sent.
	eta, kink := interval.Seconds(), -rest.Seconds()
	var total float64
	tolerance := eta / 1000
	for range 3 { // the first passes find the scale for the last one
		total = simpson(u, 0, kink, tolerance) + simpson(u, kink, eta, tolerance)
		tolerance = total * 1e-10
	}
	return total
}

// simpson integrates f, which never rises and is at most 1, from a to b by
// adaptive halving. It does not follow a jump further than the tolerance, which
// bounds what all jumps together can be wrong by.
func simpson(f func(float64) float64, a, b, tolerance float64) float64 {
	var halve func(a, b, fa, fm, fb, share float64) float64
	halve = func(a, b, fa, fm, fb, share float64) float64 {
		m := (a + b) / 2
		fl, fr := f((a+m)/2), f((m+b)/2)
		whole := (b - a) / 6 * (fa + 4*fm + fb)
		left, right := (m-a)/6*(fa+4*fl+fm), (b-m)/6*(fm+4*fr+fb)
		better := left + right
		if math.Abs(better-whole) <= 15*share+1e-13*better || b-a <= tolerance {
			return better + (better-whole)/15
		}
		return halve(a, m, fa, fl, fm, share/2) + halve(m, b, fm, fr, fb, share/2)
	}
	if !(a < b) {
		return 0
	}
	return halve(a, b, f(a), f((a+b)/2), f(b), tolerance)
}
