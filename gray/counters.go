package gray

import "maps"

// Counters are what happened so far, to be exported as metrics. A server that
// is bad in many intervals counts in each of them, and
//
//	Σ Detected = Σ Enforced + Σ Suppressed
type Counters struct {
	Detected   map[Rule]uint64   // found bad in an interval, by the rule that found it
	Enforced   map[Rule]uint64   // ejected by a rule, and not for a failed probation
	Suppressed map[Reason]uint64 // kept all the same, by the reason

	Kept         map[Reason]uint64 // judged and not found bad in an interval, by the reason: None, SmallGap, FewPeers
	NotEvaluated map[Reason]uint64
	Returned     uint64 // came back from an ejection
	FailedProbes uint64 // did not pass the probation
	Pages        uint64
	Masked       uint64 // attempts that lost against a hedge
	Unknown      uint64 // records of servers that are no members, or of outcomes that do not exist
	Intervals    uint64 // judged
	LateOnes     uint64 // intervals thrown away
}

func (c *Counters) make() {
	c.Detected, c.Enforced = map[Rule]uint64{}, map[Rule]uint64{}
	c.Suppressed, c.Kept, c.NotEvaluated = map[Reason]uint64{}, map[Reason]uint64{}, map[Reason]uint64{}
}

func (c *Counters) copy(unknown uint64) Counters {
	d := *c
	d.Detected, d.Enforced = maps.Clone(c.Detected), maps.Clone(c.Enforced)
	d.Suppressed, d.Kept, d.NotEvaluated = maps.Clone(c.Suppressed), maps.Clone(c.Kept), maps.Clone(c.NotEvaluated)
	d.Unknown = unknown
	return d
}

// count takes in a decision.
func (c *Counters) count(d Decision) {
	if d.Closed {
		c.Intervals++
	}
	if d.Reason == Late {
		c.LateOnes++
	}
	if d.Guard.Page {
		c.Pages++
	}
	for _, j := range d.Servers {
		switch j.Verdict {
		case Eject:
			c.Detected[j.Rule]++
			c.Enforced[j.Rule]++
		case Suppressed:
			c.Detected[j.Rule]++
			c.Suppressed[j.Reason]++
		case NotEvaluated:
			if d.Reason != Early {
				c.NotEvaluated[j.Reason]++
			}
		case Keep:
			c.Kept[j.Reason]++
		}
	}
}
