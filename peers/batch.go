package peers

import (
	"sync/atomic"
	"time"
)

// An Arrival is a heartbeat of a batch.
type Arrival[K comparable] struct {
	Key K
	Beat
	At      time.Time
	Outcome Outcome // set by [Monitor.HeartbeatBatch]
}

// batchSize is how many heartbeats are looked up together: enough that a core
// waits for all of their memory at once, and few enough that it is still in the
// cache when they are told.
const batchSize = 32

// HeartbeatBatch records heartbeats that were read in one go, and sets the
// Outcome of each. It is as if [Monitor.HeartbeatSeq] had been called for each in
// turn: a peer may be among them several times, and the events come in their order.
//
// It costs half as much or less where there are many more peers than the cache
// holds: what it has to read of memory it reads for 32 of them at a time. It is no
// faster with a thousand peers.
//
// If foreign code panics, the heartbeats up to some point are recorded and have an
// Outcome, and those after it are not and keep what they had.
func (m *Monitor[K]) HeartbeatBatch(batch []Arrival[K]) {
	for len(batch) > 0 {
		n := min(len(batch), batchSize)
		m.few(batch[:n])
		batch = batch[n:]
	}
}

// few records up to batchSize heartbeats.
func (m *Monitor[K]) few(batch []Arrival[K]) {
	var signs [batchSize]sign[K]
	var places [batchSize]*atomic.Pointer[peer[K]]
	var guess [batchSize]*peer[K]
	for i := range batch {
		a, g := &batch[i], &signs[i]
		g.b, g.at = a.Beat, a.At
		g.s, g.hash = m.shard(a.Key)
	}
	// Here nothing waits for anything of another heartbeat, so a core reads the
	// memory of many at once; a lock between them would keep it from that.
	for i := range batch {
		places[i] = signs[i].s.peers.glance(signs[i].hash)
	}
	for i := range batch {
		if places[i] != nil {
			guess[i] = places[i].Load()
		}
	}
	for i := range batch {
		if p := guess[i]; p != nil && p.gone.Load() {
			guess[i] = nil
		}
	}
	told := 0
	for i := range batch {
		g := &signs[i]
		g.s.mu.Lock()
		p := guess[i]
		if p == nil || p.gone.Load() || p.key != batch[i].Key {
			p = g.s.peers.find(batch[i].Key, g.hash)
		}
		o := m.accept(g, p)
		g.s.mu.Unlock()
		if o != Accepted {
			m.tellAll(signs[told:i])
			told = i + 1
			o = m.unusual(g, batch[i].Key, o)
		}
		batch[i].Outcome = o
	}
	m.tellAll(signs[told:len(batch)])
}

// tellAll gives accepted heartbeats to their detectors.
func (m *Monitor[K]) tellAll(signs []sign[K]) {
	touch(signs)
	told := 0
	defer func() {
		if told < len(signs) { // a detector panics: that takes nothing from the others
			m.tellAll(signs[told+1:])
		}
	}()
	for ; told < len(signs); told++ {
		m.tell(&signs[told])
	}
}

// touch has a core read the memory of many detectors at once: there is none but has
// to look into it for its threshold. One that panics will do so again when it is told.
func touch[K comparable](signs []sign[K]) {
	defer func() { _ = recover() }()
	for i := range signs {
		signs[i].d.Threshold()
	}
}
