package main

import (
	"math"
	"time"

	"example.com/liveness"
)

const (
	day  = 24 * time.Hour
	year = 365 * day
)

// The laws of the round-trip time (RTT). A lognormal has no upper bound, and
// most of its mass is near the median all the same: that is the difficulty.
var (
	usual  = lognormal(50*time.Millisecond, 1)
	steady = lognormal(50*time.Millisecond, 0.5)
	busy   = lognormal(150*time.Millisecond, 1)
)

// example is the timeout that the headlines speak of.
const example = 300 * time.Millisecond

// study holds all the tables.
type study struct {
	quantiles []quantile
	sweep     []timeoutRow
	targets   []target
	patience  []timeoutRow // timeouts beyond all reason
	draw      draw
	steady    []steadyRow
	bounded   []boundedRow
	silence   []silenceRow
	shift     shiftTable
}

func newStudy(seed uint64, samples int) study {
	const ms = time.Millisecond
	return study{
		quantiles: quantiles(usual),
		sweep: sweep(usual, 100*ms, 150*ms, 200*ms, 300*ms, 400*ms, 500*ms, 750*ms,
			time.Second, 1500*ms, 2*time.Second, 3*time.Second, 5*time.Second),
		targets:  targets(usual, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 1e-9),
		patience: sweep(usual, time.Minute, time.Hour, day, year, 100*year),
		draw:     drawRTTs(usual, samples, seed, example, time.Second, 3*time.Second),
		steady:   compare(steady, usual, 100*ms, 150*ms, 200*ms, 300*ms, 500*ms, time.Second),
		bounded: bound(uniform{20 * ms, 120 * ms},
			50*ms, 100*ms, 119*ms, 120*ms, 150*ms, 300*ms),
		silence: silences(usual, 50*ms, 100*ms, 200*ms, 500*ms, time.Second, 2*time.Second,
			5*time.Second, 10*time.Second, 30*time.Second, time.Minute, 10*time.Minute, time.Hour),
		shift: shift(seed, 100, time.Duration(usual.Quantile(2)*float64(time.Second)),
			phase{"calm, median 50 ms", usual, 10_000},
			phase{"busy, median 150 ms", busy, 10_000},
			phase{"calm again", usual, 10_000}),
	}
}

// lognormal returns the law with the given median whose logarithm has standard deviation sigma.
func lognormal(median time.Duration, sigma float64) liveness.LogNormal {
	return liveness.LogNormal{Mu: math.Log(median.Seconds()), Sigma: sigma}
}

// rate returns the probability of a level: the share of heartbeats later than that.
func rate(phi float64) float64 { return math.Pow(10, -phi) }

// level returns the φ of a probability.
func level(rate float64) float64 { return -math.Log10(rate) }

// quantile is the RTT that only a share of tail exceeds.
type quantile struct {
	name    string
	tail    float64
	rtt     float64 // seconds
	medians float64 // rtt as a multiple of the median
}

// quantiles returns the usual ones. They are named by their tails, since
// 1 − 0.9999 is not quite 0.0001.
func quantiles(law liveness.LogNormal) []quantile {
	rows := []quantile{
		{name: "p50", tail: 0.5},
		{name: "p90", tail: 0.1},
		{name: "p99", tail: 0.01},
		{name: "p99.9", tail: 1e-3},
		{name: "p99.99", tail: 1e-4},
	}
	for i := range rows {
		q := &rows[i]
		q.rtt = law.Quantile(level(q.tail))
		q.medians = q.rtt / median(law)
	}
	return rows
}

func median(law liveness.LogNormal) float64 { return math.Exp(law.Mu) }

// timeoutRow is what a fixed timeout costs.
type timeoutRow struct {
	timeout   time.Duration
	rate      float64       // of false positives: P(RTT > timeout)
	phi       float64       // −log10(rate)
	detection time.Duration // from a crash just after a heartbeat to the suspicion
}

func sweep(law liveness.Distribution, timeouts ...time.Duration) []timeoutRow {
	rows := make([]timeoutRow, len(timeouts))
	for i, timeout := range timeouts {
		phi := law.Phi(timeout.Seconds())
		rows[i] = timeoutRow{timeout: timeout, rate: rate(phi), phi: phi, detection: timeout}
	}
	return rows
}

// at returns the row for the timeout, which must be there.
func at(rows []timeoutRow, timeout time.Duration) timeoutRow {
	for _, row := range rows {
		if row.timeout == timeout {
			return row
		}
	}
	panic("no row for " + timeout.String())
}

// target is the timeout that a wanted rate of false positives asks for.
type target struct {
	rate    float64
	phi     float64
	timeout float64 // seconds
	medians float64 // timeout as a multiple of the median
}

func targets(law liveness.LogNormal, rates ...float64) []target {
	rows := make([]target, len(rates))
	for i, rate := range rates {
		phi := level(rate)
		timeout := law.Quantile(phi)
		rows[i] = target{rate: rate, phi: phi, timeout: timeout, medians: timeout / median(law)}
	}
	return rows
}

// steadyRow compares two laws with the same median at one timeout.
type steadyRow struct {
	timeout   time.Duration
	rate, phi float64 // of the steadier law
	usual     float64 // the rate of the usual law
	ratio     float64 // usual/rate
}

func compare(steady, usual liveness.LogNormal, timeouts ...time.Duration) []steadyRow {
	rows := make([]steadyRow, len(timeouts))
	wide := sweep(usual, timeouts...)
	for i, r := range sweep(steady, timeouts...) {
		rows[i] = steadyRow{r.timeout, r.rate, r.phi, wide[i].rate, wide[i].rate / r.rate}
	}
	return rows
}

// silenceRow is the suspicion after a silence.
type silenceRow struct {
	silence time.Duration
	phi     float64
	alive   float64 // P(RTT > silence): how often a live process is silent for longer
}

func silences(law liveness.Distribution, elapsed ...time.Duration) []silenceRow {
	rows := make([]silenceRow, len(elapsed))
	for i, silence := range elapsed {
		phi := law.Phi(silence.Seconds())
		rows[i] = silenceRow{silence: silence, phi: phi, alive: rate(phi)}
	}
	return rows
}
