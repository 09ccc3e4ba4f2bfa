package main

import (
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
)

// The PCG streams keep the draws of one seed apart.
const (
	drawStream  = 4
	shiftStream = 8
)

// draw is a sample of RTTs, held to theory.
type draw struct {
	samples int
	rows    []drawRow

	// The largest RTT, in seconds, and where theory has it in 95 % of such draws.
	largest, largestLow, largestHigh float64
}

// drawRow counts the mistakes of one timeout.
type drawRow struct {
	timeout  time.Duration
	samples  int
	mistakes int     // RTTs above the timeout
	rate     float64 // of theory
}

func (r drawRow) observed() float64 { return float64(r.mistakes) / float64(r.samples) }

// stdErr returns the binomial standard error of observed, √(p(1−p)/n) with the p of theory.
func (r drawRow) stdErr() float64 { return math.Sqrt(r.rate * (1 - r.rate) / float64(r.samples)) }

// interval returns the rate of theory plus and minus two standard errors: where
// observed lies in 95 % of the draws, if many mistakes are expected.
func (r drawRow) interval() (low, high float64) {
	return max(0, r.rate-2*r.stdErr()), r.rate + 2*r.stdErr()
}

// deviation returns by how many standard errors observed is above theory.
func (r drawRow) deviation() float64 { return (r.observed() - r.rate) / r.stdErr() }

func drawRTTs(law liveness.LogNormal, samples int, seed uint64, timeouts ...time.Duration) draw {
	d := draw{samples: samples}
	limits := make([]float64, len(timeouts))
	for i, row := range sweep(law, timeouts...) {
		limits[i] = row.timeout.Seconds()
		d.rows = append(d.rows, drawRow{timeout: row.timeout, samples: samples, rate: row.rate})
	}
	rtts := source(law, rand.NewPCG(seed, drawStream))
	for range samples {
		rtt := rtts.Rand()
		d.largest = max(d.largest, rtt)
		for i, limit := range limits {
			if rtt > limit {
				d.rows[i].mistakes++
			}
		}
	}
	d.largestLow = largestOf(law, samples, 0.025)
	d.largestHigh = largestOf(law, samples, 0.975)
	return d
}

// source returns the law as something to draw from.
func source(law liveness.LogNormal, src rand.Source) distuv.LogNormal {
	return distuv.LogNormal{Mu: law.Mu, Sigma: law.Sigma, Src: src}
}

// largestOf returns the p-quantile of the largest of n RTTs: all of them are
// at most x with probability p where one exceeds it with 1 − p^(1/n).
func largestOf(law liveness.LogNormal, n int, p float64) float64 {
	return law.Quantile(level(-math.Expm1(math.Log(p) / float64(n))))
}
