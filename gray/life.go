package gray

import "time"

// A life is where a server is in its life. It is a value, so that looking ahead
// changes nothing.
type life struct {
	state State
	until time.Time // the end of the ejection
	since time.Time // when slow start began
	times int       // ejections that count for the length of the next one
	total uint64    // ejections ever
}

// eject takes a server out.
func (v *view) eject(cfg *Config, now time.Time) {
	l := &v.life
	l.times = min(l.times+1, cfg.Backoff.Limit())
	l.total++
	l.state, l.since = Ejected, time.Time{}
	l.until = now.Add(v.timeAway(cfg))
	v.history = [rules]history{}
	v.ejected = true
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
		if cfg.Envoy == nil && cfg.Probes > 0 {
			l.state = Probation
		} else {
			v.start(cfg, now)
		}
	case l.state == SlowStart && now.Sub(l.since) >= cfg.SlowStart:
		l.state, l.since = Active, time.Time{}
	}
}

// start lets a server that has come back get its share again.
func (v *view) start(cfg *Config, now time.Time) {
	v.returned = true
	v.life.state, v.life.since = SlowStart, now
	if cfg.Envoy != nil || cfg.SlowStart < 0 {
		v.life.state, v.life.since = Active, time.Time{}
	}
}

// recover lets the count of ejections fall by evidence of health.
func (v *view) recover() { v.life.times = max(v.life.times-1, 0) }
