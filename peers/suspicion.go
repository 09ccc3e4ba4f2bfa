package peers

import (
	"cmp"
	"math"
	"time"
)

// SuspicionConfig configures how long a suspicion waits to be refuted.
type SuspicionConfig struct {
	// Min and Max are the wait with all confirmations and with none, from
	// 1 µs to 100 days. [SuspicionBounds] has Lifeguard's values. Both are
	// required.
	Min, Max time.Duration

	// Confirmations is how many other observers make the wait Min, from 1 to
	// 255. Zero means 3, as in Lifeguard.
	Confirmations int

	// Members is the size of the group: the suspected member and the one that
	// suspects it cannot confirm, so where Members − 2 is below
	// Confirmations nobody is waited for, and the wait is Min from the
	// start. Zero means a group large enough.
	Members int
}

const (
	defaultConfirmations = 3
	maxConfirmations     = 255
)

// Suspicion is Lifeguard's suspicion timer: the more observers confirm, each
// independently, that a member is silent, the less time it is given to refute
// it. With c of k confirmations the wait is
//
//	max(min, max − (max − min) · log(c + 1) / log(k + 1))
//
// counted from the first suspicion. (Dadgar, Phillips, Currey: “Lifeguard: Local
// Health Awareness for More Accurate Failure Detection”, DSN 2018.)
//
// A Suspicion is not safe for concurrent use. It must be made by [NewSuspicion].
type Suspicion[K comparable] struct {
	start     time.Time
	min, max  time.Duration
	need      int
	confirmed map[K]struct{} // the first one included
}

// NewSuspicion begins a suspicion that from raised at start.
func NewSuspicion[K comparable](cfg SuspicionConfig, from K, start time.Time) (*Suspicion[K], error) {
	cfg.Confirmations = cmp.Or(cfg.Confirmations, defaultConfirmations)
	if err := cfg.check(); err != nil {
		return nil, err
	}
	need := cfg.Confirmations
	if cfg.Members != 0 && cfg.Members-2 < need {
		need = 0
	}
	return &Suspicion[K]{start, cfg.Min, cfg.Max, need, map[K]struct{}{from: {}}}, nil
}

func (cfg *SuspicionConfig) check() error {
	return cmp.Or(
		checkDuration("Min", cfg.Min),
		checkDuration("Max", cfg.Max),
		check(cfg.Max >= cfg.Min, "Max", cfg.Max, "at least Min, %v", cfg.Min),
		check(1 <= cfg.Confirmations && cfg.Confirmations <= maxConfirmations, "Confirmations", cfg.Confirmations, "a number from 1 to %d", maxConfirmations),
		check(cfg.Members >= 0, "Members", cfg.Members, "a number of at least 0"),
	)
}

// Confirm notes that another observer suspects the member, too. It reports
// whether that is news: an observer counts once, and those beyond the wanted
// number change nothing.
func (s *Suspicion[K]) Confirm(from K) bool {
	if _, known := s.confirmed[from]; known || s.Confirmations() >= s.need {
		return false
	}
	s.confirmed[from] = struct{}{}
	return true
}

// Confirmations returns how many have confirmed.
func (s *Suspicion[K]) Confirmations() int { return len(s.confirmed) - 1 }

// Deadline returns when the wait is over: the member is to be declared dead if
// it has not refuted by then. It may be past as soon as a confirmation comes.
func (s *Suspicion[K]) Deadline() time.Time {
	return s.start.Add(RemainingSuspicion(s.Confirmations(), s.need, 0, s.min, s.max))
}

// RemainingSuspicion returns how much is left of the wait of a suspicion that is
// elapsed old and has been confirmed by c of k others. See [Suspicion] for the
// formula. With a k of 0 or less the wait is min.
func RemainingSuspicion(c, k int, elapsed, min, max time.Duration) time.Duration {
	wait := min
	if k > 0 && c < k && max > min {
		share := math.Log1p(float64(c)) / math.Log1p(float64(k))
		wait = max - time.Duration(float64(max-min)*share)
	}
	return wait - elapsed
}

// SuspicionBounds returns Lifeguard's Min and Max for n members that probe each
// interval:
//
//	min = alpha · max(1, log10 n) · interval
//	max = beta · min
//
// Lifeguard's own are alpha = 5 and beta = 6. A product beyond the longest
// duration is that.
func SuspicionBounds(alpha, beta float64, n int, interval time.Duration) (least, most time.Duration) {
	scale := max(1, math.Log10(max(1, float64(n))))
	lower := alpha * scale * float64(interval)
	return clampDuration(lower), clampDuration(beta * lower)
}

func clampDuration(ns float64) time.Duration {
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
