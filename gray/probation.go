package gray

import "time"

// evidence returns how many requests on probation tell something.
func (v *view) evidence() int { return max(v.j.Figures.Latencies, v.j.Figures.Requests) }

// probe decides on a server on probation: it must answer every one of a few
// requests, and their median must not stand out from the peers' medians. Those
// that were given up for another reason decide nothing.
func (v *view) probe(cfg *Config, eligible []*view, now time.Time) {
	slow, failures := v.slowProbes(cfg, eligible), v.failedProbes()
	v.j.Tests = []Test{slow, failures}
	f := &v.j.Figures
	for _, t := range v.j.Tests {
		if t.Outlier {
			v.j.Rule, v.worth, v.failed = t.Rule, t.worth(), true
			v.eject(cfg, now)
			return
		}
	}
	if f.Latencies >= cfg.Probes && !v.atLeast[0] { // else most were given up early, and it takes more
		v.start(cfg, now)
	}
}

// slowProbes compares the median of the probes with the median of those peers
// that have enough requests, however few they are. Where hedges or deadlines cut
// off so many of the peers' latencies that this is not known, there is nothing to
// compare with, as without peers: probes that succeed are enough then, since the
// server is judged again in slow start.
func (v *view) slowProbes(cfg *Config, eligible []*view) Test {
	f := &v.j.Figures
	var medians []float64
	for _, p := range eligible {
		switch {
		case p.j.Figures.Latencies < cfg.MinRequests:
		case p.atLeast[0]:
			medians = append(medians, unknown)
		default:
			medians = append(medians, p.median)
		}
	}
	t := Test{Rule: SlowMedian, Value: v.median, AtLeast: v.atLeast[0], Peers: len(medians), Samples: f.Latencies, Needed: cfg.Probes}
	mid := median(medians)
	switch {
	case f.Latencies < cfg.Probes:
		t.Reason = FewRequests
	case len(medians) == 0 || !known(mid):
		t.Reason = FewPeers
	default:
		rel := cfg.latencies()
		t.Median, t.Threshold = mid, rel.threshold(mid)
		hedgedAway := v.atLeast[0] && 2*f.Masked > f.Latencies // lost to others that came later
		t.Outlier = rel.standsOut(v.median, mid) || hedgedAway
	}
	t.decideAtOnce()
	return t
}

// failedProbes takes one failure for enough.
func (v *view) failedProbes() Test {
	f := &v.j.Figures
	t := Test{Rule: ManyErrors, Value: f.failureShare(), Samples: f.Requests, Needed: 1, Reason: FewRequests}
	if f.Requests > 0 {
		t.Threshold, t.Outlier, t.Reason = 1/float64(f.Requests), f.Failures > 0, None
	}
	t.decideAtOnce()
	return t
}
