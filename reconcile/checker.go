package reconcile

import (
	"maps"
	"math"
	"slices"
	"time"
)

const (
	// chance is how many standard deviations of the difference of two counts
	// are taken for chance.
	chance = 4

	// skew is how far clocks may differ: a record from later than now is wrong.
	skew = time.Minute
)

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

// Judge judges a run at now, against the one for the same weekday a week before:
// see [History]. If there is none, before is nil, and the report says of [AllKeys]
// that their counts are Unverified. It changes neither run, and the same arguments
// give the same report. In a zero Run every key is missing.
func (c *Checker) Judge(run Run, before *Run, now time.Time) Report {
	report := Report{Day: run.Day, Judged: now, Expected: len(c.cfg.Keys)}
	if before == nil {
		report.add(Finding{Kind: Unverified, Key: AllKeys})
	} else {
		report.Before = before.Day
	}
	for _, key := range c.cfg.Keys {
		c.judge(&report, key, run, before)
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
func (c *Checker) judge(report *Report, key string, run Run, before *Run) {
	part, there := run.Parts[key]
	f := Finding{Key: key, Part: part}
	if before != nil {
		f.CountBefore = max(before.Parts[key].Count, 0)
	}
	switch {
	case !there:
		f.Kind = Missing
		report.add(f)
	case part.Count <= 0:
		f.Kind = Empty
		report.add(f)
	default: // what follows makes no sense of nothing
		report.Present++
		if before != nil {
			c.judgeCount(report, f)
		}
		c.judgeAge(report, f)
		c.judgeFields(report, f)
	}
}

func (c *Checker) judgeCount(report *Report, f Finding) {
	n, m := float64(f.Part.Count), float64(f.CountBefore)
	f.Least, f.Most = c.cfg.Low*m, c.cfg.High*m
	byChance := math.Abs(n-m) <= chance*math.Sqrt(n+m)
	switch {
	case m == 0:
		f.Kind = Unverified
	case n < f.Least && !byChance:
		f.Kind = Low
	case n > f.Most && !byChance:
		f.Kind = High
	default:
		return
	}
	report.add(f)
}

func (c *Checker) judgeAge(report *Report, f Finding) {
	f.MaxAge = c.cfg.MaxAge
	if f.Part.Newest.IsZero() {
		f.Kind = Undated
		report.add(f)
		return
	}
	f.Age = max(report.Judged.Sub(f.Part.Newest), -math.MaxInt64)
	switch {
	case f.Age > f.MaxAge:
		f.Kind = Stale
	case f.Age < -skew:
		f.Kind = Future
	default:
		return
	}
	report.add(f)
}

func (c *Checker) judgeFields(report *Report, f Finding) {
	f.Kind, f.MaxNothing = Nothing, c.cfg.MaxNothing
	for _, name := range slices.Sorted(maps.Keys(f.Part.Fields)) {
		f.Field = name
		if v := f.Part.Fields[name]; float64(v.Nothing) > f.MaxNothing*float64(v.Values) {
			report.add(f)
		}
	}
}
