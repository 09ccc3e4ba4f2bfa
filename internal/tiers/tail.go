package tiers

import (
	"math"

	"example.com/liveness/internal/grid"
)

const (
	// top numbers make the tail. A prior of priorTop more, with the index
	// priorIndex, keeps it from being as thin as ten equal numbers would have it.
	top        = 10
	priorTop   = 6
	priorIndex = 0.3
	// stretch is how far beyond the evidence, in φ, the power law is believed. Nothing
	// is known there; to go on with it would take minutes to be sure of a second.
	//
	// Nor is it believed beyond farthest times the largest number: where the largest
	// few are pauses and the tenth is none, index is that of the step between them. For
	// the same reason it counts as no more than fattest from there on.
	stretch  = 2
	farthest = 2
	fattest  = 0.5
)

// A tail is the law beyond a number of the last tier, Pareto's for a stretch of φ
// and then the exponential one:
//
//	φ = at + log10(x/from)/index            up to end, where φ = at + stretch
//	φ = at + stretch + (x − end)/decade     beyond
//
// with end = from · 10^(2·index), but at most twice the largest number, and
// decade = end · min(index, ½) · ln 10.
type tail struct {
	from  float64 // in units of that tier
	at    float64 // φ within that tier
	index float64
	end   float64
	// stretch is what φ gains up to end, and decade the x it takes per 1 beyond.
	stretch, decade float64
}

// fit computes what depends on the numbers of that tier, in order of size.
func (t *tail) fit(sorted []key) {
	// Hill's estimator with a prior.
	sum := priorTop * priorIndex
	for _, x := range sorted[len(sorted)-top+1:] {
		sum += math.Log(x.float64() / t.from)
	}
	t.index = sum / (priorTop + top - 1)
	largest := sorted[len(sorted)-1].float64()
	t.stretch = stretch
	t.end = t.from * math.Pow(10, stretch*t.index)
	if far := farthest * largest; t.end > far {
		t.end = far
		t.stretch = math.Log10(far/t.from) / t.index
	}
	t.decade = t.end * min(t.index, fattest) * math.Ln10
}

// phi returns the level at x, not below from.
func (t *tail) phi(x float64) float64 {
	// On a grid, so that rounding errors cannot make it fall.
	if x < t.end {
		return t.at + min(math.Log10(grid.Round(x/t.from, 12))/t.index, t.stretch)
	}
	return t.at + t.stretch + (x-t.end)/t.decade
}

// quantile is the inverse of phi.
func (t *tail) quantile(phi float64) float64 {
	beyond := phi - t.at
	if beyond < t.stretch {
		return t.from * math.Pow(10, beyond*t.index)
	}
	return t.end + (beyond-t.stretch)*t.decade
}
