package qos

import (
	"errors"
	"fmt"
	"time"
)

// A Target is the quality of service that is wanted of a detector.
type Target struct {
	// DetectionTime is T_D^U: a crash must be detected within it. From 1 µs
	// to 10 years. It is required.
	DetectionTime time.Duration

	// MistakeRecurrence is T_MR^L: the mean time between mistakes about one
	// process must be at least this. For a mistake in time T among n
	// processes, ask for n·T. It is required.
	MistakeRecurrence time.Duration

	// MistakeDuration is T_M^U: mistakes must last at most this in the mean.
	// Zero means any time.
	MistakeDuration time.Duration
}

// A Configuration is the cheapest setting that reaches a [Target]: the one with
// the fewest heartbeats.
type Configuration struct {
	// Interval is η, the time between two heartbeats.
	Interval time.Duration

	// Margin is how long after a heartbeat was sent (δ, for NFD-S), or
	// expected to arrive (α, for NFD-U and NFD-E), the process is suspected
	// unless it or a later one has come. It may be 0 if so little is asked.
	Margin time.Duration

	// Prediction is the quality that results.
	Prediction
}

// ErrUnreachable is what errors wrap that say why a request, correct in itself,
// cannot be served, and what would have to give.
var ErrUnreachable = errors.New("qos: cannot be reached")

// unreachable is an error that reads as its text alone.
type unreachable string

func (e unreachable) Error() string { return string(e) }
func (unreachable) Unwrap() error   { return ErrUnreachable }

func cannot(format string, args ...any) error {
	return unreachable("qos: " + fmt.Sprintf(format, args...))
}

// Configure returns the largest interval η, and the margin δ = T_D^U − η, with
// which NFD-S reaches the target (section 4 of the paper):
//
//	q₀   = (1 − p) P(D < T_D^U)
//	η    ≤ q₀ T_M^U, η ≤ T_D^U
//	f(η) = η / (q₀ Π [p + (1 − p) P(D > T_D^U − jη)])    over all j ≥ 1 with T_D^U − jη > 0
//
// and f(η) ≥ T_MR^L. f is E(T_MR), exactly; E(T_M) is at most η/q₀. NFD-S with
// this margin has the best P_A of all detectors with as many heartbeats and as
// short a detection time.
//
// f is not monotone: it rises with η until one heartbeat less fits into T_D^U,
// and collapses there. The answer is right all the same, for any law: the f of
// no larger interval is above T_MR^L by 1e-7 of it or more.
//
// It returns an error that names the field, the value and the bound if the
// network or the target is out of range, and one that wraps [ErrUnreachable]
// if the target cannot be reached with at most 10000 heartbeats, 1 µs apart or
// more, within the detection time.
//
// It promises what independent heartbeats do: see [Prediction].
func (n KnownLaw) Configure(want Target) (Configuration, error) {
	return configure(n, want)
}

// Configure returns the largest interval η, and the margin δ = T_D^U − η, with
// which NFD-S reaches the target for every law with these moments (section 5 of
// the paper). With T = T_D^U − E(D) and V = StdDev²:
//
//	η    ≤ (1 − p) T²/(V + T²) · T_M^U, η ≤ T
//	f(η) = η Π [V + (T − jη)²] / [V + p (T − jη)²]    over all j ≥ 1 with T − jη > 0
//
// and f(η) ≥ T_MR^L. For the rest see [KnownLaw.Configure].
func (n KnownMoments) Configure(want Target) (Configuration, error) {
	return configure(n, want)
}

// Configure returns the largest interval η, and the margin α = T_D^U − η, with
// which NFD-U, and nearly so NFD-E ([liveness.Chen]), reaches the target for
// every law with this standard deviation (section 6 of the paper). T_D^U is
// counted without the mean delay: crashes are detected within T_D^U + E(D).
// Apart from that it is [KnownMoments.Configure] with T = T_D^U.
func (n KnownSpread) Configure(want Target) (Configuration, error) {
	return configure(n, want)
}

func (want Target) check() error {
	if err := demandPeriod("DetectionTime", want.DetectionTime); err != nil {
		return err
	}
	if err := demand(want.MistakeRecurrence > 0, "MistakeRecurrence", want.MistakeRecurrence, "a duration above 0"); err != nil {
		return err
	}
	return demand(want.MistakeDuration >= 0, "MistakeDuration", want.MistakeDuration, "a duration of at least 0")
}

func configure(n network, want Target) (Configuration, error) {
	l, err := n.link()
	if err != nil {
		return Configuration{}, err
	}
	if err := want.check(); err != nil {
		return Configuration{}, err
	}
	eta, err := l.search(want)
	if err != nil {
		err = l.relax(want, err)
	}
	if l.fault != nil {
		err = l.fault
	}
	if err != nil {
		return Configuration{}, err
	}
	margin := want.DetectionTime - eta
	c := Configuration{eta, margin, l.quality(eta, margin)}
	return c, l.fault
}

// relax adds to an error which longer detection time would do, if there is one.
func (l *link) relax(want Target, err error) error {
	for want.DetectionTime *= 2; want.DetectionTime <= maxPeriod; want.DetectionTime *= 2 {
		if _, e := l.search(want); e == nil {
			return unreachable(fmt.Sprintf("%v; a DetectionTime of %v can be reached", err, want.DetectionTime))
		}
	}
	return err
}

// A search looks for the largest interval whose f reaches the recurrence.
type search struct {
	*link
	detection  time.Duration
	recurrence float64 // seconds
	divisor    float64 // q₀ where f has it, else 1
}

func (l *link) search(want Target) (time.Duration, error) {
	q0 := l.onTime(want.DetectionTime)
	if !(q0 > 0) {
		return 0, cannot("no heartbeat arrives within DetectionTime %v, which has to be longer than delays are", want.DetectionTime)
	}
	limit := want.DetectionTime.Seconds() - l.mean
	if want.MistakeDuration > 0 {
		limit = min(limit, q0*want.MistakeDuration.Seconds())
	}
	least, most := max(minPeriod, (want.DetectionTime-1)/maxBeats+1), time.Duration(limit*1e9)
	if most < least {
		return 0, cannot("MistakeDuration is %v, want at least %v at DetectionTime %v: a mistake lasts until the next heartbeat, and they may be %v apart at the least",
			want.MistakeDuration, roundUp(least.Seconds()/q0), want.DetectionTime, least)
	}
	s := search{l, want.DetectionTime, want.MistakeRecurrence.Seconds(), 1}
	if l.exact {
		s.divisor = q0
	}
	eta, ok := s.largest(least, most)
	if !ok {
		return 0, cannot("MistakeRecurrence is %v, want at most %.3g s, which is the most that heartbeats %v to %v apart reach within DetectionTime %v",
			want.MistakeRecurrence, s.most(least, most), least, most, want.DetectionTime)
	}
	return eta, nil
}

// largest returns the largest η from low to high with f(η) ≥ recurrence. As the
// product in f never falls with η, f is nowhere in a range above high divided
// by the product at low: a range for which that is not enough is passed over,
// any other is halved. That finds the right branch of f, and the right side of
// its summit, without knowing where the branches are.
func (s *search) largest(low, high time.Duration) (time.Duration, bool) {
	switch {
	case s.reaches(high, high, s.recurrence):
		return high, true
	case low == high || !s.reaches(high, low, s.recurrence*(1+1e-7)):
		return 0, false
	}
	middle := low + (high-low)/2
	if eta, ok := s.largest(middle+1, high); ok {
		return eta, true
	}
	return s.largest(low, middle)
}

// most returns, to a thousandth, the largest recurrence that an η from low to
// high reaches, which is known to be below the one searched for.
func (s *search) most(low, high time.Duration) float64 {
	reached, beyond := 0.0, s.recurrence
	for range 100 {
		try := *s
		try.recurrence = (reached + beyond) / 2
		if _, ok := try.largest(low, high); ok {
			reached = try.recurrence
		} else {
			beyond = try.recurrence
		}
		if beyond-reached <= 1e-3*reached {
			break
		}
	}
	return reached
}

// reaches reports whether eta, divided by q₀ and by the product that the interval
// at has, is at least the recurrence.
func (s *search) reaches(eta, at time.Duration, recurrence float64) bool {
	enough := eta.Seconds() / (s.divisor * recurrence)
	return s.missed(at, s.detection-at, 0, enough) <= enough
}
