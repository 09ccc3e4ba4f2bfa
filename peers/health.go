package peers

import (
	"sync"
	"time"
)

// maxFactor bounds how much a health score stretches.
const maxFactor = 100

// Health is Lifeguard's local health multiplier: a score of how badly the
// process itself is doing, by which it multiplies the time it gives others. It
// is 0 while all is well and at most Max() − 1. (Dadgar, Phillips, Currey:
// “Lifeguard: Local Health Awareness for More Accurate Failure Detection”, DSN
// 2018. Their S is Max() − 1.)
//
// A Health is safe for concurrent use. It must be made by [NewHealth].
type Health struct {
	mu    sync.Mutex
	max   int
	score int
}

// NewHealth returns a score of 0 that multiplies by at most max, from 1 to 100.
func NewHealth(max int) (*Health, error) {
	if err := check(1 <= max && max <= maxFactor, "max", max, "a number from 1 to %d", maxFactor); err != nil {
		return nil, err
	}
	return &Health{max: max}, nil
}

// Apply adds delta to the score, within its bounds, and returns the new one.
// Add 1 for what says that this process does badly: a late wake-up, a suspicion
// about itself that it had to refute, a request unanswered though others were
// asked to answer in its stead. Take 1 off for what went well.
func (h *Health) Apply(delta int) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	delta = min(max(delta, -maxFactor), maxFactor) // a sum within int
	h.score = min(max(h.score+delta, 0), h.max-1)
	return h.score
}

// Score returns the present score.
func (h *Health) Score() int { return h.Apply(0) }

// Max returns the greatest factor.
func (h *Health) Max() int { return h.max }

// Stretch returns d times the score plus 1, or the longest duration.
func (h *Health) Stretch(d time.Duration) time.Duration {
	if d <= 0 {
		return d
	}
	return time.Duration(times(int64(h.Score()+1), int64(d)))
}
