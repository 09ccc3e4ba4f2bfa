package gray

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Monitor judges the servers of a group by what their clients see: it finds
// those that are alive and slow, or failing, and says which to take out.
//
// Feed it every attempt by [Monitor.Record], and call [Monitor.Advance] once an
// interval; [Monitor.Evaluate] looks ahead and changes nothing. What is done with
// a verdict is the caller's business, most simply by asking [Monitor.Admit] before
// each request, or by applying [Decision.Changes] to a load balancer.
//
// A Monitor is safe for concurrent use. It starts no goroutine, reads no clock
// and calls nobody's code. It must be made by [New].
type Monitor struct {
	cfg      Config
	servers  atomic.Pointer[map[string]*server] // copied on every change
	index    *index
	unknown  atomic.Uint64
	degraded atomic.Bool

	mu       sync.Mutex // protects what follows, and what servers and paths say it does
	last     time.Time  // when the interval began
	begun    bool       // there is such an interval
	guard    guardState
	group    groupState
	cells    []Cell // of the last interval judged
	counters Counters
}

// New returns a monitor of an empty group. It returns an error that names the
// field, the value and the bound if cfg is out of range.
func New(cfg Config) (*Monitor, error) {
	if cfg.Envoy != nil {
		e := *cfg.Envoy
		e.setDefaults()
		cfg.Envoy = &e
	}
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	m := &Monitor{cfg: cfg, index: newIndex()}
	m.servers.Store(&map[string]*server{})
	m.counters.make()
	return m, nil
}

// Add adds members to the group. A server that is a member already stays as it is.
func (m *Monitor) Add(names ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	servers := maps.Clone(*m.servers.Load())
	for _, name := range names {
		if servers[name] != nil {
			continue
		}
		s := &server{name: strings.Clone(name), paths: map[string]*path{}}
		s.gate.Store(&gate{})
		if e := m.cfg.Envoy; e != nil {
			s.limit, s.gateLimit = uint32(max(e.Failures, 0)), uint32(e.GatewayFailures)
		}
		servers[s.name] = s
	}
	m.servers.Store(&servers)
}

// Remove takes members out of the group, with all that is known of them: an
// ejected one gives its place under the cap back. Those that are gone for good
// must be removed, or the guard counts them as unhealthy for ever.
func (m *Monitor) Remove(names ...string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	servers := maps.Clone(*m.servers.Load())
	for _, name := range names {
		delete(servers, name)
	}
	m.servers.Store(&servers)
	m.index.remove(func(p *path) bool { return servers[p.server.name] != p.server })
}

// Members returns the names of the members in order.
func (m *Monitor) Members() []string { return slices.Sorted(maps.Keys(*m.servers.Load())) }

// Record takes in how an attempt of a client at a server ended, and how long it
// took, or had taken when it was given up. It is for the hot path: it takes no
// lock and allocates nothing, but for the first request on a path, and the first
// with a latency in another power of two. An attempt at a server that is no
// member is counted in Counters and is otherwise ignored, as is an outcome that
// does not exist.
func (m *Monitor) Record(client, server string, o Outcome, latency time.Duration) {
	p := m.index.find(client, server)
	if p == nil {
		p = m.path(client, server)
	}
	if p == nil || o >= outcomes {
		m.unknown.Add(1)
	} else {
		p.record(o, latency)
	}
}

// path returns the path to a member, which it makes if there is none, or nil.
func (m *Monitor) path(client, server string) *path {
	s := (*m.servers.Load())[server]
	if s == nil {
		return nil
	}
	if s.full.Load() {
		if p := m.index.find(OtherClients, server); p != nil {
			return p
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(s.paths) >= m.cfg.MaxClients && s.paths[client] == nil {
		s.full.Store(true)
		client = OtherClients
	}
	p := s.paths[client]
	if p == nil {
		client = strings.Clone(client) // it may be a part of something large
		p = &path{clientName: client, server: s}
		s.paths[client] = p
		if (*m.servers.Load())[server] == s { // it may have been removed meanwhile
			m.index.add(p)
		}
	}
	return p
}

// SetSilent says whether a detector of another kind suspects the server, such as
// one fed by heartbeats. It counts as unhealthy, but nobody is ejected for it here.
func (m *Monitor) SetSilent(name string, silent bool) {
	m.mark(name, func(s *server) { s.silent = silent })
}

// SetFailing says whether a health check of another kind fails. It counts as
// unhealthy, but nobody is ejected for it here.
func (m *Monitor) SetFailing(name string, failing bool) {
	m.mark(name, func(s *server) { s.failing = failing })
}

func (m *Monitor) mark(name string, set func(*server)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := (*m.servers.Load())[name]; s != nil {
		set(s)
	}
}

// Admit reports whether the server may get a request at now: all of them if it
// is active, none if it is ejected or no member, a few on probation, and a
// growing share in slow start. It takes no lock. A request that was admitted
// must be recorded: on probation it is the evidence.
//
// Ask it of the one server that the request goes to if it says yes. Each yes counts
// as a request sent: on probation one that is not used is lost until the next
// interval. To make a list, such as for a hedge, ask [Monitor.State].
func (m *Monitor) Admit(server string, now time.Time) bool {
	s := (*m.servers.Load())[server]
	return s != nil && s.admit(now)
}

// Weight returns the share of its usual requests that the server is to get at
// now, from 0 to 1. It is 0 on probation: the few requests then are those that
// Admit lets through.
func (m *Monitor) Weight(server string, now time.Time) float64 {
	s := (*m.servers.Load())[server]
	if s == nil {
		return 0
	}
	return s.gate.Load().share(now)
}

// State returns where the server is in its life; one that is no member is Ejected.
func (m *Monitor) State(server string) State {
	s := (*m.servers.Load())[server]
	if s == nil {
		return Ejected
	}
	return s.gate.Load().state
}

// Degraded reports whether the group itself was slow or failing at the last
// Advance: then hedged requests only add to its load. It takes no lock.
func (m *Monitor) Degraded() bool { return m.degraded.Load() }

// Restore makes a server active at once and forgets what it was ejected for: an
// operator knows better.
func (m *Monitor) Restore(name string) {
	m.mark(name, func(s *server) {
		s.life = life{total: s.life.total}
		s.history = [rules]history{}
		s.forgetRuns()
		s.gate.Store(&gate{})
		for _, p := range s.paths {
			p.restart()
		}
	})
}

// Override keeps the guard closed until the given time: see [Guard.Override].
func (m *Monitor) Override(until time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.guard = guardState{override: until}
}

// Evaluate returns what Advance would decide at now, and changes nothing.
func (m *Monitor) Evaluate(now time.Time) Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.look(now).Decision
}

// Advance decides at now, and takes note: servers that are to be ejected are,
// those whose time is over come on probation, and if the interval is over, the
// next one begins. Call it once an interval; before an interval is over it sees
// to the ends of ejections only, and to failures in a row if Envoy's rules are
// used. The first call ends the first interval.
func (m *Monitor) Advance(now time.Time) Decision {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.look(now)
	m.commit(r)
	return r.Decision
}

// Counters returns what was found, done and left undone by Advance so far.
func (m *Monitor) Counters() Counters {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.counters.copy(m.unknown.Load())
}

// Table returns the latencies of the last interval that was judged, client by
// server, and whose fault they are.
func (m *Monitor) Table() *Table {
	m.mu.Lock()
	cells := m.cells // never changed, only replaced
	m.mu.Unlock()
	return m.cfg.table(cells)
}

func (c *Config) table(cells []Cell) *Table {
	return newTable(TableConfig{Ratio: c.Ratio, Gap: max(c.LatencyGap, 0), MinSide: defaultMinSide, MinSamples: c.MinRequests, Limit: c.Limit}, cells)
}
