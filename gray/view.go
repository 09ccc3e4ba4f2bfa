package gray

import (
	"maps"
	"slices"
)

// A view is one server in a round.
type view struct {
	s       *server
	j       Judgement
	paths   []pathView
	whole   samples
	median  float64
	tail    float64
	atLeast [2]bool // median and tail are lower bounds
	life    life
	history [rules]history
	excused Reason  // found slow, but by the fault of a path or a client
	worth   float64 // how far beyond the threshold it is

	// What happened to it just now.
	back     bool // its ejection ended
	ejected  bool
	failed   bool // its probation
	returned bool // to slow start, or to all of its requests
}

type pathView struct {
	client string
	p      *path
	now    pathReading
	n      int
	median float64
}

// samples returns the latencies of the interval. They are worked out again where
// they are wanted, since all of them would take much more than the readings.
func (pv *pathView) samples(into *samples) {
	*into = samples{}
	pv.now.exact.since(&pv.p.read.exact, &into.exact)
	pv.now.bound.since(&pv.p.read.bound, &into.bound)
}

// view reads what was recorded of a server since its interval began.
func (m *Monitor) view(s *server) *view {
	v := &view{s: s, life: s.life, history: s.history}
	v.j.Server = s.name
	var tally [outcomes]int
	for _, client := range slices.Sorted(maps.Keys(s.paths)) {
		pv := pathView{client: client, p: s.paths[client]}
		var own samples
		pv.now = pv.p.since(&own, &tally)
		pv.n = own.number()
		pv.median, _ = own.quantile(0.5)
		v.whole.exact.plus(&own.exact)
		v.whole.bound.plus(&own.bound)
		v.paths = append(v.paths, pv)
	}
	f := &v.j.Figures
	for o, n := range tally {
		if Outcome(o).failed() {
			f.Failures += n
		}
	}
	f.Requests = f.Failures + v.whole.exact.total()
	f.Masked, f.Overloads = tally[HedgedAway], tally[Overload]
	v.measure(&m.cfg)
	return v
}

// measure computes the latencies from the samples.
func (v *view) measure(cfg *Config) {
	f := &v.j.Figures
	f.Latencies = v.whole.number()
	v.median, v.atLeast[0] = v.whole.quantile(0.5)
	v.tail, v.atLeast[1] = v.whole.quantile(cfg.Quantile)
	f.Median, f.P99 = duration(v.median), duration(v.tail)
}

// advance begins the next interval of a server. It reports whether clients have
// gone, which have not been heard of for long.
func (v *view) advance(over bool) (gone bool) {
	const forget = 60 // intervals
	for _, pv := range v.paths {
		p := pv.p
		switch {
		case p.read != pv.now:
			p.idle = 0
		case over:
			p.idle++
		}
		p.read = pv.now
		if p.idle >= forget {
			delete(v.s.paths, pv.client)
			gone = true
		}
	}
	if gone {
		v.s.full.Store(false)
	}
	return gone
}
