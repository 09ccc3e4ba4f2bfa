package gray

import (
	"sync/atomic"
	"time"
)

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
