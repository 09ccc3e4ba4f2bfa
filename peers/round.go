package peers

import "example.com/liveness"

// round is one call of Advance.
type round[K comparable] struct {
	judgement
	m    *Monitor[K]
	hits []hit // of the peer that is looked at
	wait int64 // its detector's to the next deadline, 0 if it is to be asked again whatever comes

	// Entries taken out of a heap, those from next on are yet to be looked at. It is
	// no slice, so that a round allocates nothing.
	taken    [batchSize]entry[K]
	next, to int
}

// hit is a deadline that has passed.
type hit struct {
	who slots
	due int64
}

// visit looks at the peers of a shard that are due. It returns when the next one
// is.
func (rd *round[K]) visit(s *shard[K]) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() { s.restore(rd.taken[rd.next:rd.to]) }() // there are some if a detector panics
	for {
		rd.next, rd.to = 0, s.due(rd.off, &rd.taken)
		if rd.to == 0 {
			return s.first.Load()
		}
		for i := range rd.to { // a core reads the memory of all of them at once
			rd.taken[i].p.gone.Load()
		}
		for rd.next < rd.to {
			e := rd.taken[rd.next]
			rd.next++
			if s.take(e) && !rd.heard(s, e.p) {
				rd.judge(s, e.p)
			}
		}
	}
}

// heard reports whether a peer was heard so lately that its detector need not be
// asked, and then has it looked at later. It requires mu.
func (rd *round[K]) heard(s *shard[K], p *peer[K]) bool {
	next := plus(p.heard, p.wait.ns())
	if p.wait == 0 || p.suspected != 0 || !p.is(heardOnce) || p.is(shifted) || next <= rd.off || p.heard > rd.future() {
		return false
	}
	s.arm(p, rd.spread(next, p.heard))
	return true
}

// judge looks at a peer that was taken out of the heap. It requires mu, and
// gives it up while it asks the detector.
func (rd *round[K]) judge(s *shard[K], p *peer[K]) {
	if limit := rd.future(); p.heard > limit && p.is(seen) { // a heartbeat that claims to be from then makes nobody immortal
		p.heard = limit
		p.set(shifted, true)
	}
	r, k, d := rd.m.roster.Load(), p.known(), p.detector
	next, level := rd.consult(s, p, r, d, k)
	switch {
	case p.gone.Load():
		return
	case p.version != k.version || rd.m.roster.Load() != r:
		s.arm(p, plus(rd.off, int64(rd.m.cfg.Resolution))) // a heartbeat came meanwhile, or a subscription: what was asked is not true any more
		return
	}
	p.ease = max(p.ease, older)
	p.wait = k.sure(rd.wait)
	for _, h := range rd.hits {
		rd.convict(p, h, level, r)
	}
	if len(rd.hits) == 0 {
		next = rd.spread(next, k.heard)
	}
	s.arm(p, max(next, plus(rd.off, 1)))
}

// future returns from when on an instant has no business here: the next round is
// to come before, or else that is a stall, whose time is not silence. So nobody
// who was heard while this round takes its time is suspected too early.
func (rd *round[K]) future() int64 {
	c := &rd.m.cfg
	return plus(rd.off, int64(max(c.Doubt.Period, c.Resolution)+c.Doubt.MaxLateness))
}

// spread returns an instant up to a quarter sooner than next, if that is far
// off: peers that were all looked at at once, at the start or after a stall,
// would otherwise be due at once ever after. By how much depends on when it was
// heard, to the nanosecond.
func (rd *round[K]) spread(next, heard int64) int64 {
	far := minus(next, rd.off)
	if next == never || far < 10*int64(rd.m.cfg.Doubt.Period) {
		return next
	}
	const golden = 0x9E3779B97F4A7C15 // 2^64 / φ, the golden ratio: its products are well mixed in the high bits
	return next - far/1024*int64(uint64(minus(rd.off, heard))*golden>>56)
}

// consult asks the detector, with mu given up meanwhile.
func (rd *round[K]) consult(s *shard[K], p *peer[K], r *roster[K], d liveness.Detector, k known) (next int64, level float64) {
	answered := false
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		if !answered && !p.gone.Load() {
			s.arm(p, plus(rd.off, int64(rd.m.cfg.Doubt.Period))) // the detector panics: its peer must not get lost, nor hold up the others
		}
	}()
	next = rd.ask(r, d, k)
	if len(rd.hits) > 0 {
		level = d.Suspicion(rd.now)
	}
	answered = true
	return next, level
}

// ask finds out which deadlines of a peer have passed, and returns the next one.
// It calls foreign code.
func (rd *round[K]) ask(r *roster[K], d liveness.Detector, k known) (next int64) {
	rd.hits = rd.hits[:0]
	rd.wait = 0
	next = never
	if !k.is(heardOnce) {
		wait := k.since
		if k.suspected&1 != 0 {
			wait = minus(k.since, k.heard) // that was when the limit was found to have passed
		}
		next = rd.passed(k.heard, wait, r.all&^k.suspected)
	} else {
		last, sure := k.lastOf(d), k.is(shifted)
		r.rising(d, k.suspected, func(threshold float64, who slots) bool {
			deadline := d.Deadline(threshold)
			if deadline.IsZero() || last == never { // it has not heard what we have, or what is beyond reach
				next = rd.passed(k.heard, int64(rd.m.cfg.FirstBeat), r.all&^k.suspected)
				next = min(next, plus(rd.off, int64(rd.m.cfg.Doubt.Period)))
				return false
			}
			if _, stretched := rd.due(k.heard, minus(offset(deadline), last)); stretched <= rd.off && !sure {
				// A heartbeat may be on its way to the detector: we count from
				// ours, and only the wait is the detector's.
				last, sure = k.detectorLast(d), true
			}
			wait := minus(offset(deadline), last)
			if next = rd.passed(k.heard, wait, who); next != never {
				rd.wait = wait
			}
			return next == never && len(rd.hits) > 0
		})
	}
	if len(rd.hits) == 0 {
		return next
	}
	if until, held := rd.holds(rd.m.cfg.Doubt.Period); held {
		rd.hits, rd.wait = rd.hits[:0], 0
		return until
	}
	return next
}

// passed notes a deadline if it has passed, else it returns when to ask for it.
func (rd *round[K]) passed(heard, wait int64, who slots) (next int64) {
	due, stretched := rd.due(heard, wait)
	switch {
	case who == 0:
		return never
	case stretched <= rd.off:
		rd.hits = append(rd.hits, hit{who, stretched})
		return never
	case due <= rd.off:
		return min(stretched, rd.calm) // the stretch may be less by then
	}
	return due
}

// convict has a peer suspected. It requires mu.
func (rd *round[K]) convict(p *peer[K], h hit, level float64, r *roster[K]) {
	m := rd.m
	who := h.who &^ p.suspected
	p.suspected |= who
	if r.picky {
		if p.streak == nil {
			p.streak = new([maxSlots]uint8)
		}
		for _, sub := range r.subs {
			if who&(1<<sub.slot) != 0 {
				p.streak[sub.slot] = 0
			}
		}
	}
	if who&1 != 0 {
		m.suspects.Add(1)
		p.since = rd.off
		if !p.is(queued) {
			p.set(queued, true)
			m.guard.enqueue(p)
		}
	}
	why := Silent
	if !p.is(heardOnce) {
		why = NeverHeard
	}
	r.tell(who, Event[K]{
		Kind: Suspected, Reason: why, At: rd.now, Key: p.key, Incarnation: p.incarnation,
		Suspicion: level, Deadline: moment(rd.now, h.due),
	})
}
