package peers

import "math"

// bucket holds up to burst tokens and is filled at a constant rate.
type bucket struct {
	tokens float64
	at     int64
}

// take takes a token at now, or returns when there is one.
func (b *bucket) take(now int64, rate float64, burst int) (wait int64, ok bool) {
	if rate == 0 {
		return 0, true
	}
	if elapsed := minus(now, b.at); elapsed > 0 {
		b.tokens = min(b.tokens+float64(elapsed)/1e9*rate, float64(burst))
	}
	b.at = now // also when the clock was set back
	if b.tokens >= 1 {
		b.tokens--
		return 0, true
	}
	return int64(min(math.Ceil((1-b.tokens)/rate*1e9), 1e18)) + 1, false
}
