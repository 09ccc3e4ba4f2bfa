package liveness

import (
	"time"
)

// Heartbeat records that a heartbeat arrived at the given time and learns from
// the gap since the last one, by the rules in the type's comment. A heartbeat
// before the last one is taken as delivered out of order and changes nothing,
// unless it is the second in a row that lies further back than the detector
// would have waited: then the clock was set back, and it is the last one.
func (d *Phi) Heartbeat(at time.Time) {
	if d.settings == nil {
		panic("liveness: Phi not made by NewPhi")
	}
	off := offset(at)
	d.mu.Lock()
	gap := minus(off, d.arrival.off)
	if gap > 0 && d.arrival.count > 0 && !d.mayBeOutage(gap) {
		d.usual(gap, gap)
		d.moved(at, off)
	} else {
		d.unusual(at, off)
	}
	d.mu.Unlock()
}

// unusual takes in a heartbeat that is the first, does not come after the last
// one, or may end an outage. It requires mu, and gives it up while it asks a
// foreign law.
func (d *Phi) unusual(at time.Time, off int64) {
	if d.arrival.count == 0 || off == d.arrival.off {
		d.moved(at, off)
		return
	}
	if gap := minus(off, d.arrival.off); gap > 0 && d.kind == logStudentT && !d.mayBeLogOutage(gap) {
		d.usual(gap, gap)
		d.moved(at, off)
		return
	}
	most := d.most(d.outageUnit()) // before the gap: other heartbeats may come meanwhile
	wait := plus(most, d.pause)
	if d.arrival.count == 0 { // a saved state came
		d.moved(at, off)
		return
	}
	switch gap := minus(off, d.arrival.off); {
	case gap < 0:
		if !d.arrival.rewind(at, off, wait) {
			d.arrival.count++
			return // neither the law nor the last arrival has changed
		}
	case gap > wait:
		if d.threshold > outageLevel {
			most = min(most, d.most(outageUnits[d.kind]))
		}
		d.outage(gap, wait, most)
	case gap > 0:
		d.usual(gap, min(gap, most))
	}
	d.moved(at, off)
}

// usual learns from a gap above 0 that is no outage, up to a length. It requires mu.
func (d *Phi) usual(gap, most int64) {
	if d.outages.queued > 0 && d.outages.queuedUp(gap, d.usualGap) {
		return
	}
	d.outages.usual()
	if d.more != nil { // not in learn, which would be too large to be inlined
		d.more.learn(d.kind, &d.window, minus(gap, d.pause), most, false, false)
	}
	d.learn(most)
	if d.outages.reborn && d.window.Len() >= priorSpan(d.window.Cap()) {
		d.outages.reborn = false
	}
}

// outage learns from a gap that outlasted the wait. It requires mu.
func (d *Phi) outage(gap, wait, most int64) {
	mean, _, _ := d.moments()
	d.usualGap = max(toNanoseconds(mean), 1)
	missed := gap / d.usualGap
	if d.outages.since >= uint32(d.remembered()) || most < d.cut {
		d.cut = most // outages within a window of each other must not build on each other
	}
	learn, another := d.outages.outage(gap, wait, d.cut, d.remembered())
	d.outages.queued = uint32(min(missed, longAgo))
	if another {
		d.window.Reset()
		if d.more != nil {
			d.more.reset()
		}
		d.fitted = false
		return
	}
	if d.more != nil {
		d.more.learn(d.kind, &d.window, minus(gap, d.pause), learn, learn == d.cut, d.outages.inARow >= outagesInARow)
	}
	d.learn(learn)
}

// moved makes at the last heartbeat. It requires mu.
func (d *Phi) moved(at time.Time, off int64) {
	d.arrival.count++
	d.arrival.set(at, off)
	d.forget()
}

// learn adds a gap to the window, of which more has been told. It requires mu.
func (d *Phi) learn(gap int64) {
	d.window.Add(time.Duration(gap))
	d.fitted = false
}

// mayBeOutage reports whether a gap above 0 has to be compared with the
// deadline, pause or no pause. It requires mu.
func (d *Phi) mayBeOutage(gap int64) bool {
	// gap > surely · mean, without a division; mean as in stats.
	n, sum := float64(d.window.Len()), d.window.sums.Float()
	if w := d.priorWeight(); w > 0 {
		n += w
		sum += w * d.expected * nanos
	}
	return float64(gap)*n > d.surely*sum
}

// mayBeLogOutage is mayBeOutage for a LogStudentT, whose mean of the logarithms
// may be anywhere below the logarithm of the mean. It requires mu.
func (d *Phi) mayBeLogOutage(gap int64) bool {
	w := d.priorWeight()
	n := float64(d.window.Len()) + w
	sum := d.more.logs.Float()/logUnit + w*(d.more.prior.Mu+lnNanos)
	return float64(fixedLog(time.Duration(gap)))/logUnit*n > sum+d.more.surely*n
}

// remembered returns how many gaps back the law reaches.
func (d *Phi) remembered() int {
	if d.kind == empirical {
		return d.more.ratios.Reach()
	}
	return d.window.Cap()
}

// most returns the longest gap, without a pause, at which the level of the given
// unit is not reached: all that one gap can teach. It requires mu, and gives it
// up while it asks a foreign law.
func (d *Phi) most(unit float64) int64 {
	ns, _ := d.consult(func(l law) int64 { return toNanoseconds(d.at(l, unit)) })
	return max(ns, 1)
}
