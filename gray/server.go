package gray

import (
	"sync/atomic"
	"time"
)

// A server is one member of the group, as all clients see it.
type server struct {
	name string

	// The failures in a row, those of gateways above those of all kinds, and
	// whether either has reached its limit since the last reading.
	run              atomic.Uint64
	trip             atomic.Uint32
	limit, gateLimit uint32

	gate   atomic.Pointer[gate]
	probes atomic.Int32  // on probation, requests that may still be sent
	turn   atomic.Uint64 // counts the requests asked for in slow start
	full   atomic.Bool   // there are as many clients as are told apart

	// What follows is protected by the mutex of the Monitor.
	paths   map[string]*path // by client
	life    life
	silent  bool
	failing bool
	history [rules]uint32 // for each rule the last intervals, the latest in the lowest bit
}

// life is where a server is in its life.
type life struct {
	state State
	until time.Time // the end of the ejection
	since time.Time // when slow start began
	times int       // ejections that count for the length of the next one
	total uint64    // ejections ever
}

// A path leads from one client to one server.
type path struct {
	clientName string
	server     *server
	exact      histogram
	bound      histogram
	others     [outcomes]atomic.Uint32 // how often each outcome came, but for OK, which exact has

	// What follows is protected by the mutex of the Monitor.
	read pathReading // where the interval began
	idle int         // intervals without any request
}

// pathReading is what a path had counted at some time.
type pathReading struct {
	exact, bound reading
	others       [outcomes]uint32
}

const (
	trippedAll = 1 << iota
	trippedGateway
	gatewayOne = 1 << 32
)

// runs are the failures in a row.
type runs struct {
	all, gateway            int
	tripped, trippedGateway bool
}

func (s *server) runs() runs {
	r, trip := s.run.Load(), s.trip.Load()
	return runs{int(r & (gatewayOne - 1)), int(r >> 32), trip&trippedAll != 0, trip&trippedGateway != 0}
}

func (s *server) forgetRuns() {
	s.run.Store(0)
	s.trip.Store(0)
}

// record is the hot path: for a success one atomic addition and one load.
func (p *path) record(o Outcome, latency time.Duration) {
	s := p.server
	if o == OK {
		p.exact.add(latency)
		if s.run.Load() != 0 {
			s.run.Store(0)
		}
		return
	}
	p.others[o].Add(1)
	if o.bounds() {
		p.bound.add(latency)
	}
	if o.failed() {
		s.failed(o)
	}
}

func (s *server) failed(o Outcome) {
	for {
		was := s.run.Load()
		all, gateway := uint32(was), uint32(was>>32)
		if all < maxCount {
			all++
		}
		if !o.gateway() {
			gateway = 0
		} else if gateway < maxCount {
			gateway++
		}
		if !s.run.CompareAndSwap(was, uint64(gateway)<<32|uint64(all)) {
			continue
		}
		trip := uint32(0)
		if s.limit > 0 && all >= s.limit {
			trip |= trippedAll
		}
		if s.gateLimit > 0 && gateway >= s.gateLimit {
			trip |= trippedGateway
		}
		if trip != 0 {
			s.trip.Or(trip)
		}
		return
	}
}

// since returns what was recorded since the interval began, and the reading to begin the next with.
func (p *path) since(s *samples, t *[outcomes]int) pathReading {
	var now pathReading
	now.exact = p.exact.since(&p.read.exact, &s.exact)
	now.bound = p.bound.since(&p.read.bound, &s.bound)
	for o := range p.others {
		now.others[o] = p.others[o].Load()
		t[o] += int(now.others[o] - p.read.others[o])
	}
	return now
}

// restart makes a path forget what was recorded in the present interval.
func (p *path) restart() {
	var s samples
	var t [outcomes]int
	p.read = p.since(&s, &t)
}

// A gate decides on single requests. It is replaced as a whole.
type gate struct {
	state State
	since time.Time
	span  time.Duration
}

// share returns which part of its requests a server is to get.
func (g *gate) share(now time.Time) float64 {
	const first = 0.1
	switch g.state {
	case Active:
		return 1
	case SlowStart:
		return min(max(float64(now.Sub(g.since))/float64(g.span), first), 1)
	}
	return 0
}

// admit reports whether the server may get a request.
func (s *server) admit(now time.Time) bool {
	g := s.gate.Load()
	switch g.state {
	case Active:
		return true
	case Probation:
		return s.probes.Load() > 0 && s.probes.Add(-1) >= 0
	case SlowStart:
		share := g.share(now)
		n := float64(s.turn.Add(1))
		return uint64(n*share) > uint64((n-1)*share)
	}
	return false
}

// setGate tells Admit what to do from now on.
func (s *server) setGate(cfg *Config, v *view, over bool) {
	g := s.gate.Load()
	if g.state != v.life.state || g.since != v.life.since {
		s.turn.Store(0)
		s.gate.Store(&gate{v.life.state, v.life.since, cfg.SlowStart})
	}
	if v.life.state == Probation && (over || v.back) {
		seen := 0
		if !v.back {
			seen = v.evidence()
		}
		s.probes.Store(int32(max(cfg.Probes-seen, 1)))
	}
}
