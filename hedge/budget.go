package hedge

import "time"

// A budget holds hedges that were earned, by requests and by time, in one bucket
// each; a hedge takes one out of both.
type budget struct {
	burst      float64
	perRequest float64
	perSecond  float64 // 0: time is no cap, and nothing is taken

	byRequests, byTime float64 // saved up, at most burst
	last               time.Time
}

func newBudget(cfg Config) budget {
	return budget{
		burst:      cfg.Burst,
		perRequest: cfg.MaxExtraLoad,
		perSecond:  cfg.MaxPerSecond,
		byRequests: cfg.Burst,
		byTime:     cfg.Burst,
	}
}

// request earns what a request does.
func (b *budget) request() { b.byRequests = min(b.byRequests+b.perRequest, b.burst) }

// whole is a hedge, less what adding up shares loses to rounding.
const whole = 1 - 1e-9

// take takes a hedge out, if there is one.
func (b *budget) take(now time.Time) bool {
	b.pass(now)
	if b.byRequests < whole || b.byTime < whole {
		return false
	}
	b.byRequests = max(b.byRequests-1, 0)
	if b.perSecond > 0 {
		b.byTime = max(b.byTime-1, 0)
	}
	return true
}

// setBack is how much earlier than the last time is not out of order any more,
// but by a clock that was set back.
const setBack = time.Second

// pass earns what the time up to now does. Time before the last one earns nothing.
func (b *budget) pass(now time.Time) {
	if elapsed := now.Sub(b.last); b.last.IsZero() || elapsed > 0 || elapsed < -setBack {
		b.byTime = min(b.byTime+max(elapsed, 0).Seconds()*b.perSecond, b.burst)
		b.last = now
	}
}
