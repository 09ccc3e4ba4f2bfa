package liveness

import "math"

const (
	// priorSpread is the prior's standard deviation as a share of its mean.
	priorSpread = 0.25
	// maxPriorSpan gaps leave nothing to add for a prior.
	maxPriorSpan = 100
)

// priorWeight returns how many gaps the prior is worth beside those of the
// window, at least as many as the law lacks to exist. It requires mu.
func (d *Phi) priorWeight() float64 {
	n := d.window.Len()
	w := d.fade * float64(max(priorSpan(d.window.Cap())-n, 0))
	if n < 2 {
		w = max(w, d.kind.fewest()-float64(n))
	}
	return w
}

// priorSpan is the number of gaps over which the prior of a window of this capacity fades.
func priorSpan(capacity int) int { return min(capacity, maxPriorSpan) }

// moments returns the mean and the standard deviation to which the law is fitted,
// and the prior's share in the gaps that they are worth. It requires mu.
func (d *Phi) moments() (mean, stdDev, share float64) {
	n := d.window.Len()
	var variance float64
	if n > 0 {
		mean, variance = d.window.sums.Moments(n, nanos)
	}
	if w := d.priorWeight(); w > 0 {
		share = w / (w + float64(n))
		mean, variance = mixture(share, d.expected, priorSpread*d.expected, mean, variance)
	}
	return mean, max(math.Sqrt(variance), d.minStdDev, d.minRel*mean), share
}

// mixture returns the moments of the mixture of a prior, of the share w, and a window.
func mixture(w, priorMean, priorStdDev, mean, variance float64) (mixedMean, mixedVariance float64) {
	apart := mean - priorMean
	return w*priorMean + (1-w)*mean, w*(priorStdDev*priorStdDev) + (1-w)*variance + w*(1-w)*apart*apart
}

// stats returns what the law is fitted to. It requires mu.
func (d *Phi) stats() Stats {
	n := d.window.Len()
	mean, stdDev, share := d.moments()
	s := Stats{Count: n, Mean: mean, StdDev: stdDev, Weight: float64(n) + d.priorWeight()}
	switch d.kind {
	case logStudentT:
		s.LogMean, s.LogStdDev = d.logStats(n, share, mean)
	case shiftedExponential:
		s.Least = d.leastStats(n, share, mean)
	}
	return s
}

// logStats is the part of stats about logarithms. The prior and the floor are
// those of a log-normal law with the prior's moments, and the floor's.
func (d *Phi) logStats(n int, share, gapMean float64) (mean, stdDev float64) {
	var variance float64
	if n > 0 {
		mean, variance = logMoments(&d.more.logs, n)
	}
	if prior := d.more.prior; share > 0 {
		mean, variance = mixture(share, prior.Mu, prior.Sigma, mean, variance)
	}
	floor := fitLogNormal(gapMean, max(d.minStdDev, d.minRel*gapMean))
	return mean, max(math.Sqrt(variance), floor.Sigma)
}

// leastStats is the least of stats. The prior's is where a shifted exponential law
// with its moments has it, and counts by its share where it is the lower one.
// Such a law's deviation is the mean less the least: the floor lowers the least.
func (d *Phi) leastStats(n int, share, mean float64) float64 {
	least := (1 - priorSpread) * d.expected
	if n > 0 {
		prior := least
		least = d.more.least.of(&d.window).Seconds()
		least -= share * max(least-prior, 0)
	}
	return min(least, mean-max(d.minStdDev, d.minRel*mean))
}

// Stats returns what has been learnt: the mean and the standard deviation to
// which the law is fitted, prior and floor included: a StdDev at the floor says
// that the gaps vary less. Count is 0, and the rest is the prior, until the
// second heartbeat. With an Empirical law they are those of the latest 200 gaps,
// and none of its levels depends on them.
func (d *Phi) Stats() Stats {
	if d.settings == nil {
		return Stats{}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats()
}

// Evidence returns the φ up to which the level rests on gaps like that, and
// beyond which it is extrapolated. See [Empirical]; with any other law, and until
// an Empirical one is ready, it is log10(n + 1) after n gaps: none of n + 1 gaps
// is more likely than another to be the longest, so that they show nothing that is
// rarer than one in n + 1.
func (d *Phi) Evidence() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.settings == nil {
		return 0
	}
	if d.kind == empirical && d.more.ratios.Ready() {
		return d.more.ratios.Evidence()
	}
	return math.Log10(float64(d.window.Len() + 1))
}
