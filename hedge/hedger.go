package hedge

import (
	"slices"
	"strings"
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

// Delay returns how long to wait for an answer before hedging. ok is false if
// nothing is to be hedged: too little has been learnt, or the group is degraded.
func (h *Hedger) Delay() (d time.Duration, ok bool) {
	if h.degraded.Load() {
		return 0, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.latency.delay, h.latency.known
}

// Stats counts what a hedger did. Requests are those started, and every hedge
// that was asked for is either one of Hedges or of the refusals.
type Stats struct {
	Requests uint64
	Hedges   uint64
	Wins     uint64 // hedges that were answered first

	RefusedBudget   uint64 // nothing was left in it
	RefusedDegraded uint64
	RefusedServers  uint64 // none was left that the request had not been sent to
	RefusedEarly    uint64 // too little had been learnt
	RefusedEnded    uint64 // there was nothing to hedge any more: see Request.Hedge
	RefusedMore     uint64 // the request had MaxHedges
}

// ExtraLoad returns the hedges as a share of the requests, 0 if there were none.
func (s Stats) ExtraLoad() float64 {
	return float64(s.Hedges) / float64(max(s.Requests, 1))
}

// Stats returns the counters.
func (h *Hedger) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stats
}

// ServerStats counts what became of the attempts sent to one server.
type ServerStats struct {
	Server   string
	Attempts uint64
	Hedges   uint64 // attempts that were hedges
	Wins     uint64 // attempts that answered first, hedges or not
	Failures uint64 // attempts that ended in an error

	// Masked counts the attempts that a later one, to another server,
	// overtook: slow or failed, and nobody noticed. They are what hedging
	// hides from a monitoring that looks at requests.
	Masked uint64
}

// Servers returns the counters of every server that was sent an attempt, by name.
func (h *Hedger) Servers() []ServerStats {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]ServerStats, 0, len(h.servers))
	for _, s := range h.servers {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b ServerStats) int { return strings.Compare(a.Server, b.Server) })
	return all
}

// Forget forgets the counters of a server that is gone. Attempts at it that are
// still running count nowhere any more.
func (h *Hedger) Forget(server string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.servers, server)
}

// server returns the counters of a server. It requires mu.
func (h *Hedger) server(name string) *ServerStats {
	s := h.servers[name]
	if s == nil && len(h.servers) >= h.maxServers {
		name = OtherServers
		s = h.servers[name]
	}
	if s == nil {
		s = &ServerStats{Server: strings.Clone(name)} // it may be a part of something large
		h.servers[s.Server] = s
	}
	return s
}
