package gray

// excuse finds those servers that are slow by the fault of single paths, or of
// clients that are slow to all: they do not stand out any more without those. It
// clears their tests and returns the reasons, or nil if there is none.
func (m *Monitor) excuse(r *round, eligible []*view, slow [][2]Test) []Reason {
	any := false
	for _, t := range slow {
		any = any || t[0].Outlier || t[1].Outlier
	}
	if !any {
		return nil
	}
	clients, paths := map[string]bool{}, map[[2]string]bool{}
	for _, f := range m.cfg.table(cellsOf(eligible)).Faults() {
		switch f.Kind {
		case FaultClient:
			clients[f.Client] = true
		case FaultPath:
			paths[[2]string{f.Client, f.Server}] = true
		}
	}
	if len(clients) == 0 && len(paths) == 0 {
		return nil
	}
	rest := make([]*view, len(eligible))
	reasons := make([]Reason, len(eligible))
	left := make([]Reason, len(eligible))
	for i, v := range eligible {
		w := &view{s: v.s, whole: v.whole}
		var own samples
		for j := range v.paths {
			pv := &v.paths[j]
			switch {
			case clients[pv.client]:
				left[i] = ClientFault
			case paths[[2]string{pv.client, v.s.name}]:
				left[i] = PathFault
			default:
				continue
			}
			pv.samples(&own)
			w.whole.exact.minus(&own.exact)
			w.whole.bound.minus(&own.bound)
		}
		w.measure(&m.cfg)
		rest[i] = w
	}
	for i, again := range m.cfg.slowTests(rest) {
		for k := range again {
			t := &slow[i][k]
			if t.Outlier && !again[k].Outlier && left[i] != None {
				t.Outlier, t.Reason = false, left[i]
				reasons[i] = left[i]
			}
		}
	}
	return reasons
}
