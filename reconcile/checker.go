package reconcile

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

const (
	defaultLow        = 0.5
	defaultHigh       = 2
	defaultMaxAge     = 24 * time.Hour
	defaultMaxNothing = 0.01
	maxAge            = 1000 * 24 * time.Hour

	// chance is how many standard deviations of the difference of two counts
	// are taken for chance.
	chance = 4

	// skew is how far clocks may differ: a record from later than now is wrong.
	skew = time.Minute
)

// Config configures a [Checker]. Each field says what its zero means.
type Config struct {
	// Keys are those that every run must bring, at least one, none of them
	// empty or there twice.
	Keys []string

	// Low and High are the band of a count, as multiples of that of the same
	// weekday a week before: Low above 0 and at most 1, High at least 1 and
	// finite. Zero means 0.5 and 2.
	//
	// A count n outside of it, where it was m before, is a finding if it
	// differs by more than chance does, too: |n − m| > 4 √(n + m), the standard
	// deviation of the difference of two Poisson counts. So a key with few
	// records is not judged by their number, except by whether there are any.
	Low, High float64

	// MaxAge is how old the newest record of a key may be, from 1 s to 1000
	// days. Zero means a day.
	MaxAge time.Duration

	// MaxNothing is the share of the values of a field that may become
	// nothing, above 0 and at most 1. Zero means 0.01.
	MaxNothing float64
}

// A Checker judges runs. It is safe for concurrent use, and made by [New].
type Checker struct {
	cfg  Config
	keys map[string]bool
}

// New returns a checker. It returns an error that names the field, the value and
// the bound if cfg is out of range.
func New(cfg Config) (*Checker, error) {
	cfg.setDefaults()
	cfg.Keys = slices.Sorted(slices.Values(cfg.Keys))
	if err := cfg.check(); err != nil {
		return nil, err
	}
	c := &Checker{cfg: cfg, keys: make(map[string]bool, len(cfg.Keys))}
	for _, key := range cfg.Keys {
		c.keys[key] = true
	}
	return c, nil
}

func (cfg *Config) setDefaults() {
	if unset(cfg.Low) {
		cfg.Low = defaultLow
	}
	if unset(cfg.High) {
		cfg.High = defaultHigh
	}
	if cfg.MaxAge == 0 {
		cfg.MaxAge = defaultMaxAge
	}
	if unset(cfg.MaxNothing) {
		cfg.MaxNothing = defaultMaxNothing
	}
}

// check requires sorted keys.
func (cfg *Config) check() error {
	distinct := len(slices.Compact(slices.Clone(cfg.Keys))) == len(cfg.Keys)
	return cmp.Or(
		check(len(cfg.Keys) > 0 && cfg.Keys[0] != "" && distinct, "Keys", fmt.Sprintf("%q", cfg.Keys),
			"at least one key, none of them empty or there twice"),
		check(0 < cfg.Low && cfg.Low <= 1, "Low", cfg.Low, "a number above 0, at most 1"),
		check(1 <= cfg.High && cfg.High <= math.MaxFloat64, "High", cfg.High, "a finite number, at least 1"),
		check(time.Second <= cfg.MaxAge && cfg.MaxAge <= maxAge, "MaxAge", cfg.MaxAge, "a duration from 1s to 1000 days"),
		check(0 < cfg.MaxNothing && cfg.MaxNothing <= 1, "MaxNothing", cfg.MaxNothing, "a number above 0, at most 1"),
	)
}

// check returns an error that names the field, its value and the bound, unless
// ok, which should ask for what is wanted: NaN is neither above nor below.
func check(ok bool, field string, value any, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("reconcile: %s is %v, want %s", field, value, want)
}

// unset reports whether a number in a config was left out. Negative zero was not.
func unset(x float64) bool { return x == 0 && !math.Signbit(x) }

// Judge judges a run at now, against the one for the same weekday a week before,
// nil if there is none: see [History]. It changes neither, and the same arguments
// give the same report. In a zero Run every key is missing.
func (c *Checker) Judge(run Run, before *Run, now time.Time) Report {
	report := Report{Day: run.Day, Judged: now, Expected: len(c.cfg.Keys)}
	if before == nil {
		report.add(Finding{Kind: Unverified})
	} else {
		report.Before = before.Day
	}
	for _, key := range c.cfg.Keys {
		part, present := run.Parts[key]
		if present && part.Count > 0 {
			report.Present++
		}
		c.judge(&report, key, part, present, before, now)
	}
	for _, key := range slices.Sorted(maps.Keys(run.Parts)) {
		part := run.Parts[key]
		report.Records += part.Count
		for _, f := range part.Fields {
			report.Nothing += f.Nothing
		}
		if !c.keys[key] {
			report.add(Finding{Kind: Unexpected, Key: key, Part: part})
		}
	}
	report.sort()
	return report
}

// judge judges one expected key.
func (c *Checker) judge(report *Report, key string, part Part, present bool, before *Run, now time.Time) {
	f := Finding{Key: key, Part: part}
	verified := false
	if before != nil {
		var then Part
		then, verified = before.Parts[key]
		verified = verified && then.Count > 0
		f.CountBefore = then.Count
	}
	add := func(kind Kind) {
		f.Kind = kind
		report.add(f)
	}
	if !present || part.Count <= 0 {
		kind := Missing
		if present {
			kind = Empty
		}
		add(kind)
		return // the rest follows from that
	}

	n, m := float64(part.Count), float64(f.CountBefore)
	f.Least, f.Most = c.cfg.Low*m, c.cfg.High*m
	byChance := math.Abs(n-m) <= chance*math.Sqrt(n+m)
	switch {
	case !verified:
		if before != nil {
			add(Unverified)
		}
	case n < f.Least && !byChance:
		add(Low)
	case n > f.Most && !byChance:
		add(High)
	}

	f.Age, f.MaxAge = max(now.Sub(part.Newest), -math.MaxInt64), c.cfg.MaxAge
	switch {
	case part.Newest.IsZero():
		f.Age = 0
		add(Undated)
	case f.Age > c.cfg.MaxAge:
		add(Stale)
	case f.Age < -skew:
		add(Future)
	}

	for _, name := range slices.Sorted(maps.Keys(part.Fields)) {
		f.Field, f.MaxNothing = name, c.cfg.MaxNothing
		if v := part.Fields[name]; float64(v.Nothing) > c.cfg.MaxNothing*float64(v.Values) {
			add(Nothing)
		}
	}
}
