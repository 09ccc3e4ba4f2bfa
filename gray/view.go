package gray

import (
	"maps"
	"math"
	"slices"
	"time"
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
	history [rules]uint32
	back    bool // its ejection ended just now
	failed  bool // it did not pass the probation
	passed  bool
	excused Reason  // found slow, but by the fault of a path or a client
	worth   float64 // how far beyond the threshold it is
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

func (f Figures) failureShare() float64 {
	if f.Requests == 0 {
		return 0
	}
	return float64(f.Failures) / float64(f.Requests)
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

// timeAway returns how long the present ejection lasts in all.
func (v *view) timeAway(cfg *Config) time.Duration {
	return cfg.Backoff.Time(v.life.times) + cfg.Backoff.extra(randomFor(cfg.Seed, v.s.name, v.life.total))
}

// turnBack begins an ejection or a slow start anew that began after now, by a
// clock that was set back since: else it would last until that has caught up.
func (v *view) turnBack(cfg *Config, now time.Time) {
	l := &v.life
	switch l.state {
	case Ejected:
		if whole := v.timeAway(cfg); l.until.Sub(now) > whole {
			l.until = now.Add(whole)
		}
	case SlowStart:
		if now.Before(l.since) {
			l.since = now
		}
	}
}

// wake ends an ejection whose time is over, and a slow start.
func (v *view) wake(cfg *Config, now time.Time) {
	l := &v.life
	switch {
	case l.state == Ejected && !now.Before(l.until):
		v.back = true
		l.until = time.Time{}
		switch {
		case cfg.Envoy != nil:
			l.state = Active
		case cfg.Probes > 0:
			l.state = Probation
		default:
			v.start(cfg, now)
		}
	case l.state == SlowStart && now.Sub(l.since) >= cfg.SlowStart:
		l.state, l.since = Active, time.Time{}
	}
}

// start lets a server that has come back get its share again.
func (v *view) start(cfg *Config, now time.Time) {
	v.passed = true
	v.life.state, v.life.since = SlowStart, now
	if cfg.SlowStart < 0 {
		v.life.state, v.life.since = Active, time.Time{}
	}
}

// decide sets the verdict on a server from its tests. It returns whether it is to be ejected if it may.
func (v *view) decide() bool {
	j := &v.j
	best := -1
	rank := func(t Test) int { return 2*oneIf(t.Found) + oneIf(t.Outlier) }
	judged, gap, why := false, false, None
	for i, t := range j.Tests {
		if t.Reason == None || t.Reason == SmallGap {
			judged = true
			gap = gap || t.Reason == SmallGap
		} else if why == None || t.Reason == FewPeers {
			why = t.Reason
		}
		if t.Outlier && (best < 0 || rank(t) > rank(j.Tests[best])) {
			best = i
		}
	}
	switch {
	case best >= 0:
		t := j.Tests[best]
		j.Rule, v.worth = t.Rule, t.worth()
		j.Verdict, j.Reason = Suppressed, Persistence
		return t.Found
	case v.excused != None:
		j.Verdict, j.Reason, j.Rule = Suppressed, v.excused, SlowTail
		for _, t := range j.Tests {
			if t.Reason == v.excused {
				j.Rule = t.Rule
			}
		}
	case gap:
		j.Verdict, j.Reason = Keep, SmallGap
	case judged:
		j.Verdict, j.Reason = Keep, None
	default:
		j.Verdict, j.Reason = NotEvaluated, why
	}
	return false
}

// worth returns how many times the value is beyond the threshold.
func (t Test) worth() float64 {
	bad, limit := t.Value, t.Threshold
	if t.Rule == SuccessRate {
		bad, limit = limit, bad
	}
	if limit <= 0 {
		return math.MaxFloat64
	}
	return min(bad/limit, math.MaxFloat64)
}

// recover lets the count of ejections fall by evidence of health.
func (v *view) recover() { v.life.times = max(v.life.times-1, 0) }

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
