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
// A heartbeat costs O(log n) and the move of 4 bytes a gap at the most: with the
// default window about as much as reading the clock four times. A query costs O(log n). It takes 14 bytes
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
