package liveness

const (
	// outageLevel is the level up to which an outage is learnt, and the least
	// at which a gap is taken for one.
	outageLevel = 8
	// deathFactor times the wait is a silence that means the process died.
	deathFactor = 10
	// outagesInARow is the number from which outages are the new normal.
	outagesInARow = 3
	// stretch times the wait is the most that recurrent outages teach, and the
	// first that makes a row of them: the waits that follow build on it.
	stretch = 2
	// burstFactor times shorter than usual is a gap between queued heartbeats.
	burstFactor = 100
	// longAgo is more gaps than any window holds.
	longAgo = 2 * maxWindow
)

// outages is what a detector that learns gaps remembers of those that outlasted
// the wait.
type outages struct {
	since  uint32 // gaps learnt since the last outage, no more than longAgo
	queued uint32 // heartbeats that may have queued up in it
	inARow uint8  // outages up to the last one, no more than outagesInARow+1
	recent uint8  // outages, each within a window of the one before, no more than outagesInARow
	died   bool   // they began with a death
	reborn bool   // the window was started again, and its prior has not faded yet
}

// usual notes a gap that is no outage.
func (o *outages) usual() { o.since = min(o.since+1, longAgo) }

// outage notes a gap that outlasted the wait. It returns how much of it there is
// to learn, cut being the most that a single outage teaches, and whether the
// process is another one than before.
func (o *outages) outage(gap, wait, cut int64, window int) (learn int64, another bool) {
	death := gap/deathFactor >= wait
	if o.since > 0 {
		o.inARow, o.died = 0, death
	}
	if o.since >= uint32(window) {
		o.recent = 0
	}
	o.since = 0
	o.inARow = min(o.inARow+1, outagesInARow+1)
	o.recent = min(o.recent+1, outagesInARow)
	switch {
	case o.inARow < outagesInARow && (death || o.recent < outagesInARow):
		return cut, false
	case o.inARow < outagesInARow:
		return min(gap, times(stretch, wait), times(deathFactor, cut)), false
	case o.died && !death && !o.reborn:
		*o = outages{since: longAgo, reborn: true}
		return 0, true
	case o.inARow == outagesInARow:
		return min(gap, times(stretch, wait)), false
	case death:
		return deathFactor * wait, false
	}
	return gap, false
}

// queuedUp reports whether a gap is one between heartbeats that queued up
// during the last outage and were read in one go, given the usual gap.
func (o *outages) queuedUp(gap, usual int64) bool {
	if gap >= usual/2 {
		o.queued = 0
		return false
	}
	o.queued--
	return gap < usual/burstFactor
}

// times returns n·x for positive n and x, or the largest int64.
func times(n, x int64) int64 {
	if x > never/n {
		return never
	}
	return n * x
}
