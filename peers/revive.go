package peers

// revive gives a heartbeat to the detector of a peer that is suspected or was
// never heard, and says what follows from it. It returns who suspects it still.
func (m *Monitor[K]) revive(g *sign[K]) slots {
	r, p, k, at := m.roster.Load(), g.p, &g.known, g.at
	before, own := 0.0, 0.0
	if r.picky {
		before, own = g.d.Suspicion(at), g.d.Threshold()
	}
	k.tell(g.d, g.b, at)
	g.s.mu.Lock()
	defer g.s.mu.Unlock()
	r = m.roster.Load()
	if p.gone.Load() || p.rest != g.of {
		return ^slots(0)
	}
	trusting, why := slots(0), Heard
	if !p.is(heardOnce) {
		trusting, why = ^slots(0), FirstHeartbeat
		p.set(heardOnce, true)
		p.since = k.heard
	} else {
		trusting = p.suspected & 1
		for _, sub := range r.subs {
			if p.suspected&(1<<sub.slot) != 0 && p.persuades(sub, before, own) {
				trusting |= 1 << sub.slot
			}
		}
		if trusting&1 != 0 {
			p.since = k.heard
		}
	}
	if trusting&1 != 0 {
		m.absolve(p)
	}
	if p.suspected &^= trusting; p.suspected == 0 {
		p.streak = nil
	}
	r.tell(trusting, Event[K]{Kind: Trusted, Reason: why, At: at, Key: p.key, Incarnation: p.incarnation})
	p.version++ // a round that asks the detector just now takes account of those that suspected it
	g.due, k.wait = p.due, p.wait
	return p.suspected
}

// persuades notes a heartbeat that came at the level before, and reports whether
// sub trusts the peer again. It requires the shard's mu.
func (p *peer[K]) persuades(sub *Subscription[K], before, own float64) bool {
	threshold := sub.cfg.Threshold
	if sub.cfg.TrustAfter == 1 {
		return true
	}
	if threshold == 0 {
		threshold = own
	}
	if p.streak == nil {
		p.streak = new([maxSlots]uint8)
	}
	n := &p.streak[sub.slot]
	if before >= threshold {
		*n = 0
	}
	*n++
	return int(*n) >= sub.cfg.TrustAfter
}

// hasten has a peer looked at when its deadline is due, if that is sooner than it
// would be.
func (m *Monitor[K]) hasten(g *sign[K]) {
	d, k, sooner, less := g.d, &g.known, int64(never), g.known.wait
	last := k.lastOf(d)
	m.roster.Load().rising(d, k.suspected, func(threshold float64, _ slots) bool {
		wait := int64(m.cfg.FirstBeat)
		if deadline := d.Deadline(threshold); !deadline.IsZero() {
			wait = minus(offset(deadline), last)
		}
		sooner = plus(k.heard, wait)
		less = min(less, k.sure(wait))
		return false
	})
	if g.revives || g.due == never { // else it is looked at before long
		if next := m.doubt.promised.Load(); k.heard > plus(next, int64(m.cfg.Doubt.MaxLateness)) {
			sooner = min(sooner, next) // a heartbeat from the future, of which the next round makes one of the present
		}
	}
	if sooner >= g.due && less == k.wait {
		return
	}
	g.s.mu.Lock()
	g.p.wait = min(g.p.wait, less)
	earlier := !g.p.gone.Load() && g.s.arm(g.p, sooner)
	g.s.mu.Unlock()
	if earlier {
		m.poke(sooner)
	}
}
