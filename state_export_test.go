package liveness

// Unheard makes d forget its last heartbeat, and what that one alone said.
func Unheard(d Detector) {
	d.(interface{ unheard() }).unheard()
	switch d := d.(type) {
	case *Phi:
		d.outages.queued = 0
	case *Quantile:
		d.gaps.outages.queued = 0
	case *Satzger:
		d.gaps.outages.queued = 0
	case *LossAware:
		d.losses.missing = false
	}
}
