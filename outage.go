package liveness

const (
	// outageLevel is the least level at which a gap is taken for an outage.
	outageLevel = 8
	// deathFactor times the wait is a silence that means the process died.
	deathFactor = 10
	// burstFactor times shorter than usual is a gap between queued heartbeats.
	burstFactor = 100
	// longAgo is more gaps than any window holds.
	longAgo = 2 * maxWindow
)

// outages is what a Phi remembers of the gaps that outlasted the wait.
type outages struct {
	gaps         uint32 // gaps learnt, from longAgo on
	last, before uint32 // the values of gaps at the last two outages
	queued       uint32 // heartbeats that may have queued up in the last one
	died         bool   // the last run of outages began with a death
	reborn       bool   // the window was started again, and no usual gap has come since
}

// usual notes that a gap was no outage.
func (o *outages) usual() {
	o.gaps++
	o.reborn = false
}

// outage notes an outage of the given length and returns how much of it there
// is to learn, and whether the process is another one than before.
func (o *outages) outage(gap, wait int64, window int) (learn int64, another bool) {
	death := gap/deathFactor >= wait
	inARow := o.gaps-o.last == 1
	thirdInARow := inARow && o.gaps-o.before == 2
	third := o.gaps-o.before <= uint32(window)
	if !inARow {
		o.died = death
	}
	o.before, o.last = o.last, o.gaps
	o.gaps++
	switch {
	case thirdInARow && o.died && !death && !o.reborn:
		o.last, o.before, o.reborn = 0, 0, true
		return gap, true
	case !third:
		return wait, false
	case death:
		return deathFactor * wait, false
	}
	return gap, false
}

// queuedUp reports whether a gap is one between heartbeats that queued up
// during the last outage and were read in one go, given the usual gap.
func (o *outages) queuedUp(gap, usual int64) bool {
	if gap >= usual/burstFactor {
		o.queued = 0
		return false
	}
	o.queued--
	return true
}
