package peers

import "time"

// Status is how a monitor is doing.
type Status struct {
	Peers    int // registered
	Suspects int // of them, by the thresholds of their own detectors
	Evicted  int // of the suspects

	// Factor is what waits are multiplied by: the monitor's health score
	// plus 1.
	Factor int
	// Stalls counts the times that the monitor found itself stalled.
	Stalls uint64
	// HeldUntil is the end of the latest grace: nobody is convicted before.
	HeldUntil time.Time

	// MassFailure says that too many are suspected together, and Released
	// that evictions go on all the same.
	MassFailure, Released bool

	// Heartbeats that were no life: of peers that are not registered, too old
	// by their numbers, too far ahead.
	Unknown, Stale, Absurd uint64
}

// Status returns how the monitor is doing. now is only the reference of the
// instant in it.
func (m *Monitor[K]) Status(now time.Time) Status {
	st := Status{
		Peers: int(m.size.Load()), Suspects: int(m.suspects.Load()), Evicted: int(m.evictions.Load()),
		Factor: m.doubt.health.Score() + 1,
	}
	m.eachShard(func(s *shard[K]) {
		st.Unknown += s.unknown
		st.Stale += s.old
		st.Absurd += s.absurd
	})
	m.guard.mu.Lock()
	st.MassFailure, st.Released = m.guard.mass, m.guard.released
	m.guard.mu.Unlock()
	m.doubt.mu.Lock()
	st.Stalls = m.doubt.count
	if st.Stalls > 0 {
		st.HeldUntil = moment(now, m.doubt.until)
	}
	m.doubt.mu.Unlock()
	return st
}
