package hedge

import (
	"sync"
	"sync/atomic"
	"time"
)

// A Hedger decides for a group of servers that are alike. It is safe for
// concurrent use and holds its lock for O(log n) steps, with n the WindowSize.
// It must be made by [New]; the zero value panics.
type Hedger struct {
	maxHedges  int
	maxServers int
	degraded   atomic.Bool

	mu      sync.Mutex // protects what follows, and the requests
	latency latency
	budget  budget
	stats   Stats
	servers map[string]*ServerStats
}

// New returns a hedger that has learnt nothing, and hedges nothing before it has
// seen 5/ExtraLoad latencies. It returns an error that names the field, the value
// and the bound if cfg is out of range.
func New(cfg Config) (*Hedger, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Hedger{
		maxHedges:  cfg.MaxHedges,
		maxServers: cfg.MaxServers,
		latency:    newLatency(cfg),
		budget:     newBudget(cfg),
		servers:    make(map[string]*ServerStats),
	}, nil
}

// SetDegraded says whether the group as a whole is in trouble. While it is,
// nothing is hedged: what would be slow everywhere only becomes slower. The
// latencies are learnt all the same, so that the delay is right for what the
// group does now, whenever hedging begins again.
func (h *Hedger) SetDegraded(degraded bool) { h.degraded.Store(degraded) }

// MaxHedges returns how many hedges one request may have.
func (h *Hedger) MaxHedges() int { return h.maxHedges }

// Degraded returns what was last said.
func (h *Hedger) Degraded() bool { return h.degraded.Load() }

// Delay returns how long to wait for an answer to the latest attempt before
// hedging. ok is false if nothing is to be hedged: too little has been learnt, or
// the group is degraded.
func (h *Hedger) Delay() (d time.Duration, ok bool) {
	if h.degraded.Load() {
		return 0, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latency.delay, h.latency.known
}
