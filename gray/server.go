package gray

import "sync/atomic"

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
	history [rules]history
	told    State // its state after the last Advance
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
