package gray

import (
	"cmp"
	"time"
)

// Config configures a [Monitor]. The zero value is usable: each field says what
// its zero means.
type Config struct {
	// Interval is how long requests are gathered before they are judged, from
	// 1 µs to 100 days. It is over when 95 % of it have passed: with all of it,
	// a ticker that is a little late once is too early the next time, and every
	// third interval is twice as long. Zero means 10 s.
	Interval time.Duration

	// LateAfter is how late [Monitor.Advance] may be called. An interval that
	// took longer is thrown away: a monitor that was held up itself is no
	// judge. So is one in which the clock was set back by Interval or more. It
	// is at least Interval. Zero means 3 times Interval, negative means that no
	// interval is too long.
	LateAfter time.Duration

	// Hits and Of say in how many of the last intervals a server must be
	// found bad, the present one included, from 1 to 32, Hits at most Of. An
	// interval with too few requests counts as one that was not bad. One that
	// was thrown away does not count, but after one as long as Of of them
	// nothing before it does either. If both are zero it takes 3 of 5: with
	// three times Interval the price is 30 s of waiting. If one is zero it is
	// as the other: Hits of 7 alone, or Of of 7 alone, means 7 of 7.
	Hits, Of int

	// Ratio is how many times the median of its peers a server's latency or
	// share of failures must exceed, above 1. Zero means 3.
	Ratio float64

	// MinPeers is how many others with enough requests it takes. With fewer
	// no server is compared, and one that another rule could judge has the
	// verdict Keep for the reason FewPeers. Zero means 4,
	// so that in a group of fewer than five nobody is compared with peers, nor
	// pages for that; or 2 with EjectOne for Guard.SmallGroup, which would be
	// for nothing otherwise. Two are enough where all are equal (3 servers
	// with 500 lognormal latencies of σ = 1.5 each: a false ejection in
	// hundreds of years), but one of two that is slow hides another.
	MinPeers int

	// Quantile is the high quantile of the latency, above 0 and below 1. What
	// this package calls p99 is this one. Zero means 0.99.
	Quantile float64

	// LatencyGap is how much the latency must exceed the peers' besides, from
	// 1 µs; negative means not at all. Zero means 10 ms.
	LatencyGap time.Duration

	// TailRequests is how many latencies in the interval it takes to judge by
	// Quantile, and MinRequests by the median, or the share of failures
	// against FailureShare; both from 1. Zero means 500 and 50: with 500, five
	// lie beyond the p99. With 100 a lognormal law of σ = 1.5 puts one of ten
	// equal servers above 3 times the others' in every fifth interval.
	TailRequests, MinRequests int

	// ErrorRequests is how many successes and failures in the interval it
	// takes to compare the share of failures with the peers', from 1. Zero
	// means 200: with 100 and 2 % of failures everywhere, chance alone would
	// eject one of ten servers every fourth week, with 200 none in a lifetime.
	ErrorRequests int

	// ErrorGap is how much the share of failures must exceed the peers'
	// besides, above 0 and below 1. Zero means 0.05: one error in a thousand
	// is no fault, however perfect the peers are.
	ErrorGap float64

	// FailureShare is the share of failures from which a server is bad
	// whatever its peers do, above 0 and below 1, and from which the group is
	// degraded if it is the median. Zero means 0.5.
	FailureShare float64

	// Failures is how many failures in a row are bad, whatever the number of
	// requests, if no success has come since at the end of the interval; from
	// 1. Zero means 5, negative turns it off.
	Failures int

	// Limit is the p99 above which the group is degraded, if it is the median
	// of the servers'. Zero means none: then only Usual can tell.
	Limit time.Duration

	// UsualRatio is how many times its own usual value the group's median
	// latency must exceed, by LatencyGap at least, to be degraded; above 1.
	// Zero means 3, negative turns it off. The usual value is learnt over the
	// first 30 intervals, and then follows by 1/360 of the difference of
	// logarithms in each, as if that were at most a factor of 3: a group that
	// becomes 10 times slower for good is degraded for about an hour of
	// intervals of 10 s, and usual from then on.
	UsualRatio float64

	// Guard is the cap on ejections. Zero means 20 %, a page after Hits
	// intervals, and what [GuardConfig] says.
	Guard GuardConfig

	// Backoff is how long ejections last.
	Backoff Backoff

	// Probes is how many requests a server gets on probation. All must
	// succeed, and their median must not stand out from the median of those
	// peers that have MinRequests latencies, be it only one, if that is known:
	// with no such peer, or if most of their medians are lower bounds, success
	// alone decides. From 1.
	// Zero means 5, negative means that time alone brings a server back.
	Probes int

	// SlowStart is how long the share of requests grows to the full one after
	// probation, from a tenth. Zero means 30 s, negative means none.
	SlowStart time.Duration

	// Seed is where the jitter of ejections comes from. Give each process its
	// own, so that they do not act in step; with the same one all is repeatable.
	Seed uint64

	// Shadow finds and counts, and ejects nobody.
	Shadow bool

	// MaxClients is how many clients are told apart, at each server; any more
	// are taken together as [OtherClients]. From 1. Zero means 1024.
	MaxClients int

	// Envoy, if not nil, replaces the rules, the guard, the persistence, the
	// probation and the slow start by those of Envoy. Interval, LateAfter,
	// Backoff, Seed, Shadow and the absolute alert stay.
	Envoy *Envoy
}

// OtherClients is the name under which clients above MaxClients are counted.
const OtherClients = "(other clients)"

func (c *Config) setDefaults() {
	orElse(&c.Interval, 10*time.Second)
	orElse(&c.LateAfter, min(3*c.Interval, maxDuration))
	if c.Hits == 0 && c.Of == 0 {
		c.Hits, c.Of = 3, 5
	}
	orElse(&c.Of, c.Hits)
	orElse(&c.Hits, c.Of)
	orElseFloat(&c.Ratio, defaultRatio)
	if c.Guard.SmallGroup == EjectOne {
		orElse(&c.MinPeers, 2)
	}
	orElse(&c.MinPeers, defaultMinPeers)
	orElseFloat(&c.Quantile, 0.99)
	orElse(&c.LatencyGap, 10*time.Millisecond)
	orElse(&c.TailRequests, 500)
	orElse(&c.MinRequests, 50)
	orElse(&c.ErrorRequests, 200)
	orElseFloat(&c.ErrorGap, 0.05)
	orElseFloat(&c.FailureShare, 0.5)
	orElse(&c.Failures, 5)
	orElseFloat(&c.UsualRatio, defaultRatio)
	orElse(&c.Guard.PageAfter, c.Hits)
	c.Guard.setDefaults()
	c.Backoff.setDefaults()
	orElse(&c.Probes, 5)
	orElse(&c.SlowStart, 30*time.Second)
	orElse(&c.MaxClients, 1024)
}

func (c *Config) check() error {
	return cmp.Or(
		checkDuration("Interval", c.Interval),
		check(c.LateAfter < 0 || c.LateAfter >= c.Interval && c.LateAfter <= maxDuration, "LateAfter", c.LateAfter, "a duration from Interval to 100 days, or a negative one for none"),
		check(1 <= c.Of && c.Of <= maxOf, "Of", c.Of, "a number from 1 to %d", maxOf),
		check(1 <= c.Hits && c.Hits <= c.Of, "Hits", c.Hits, "a number from 1 to Of, which is %d", c.Of),
		checkRatio("Ratio", c.Ratio),
		checkCount("MinPeers", c.MinPeers, 1),
		checkShare("Quantile", c.Quantile),
		checkDurationOrOff("LatencyGap", c.LatencyGap),
		checkCount("TailRequests", c.TailRequests, 1),
		checkCount("MinRequests", c.MinRequests, 1),
		checkCount("ErrorRequests", c.ErrorRequests, 1),
		checkShare("ErrorGap", c.ErrorGap),
		checkShare("FailureShare", c.FailureShare),
		check(c.Failures <= maxCount, "Failures", c.Failures, "at most %d, or a negative number for none", maxCount),
		check(c.Limit == 0 || minDuration <= c.Limit && c.Limit <= maxDuration, "Limit", c.Limit, "0 or a duration from 1µs to 100 days"),
		check(c.UsualRatio < 0 || c.UsualRatio > 1 && c.UsualRatio <= 1e6, "UsualRatio", c.UsualRatio, "a number above 1, at most 1e6, or a negative one for none"),
		c.Guard.check(),
		c.Backoff.check(),
		check(c.Probes <= maxCount, "Probes", c.Probes, "at most %d, or a negative number for none", maxCount),
		checkDurationOrOff("SlowStart", c.SlowStart),
		checkCount("MaxClients", c.MaxClients, 1),
		c.Envoy.check(),
	)
}

// latencies returns the test of latencies in seconds.
func (c *Config) latencies() Relative {
	return Relative{c.Ratio, max(c.LatencyGap, 0).Seconds(), c.MinPeers}
}
