package liveness

import (
	"math"

	"example.com/liveness/internal/tiers"
)

// Empirical is the law of the gaps as they were, without a formula: it is learnt
// so that φ keeps its promise. It is what a [Phi] uses unless told otherwise.
//
// A gap is measured in units of a level that follows the gaps, and only the ratio
// has a law:
//
//	level = s + k (f − s)
//
// with s a mean with exponential weights, of gain 0.003, f the mean of two with
// the gains 0.3 and 0.03, and k from 0 to 1 the slope of the regression of the
// gaps on f − s: 0 where a gap says nothing of the next, near 1 where they drift.
// With n ratios in order of size, x₁ to xₙ, the next is above xᵢ with the
// probability (n + 1 − i)/(n + 1), whatever their law, if each is as likely as any
// other to be the largest; between two of them φ is linear. Ratios are kept in
// three tiers, so that rare ones are remembered for long: the latest WindowSize;
// of those beyond their 90 % quantile, and relative to it, the latest half as
// many; and of these again, the latest quarter. Beyond the tenth largest of the
// last tier the tail is that of Pareto,
//
//	φ(x) = φ(x₀) + log10(x/x₀)/h    up to x₁ = x₀ 10^2h
//
// with Hill's estimate of h, and a prior of 0.3 that weighs as much as 6 ratios. x₁
// is at most twice the largest ratio of that tier, and from there φ goes on as that
// of an exponential law, by 1 each x₁ h ln 10, with h at most ½.
// At last the levels 1, 2, 3 and 4 are corrected by the mistakes that they made: a
// gap beyond the level t raises what is asked of the law for t by 0.05, 0.1, 0.3
// and 0.3, and any other lowers it by 10^−t of that, within −1 and 0.7; it begins
// at 0, and for the level 4, of which little is known at first, at 0.5. So the
// share of mistakes tends to 10^−t for any sequence of gaps, as far as these
// bounds allow (Gibbs and Candès, NeurIPS 2021). Levels between are corrected in
// proportion, and those above 4 like 4.
//
// # How far it can be trusted
//
// [Phi.Evidence] is the φ of x₀, about 2 after 1000 gaps and 3.4 after 25 000 with
// the default window. Up to it φ is read off from gaps like that; beyond it is
// extrapolated by the tail, so a process that behaves as never before makes it
// wrong.
//
// The floors of [PhiConfig] are those of a [Gaussian] round the median gap, above
// which φ is not let: MinStdDev from the median on, so that jitter within it is
// never held against a process, and the larger of both only beyond the evidence.
// By default the former is 10 ms, but at most a hundredth of the median.
// So regular heartbeats keep the promise at φ = 3, and still a lost one is no
// death at φ = 8. A single outage, as [Phi] tells it, counts as a mistake, and is
// not learnt otherwise; outages recur if they are within the reach of the last
// tier of each other, 25 times WindowSize. From the third outage in a row on the
// level follows at once.
//
// Until 200 gaps were seen, and always with a WindowSize below 200, the law is the
// Gaussian; then Evidence falls from 2.3 to about 1.4, and waits beyond it grow. Of
// a WindowSize above 10 000, 10 000 are used.
//
// A heartbeat costs O(log n) and the move of a few kilobytes at the most: about as
// much as reading the clock four times. A query costs O(log n). It takes 14 bytes
// a gap, and 1600 for the moments of the latest 200: 17 KB at the default.
type Empirical struct{}

// Fit returns the [StudentT] of s: moments alone do not say more.
func (Empirical) Fit(s Stats) Distribution { return StudentT{}.Fit(s) }

// Phi returns 0: where no gap was seen, none is unlikely.
func (Empirical) Phi(x float64) float64 { return 0 }

// Quantile returns +Inf, or 0 for phi ≤ 0.
//
// Special cases are:
//
//	Quantile(NaN) = NaN
func (Empirical) Quantile(phi float64) float64 { return Exponential{math.Inf(1)}.Quantile(phi) }

// empiricalLeast is the number of gaps from which an Empirical law is used.
const empiricalLeast = tiers.Ready

// ratios are what a Phi has learnt for an Empirical law.
type ratios struct {
	law *tiers.Law
	// jitter is the most, in units of the median, that the absolute floor is
	// below the evidence.
	jitter float64
}

// defaultJitter is the jitter of a Phi whose floors are those by default.
const defaultJitter = 0.01

func newRatios(window int, jitter float64) ratios {
	return ratios{tiers.New(min(window, tiers.MaxSize)), jitter}
}

// learn takes in a gap, less the pause, and how much of it is learnt. anew says
// that gaps have another length from now on.
func (r *ratios) learn(gap, most int64, anew bool) {
	// At its end a gap had reached the level of the nanosecond before: a
	// heartbeat at its deadline is no mistake.
	r.law.Learn(float64(max(gap-1, 0)), float64(most), anew)
}

// phi returns the level after a silence in nanoseconds. l is the law until this
// one is ready, and then holds its floors.
func (r *ratios) phi(l law, silence int64) float64 {
	seconds := float64(silence) / nanos
	if !r.law.Ready() {
		return Gaussian{l.a, l.b}.Phi(seconds)
	}
	phi, beyond := r.law.Phi(float64(silence))
	if phi > jitterFrom {
		median := r.median()
		phi = bounded(phi, jitterFrom, Gaussian{median, min(l.a, r.jitter*median)}, seconds)
		if beyond {
			phi = bounded(phi, r.law.Evidence(), Gaussian{median, max(l.a, l.b*median)}, seconds)
		}
	}
	return phi
}

// bounded returns phi, but where it is above from, not more than the bound says at x.
func bounded(phi, from float64, bound Gaussian, x float64) float64 {
	if phi <= from {
		return phi
	}
	// P(Z > z) < e^(−z²/2) for z > 0, which saves the bound where it is far.
	if z := x - bound.Mean; z > 0 && z*z > 2*math.Ln10*phi*(bound.StdDev*bound.StdDev) {
		return phi
	}
	return max(from, min(phi, bound.Phi(x)))
}

// quantile is the inverse of phi, in seconds.
func (r *ratios) quantile(l law, phi float64) float64 {
	if !r.law.Ready() {
		return Gaussian{l.a, l.b}.Quantile(phi)
	}
	x := r.law.Quantile(phi) / nanos
	median := r.median()
	if phi > jitterFrom {
		x = max(x, Gaussian{median, min(l.a, r.jitter*median)}.Quantile(phi))
	}
	if phi > r.law.Evidence() {
		x = max(x, Gaussian{median, max(l.a, l.b*median)}.Quantile(phi))
	}
	return x
}

// jitterFrom is the φ of the median, from which the floors count.
var jitterFrom = math.Log10(2)

// median returns the median gap in seconds.
func (r *ratios) median() float64 { return r.law.Median() / nanos }

// Evidence returns the φ up to which the level rests on gaps like that, and
// beyond which it is extrapolated. See [Empirical]; with any other law, and until
// an Empirical one is ready, it is log10(n + 1) after n gaps: none of n + 1 gaps
// is more likely than another to be the longest, so that they show nothing that is
// rarer than one in n + 1.
func (d *Phi) Evidence() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.kind == empirical && d.more.ratios.law.Ready() {
		return d.more.ratios.law.Evidence()
	}
	return math.Log10(float64(d.window.Len() + 1))
}
