package gray

import "slices"

// excuse finds those servers that are slow by the fault of single paths, or of
// clients that are slow to all: they do not stand out any more without those. It
// clears their tests and notes the reason.
func (c *Config) excuse(views []*view) {
	slow := [...]Rule{SlowTail, SlowMedian}
	standsOut := func(v *view) bool { return v.test(slow[0]).Outlier || v.test(slow[1]).Outlier }
	if !slices.ContainsFunc(views, standsOut) {
		return
	}
	guilty := c.culprits(cellsOf(views))
	if len(guilty.clients) == 0 && len(guilty.paths) == 0 {
		return
	}
	rest, reasons := make([]*view, len(views)), make([]Reason, len(views))
	for i, v := range views {
		rest[i], reasons[i] = v.without(guilty)
		rest[i].measure(c)
	}
	c.slowTests(rest)
	for i, v := range views {
		for _, rule := range slow {
			t := v.test(rule)
			if t.Outlier && !rest[i].test(rule).Outlier && reasons[i] != None {
				t.Outlier, t.Reason = false, reasons[i]
				v.excused = reasons[i]
			}
		}
	}
}

// culprits are whose fault a slowness is that is not a server's.
type culprits struct {
	clients map[string]bool
	paths   map[[2]string]bool // client and server
}

func (c *Config) culprits(cells []Cell) culprits {
	guilty := culprits{map[string]bool{}, map[[2]string]bool{}}
	for _, f := range c.table(cells).Faults() {
		switch f.Kind {
		case FaultClient:
			guilty.clients[f.Client] = true
		case FaultPath:
			guilty.paths[[2]string{f.Client, f.Server}] = true
		}
	}
	return guilty
}

// without returns the latencies of a server without those of the culprits, and
// what was left out.
func (v *view) without(guilty culprits) (*view, Reason) {
	rest, reason := &view{whole: v.whole}, None
	var own samples
	for i := range v.paths {
		pv := &v.paths[i]
		switch {
		case guilty.clients[pv.client]:
			reason = ClientFault
		case guilty.paths[[2]string{pv.client, v.s.name}]:
			reason = PathFault
		default:
			continue
		}
		pv.samples(&own)
		rest.whole.exact.minus(&own.exact)
		rest.whole.bound.minus(&own.bound)
	}
	return rest, reason
}
