package peers

import "time"

// Advance brings the monitor to now: it finds the peers whose deadlines have
// passed, tells the subscribers, and decides on evictions. It returns when it
// wants to be called again: at the next deadline, and no later than Doubt.Period
// from now. To be called later makes the monitor doubt itself, see [Doubt]; to be
// called sooner does no harm, and is necessary when a registration or a
// heartbeat has made a deadline earlier than what was returned, if those shorter
// than the Period are to be kept. [Monitor.Run] does all that.
//
// The same calls with the same instants have the same results, but for the order
// of what happens to different peers in one round; in a shard that is the order
// in which they were due. The first call begins the watch: no silence counts from
// before it.
//
// A round costs O(number of shards), and O(log n) for each peer that is due:
// one whose heartbeats come in time is due about once in the time that it may
// be silent.
func (m *Monitor[K]) Advance(now time.Time) time.Time {
	m.wakeAt.Store(never) // whatever becomes due from here on pokes
	rd := round[K]{judgement: m.doubt.begin(now), m: m}
	for _, e := range rd.announce {
		m.announce(Event[K]{Kind: e.Kind, Reason: e.Reason, At: e.At, Length: e.Length, Score: e.Score})
	}
	if rd.rewound {
		m.eachShard(func(s *shard[K]) { s.rewind(rd.off) })
	}
	next := plus(rd.off, int64(m.cfg.Doubt.Period))
	for i := range m.shards {
		s := &m.shards[i]
		first := s.first.Load()
		if first <= rd.off {
			first = rd.visit(s)
		}
		next = min(next, first)
	}
	next = min(next, m.watch(&rd.judgement))
	next = max(next, plus(rd.off, 1))
	m.doubt.end(&rd.judgement, next)
	m.wakeAt.Store(next)
	return moment(now, next)
}

// Next returns when the monitor wants Advance to be called: what that returned
// last, or an earlier deadline that has come up since, and now if that has
// passed, or before the first call. It costs O(number of shards).
func (m *Monitor[K]) Next(now time.Time) time.Time {
	m.doubt.mu.Lock()
	started, next := m.doubt.started, m.doubt.promised.Load()
	m.doubt.mu.Unlock()
	if !started {
		return now
	}
	for i := range m.shards {
		next = min(next, m.shards[i].first.Load())
	}
	return moment(now, max(next, offset(now)))
}
