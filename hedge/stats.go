package hedge

import (
	"slices"
	"strings"
)

// Stats counts what a hedger did. Requests are those started, and every hedge
// that was asked for is either one of Hedges or of the refusals.
type Stats struct {
	Requests  uint64
	Hedges    uint64
	HedgeWins uint64 // hedges that were answered first

	RefusedWarmup    uint64 // too few latencies had been learnt for a delay
	RefusedDegraded  uint64 // see Hedger.SetDegraded
	RefusedEnded     uint64 // there was nothing to hedge any more: see Request.Hedge
	RefusedMaxHedges uint64 // the request had as many as it may have
	RefusedNoServer  uint64 // none was left that the request had not been sent to
	RefusedBudget    uint64 // nothing was left in it
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
	Server       string
	Attempts     uint64
	Hedges       uint64 // attempts that were hedges
	FirstAnswers uint64 // attempts whose answer was the first to their request, hedges or not
	Failures     uint64 // attempts that ended in an error

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
