package tiers

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLevelOfConstantGaps(t *testing.T) {
	var l level
	for range 200_000 { // until what is left of the moments would be subnormal
		l.add(7)
	}
	if l.unit != 7 {
		t.Errorf("level %v, want 7", l.unit)
	}
	if l.sxx != 0 || l.sxy != 0 {
		t.Errorf("moments %v and %v, want 0", l.sxx, l.sxy)
	}
}

// Gaps that say nothing of each other are best predicted by their mean.
func TestLevelOfIndependentGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var l level
	var k, squares, plain float64
	const n = 100_000
	for i := range n + 1000 {
		gap := 1 + rng.ExpFloat64()
		if i >= 1000 {
			k += l.k / n
			squares += (gap - l.unit) * (gap - l.unit) / n
			plain += (gap - 2) * (gap - 2) / n
		}
		l.add(gap)
	}
	if k > 0.1 {
		t.Errorf("mean k %v, want below 0.1", k)
	}
	if squares > 1.02*plain {
		t.Errorf("error of the prediction %v, want that of the mean, %v, and 2 %%", squares, plain)
	}
}

// Gaps that drift are best predicted by the latest ones.
func TestLevelOfDriftingGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	var l level
	var k, squares, plain, state float64
	const n = 100_000
	for i := range n + 1000 {
		state = 0.98*state + 0.2*rng.NormFloat64()
		gap := math.Exp(state)
		if i >= 1000 {
			k += l.k / n
			squares += math.Pow(math.Log(gap/l.unit), 2) / n
			plain += state * state / n
		}
		l.add(gap)
	}
	if k < 0.7 {
		t.Errorf("mean k %v, want above 0.7", k)
	}
	if squares > 0.25*plain {
		t.Errorf("error of the prediction %v, want a quarter of that of a constant, %v", squares, plain)
	}
}

// One outage moves the level by less than twice its length, and a process that
// became a thousand times slower is followed.
func TestLevelOfOutliers(t *testing.T) {
	var l level
	for range 1000 {
		l.add(1)
	}
	l.add(1e12)
	if l.unit > 3 {
		t.Errorf("level %v after one outage, want below 3", l.unit)
	}
	for range 1000 {
		l.add(1000)
	}
	if math.Abs(l.unit-1000) > 100 {
		t.Errorf("level %v after 1000 gaps of 1000", l.unit)
	}
}

// Means so far apart that rounding leaves nothing of the near one.
func TestLevelOfExtremes(t *testing.T) {
	l := level{fast: [2]float64{1, 1}, slow: 9e18, k: 1}
	if l.predict(); l.unit != 0.5 {
		t.Errorf("level %v", l.unit)
	}
}
