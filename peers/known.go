package peers

import (
	"time"

	"example.com/liveness"
)

// known is what there is to know of a peer to judge it.
type known struct {
	heard, since int64
	suspected    slots
	version      uint32
	wait         coarse
	flags        flags
}

// known requires mu.
func (p *peer[K]) known() known {
	return known{p.heard, p.since, p.suspected, p.version, p.wait, p.flags}
}

func (k *known) is(f flags) bool { return k.flags&f != 0 }

// tell has a detector record a heartbeat.
func (k *known) tell(d liveness.Detector, b Beat, at time.Time) {
	if k.is(numbered) && b.Seq != 0 {
		d.(sequenced).HeartbeatSeq(b.Seq, at)
		return
	}
	d.Heartbeat(at)
}

// sure returns what part of a wait after a heartbeat the detector need not be asked
// about. The rest is for what the wait may have become since. With it deaths were
// found in time when the gaps changed to a fifth (TestExactWhenGapsChange); with a
// sixteenth one in six was not.
func (k *known) sure(wait int64) coarse {
	if !k.is(steady) || k.is(shifted) {
		return 0
	}
	return makeCoarse(wait / 4 * 3)
}

// lastOf returns where the detector's waits are counted from. It calls foreign
// code.
func (k *known) lastOf(d liveness.Detector) int64 {
	if k.is(shifted) {
		return k.detectorLast(d)
	}
	return k.heard
}

// detectorLast returns the last heartbeat of which the detector knows, ours if
// it knows of none. It calls foreign code.
func (k *known) detectorLast(d liveness.Detector) int64 {
	if last := d.Deadline(0); !last.IsZero() {
		return offset(last)
	}
	return k.heard
}
