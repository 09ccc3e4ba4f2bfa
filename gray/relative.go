package gray

import (
	"cmp"
	"math"
	"slices"
)

// Relative compares each of some figures with the median of the others: it
// stands out if
//
//	value > Ratio · median of the others, and value − that median ≥ Gap
//
// and there are at least MinPeers others. Leaving the figure itself out is what
// lets the test work with up to half of the others as bad; the gap keeps it
// quiet among peers that are all but equal, where any test by the spread alone
// finds someone. The zero value is usable: each field says what its zero means.
type Relative struct {
	// Ratio is above 1, at most 1e6. Zero means 3.
	Ratio float64

	// Gap is the least absolute difference, in the unit of the figures, from
	// 0 up. Zero means none.
	Gap float64

	// MinPeers is how many others it takes, from 1. Zero means 4: with three
	// or fewer, one of them that is slow moves their median.
	MinPeers int
}

// A Comparison is what became of one figure.
type Comparison struct {
	Value     float64
	Peers     int     // how many others there were
	Median    float64 // of the others; 0 if there were too few
	Threshold float64 // the least value that would stand out, or what it has to exceed
	Outlier   bool
	Judged    bool // there were enough others
}

const (
	defaultRatio    = 3
	defaultMinPeers = 4
)

func (r *Relative) setDefaults() {
	orElseFloat(&r.Ratio, defaultRatio)
	orElse(&r.MinPeers, defaultMinPeers)
}

func (r Relative) check() error {
	return cmp.Or(
		checkRatio("Ratio", r.Ratio),
		check(r.Gap >= 0 && r.Gap <= math.MaxFloat64, "Gap", r.Gap, "a finite number from 0 up"),
		checkCount("MinPeers", r.MinPeers, 1),
	)
}

// Compare compares each value with the others, in O(n log n). The order of the
// results is that of the values. Values must be finite and not below 0; it
// returns an error that names the field, the value and the bound if one is not,
// or r is out of range.
func (r Relative) Compare(values []float64) ([]Comparison, error) {
	r.setDefaults()
	if err := r.check(); err != nil {
		return nil, err
	}
	for _, v := range values {
		if err := check(v >= 0 && v <= math.MaxFloat64, "a value", v, "a finite number from 0 up"); err != nil {
			return nil, err
		}
	}
	return r.compare(values, nil), nil
}

// unknown stands for a figure of which only a lower bound is known, where others
// are compared with it.
const unknown = math.MaxFloat64

// known reports whether a median does not depend on those: half way to one from a
// known figure is still far above.
func known(median float64) bool { return median < unknown/4 }

// compare takes a figure for a lower bound if atLeast, unless nil, says so: it
// stands out if the bound does, and nobody stands out from it, since the figure
// itself may be as large.
func (r Relative) compare(values []float64, atLeast func(i int) bool) []Comparison {
	peers := values
	if atLeast != nil {
		peers = slices.Clone(values)
		for i := range peers {
			if atLeast(i) {
				peers[i] = unknown
			}
		}
	}
	sorted := slices.Sorted(slices.Values(peers))
	results := make([]Comparison, len(values))
	for i, v := range values {
		c := Comparison{Value: v, Peers: len(values) - 1}
		mid := 0.0
		if c.Peers >= r.MinPeers {
			mid = medianWithout(sorted, peers[i])
			c.Judged = atLeast == nil || known(mid)
		}
		if c.Judged {
			c.Median = mid
			c.Threshold = r.threshold(c.Median)
			c.Outlier = r.standsOut(v, c.Median)
		}
		results[i] = c
	}
	return results
}

func (r Relative) standsOut(value, median float64) bool {
	return value > r.Ratio*median && value-median >= r.Gap
}

// threshold never overflows, so that every number of a verdict is finite.
func (r Relative) threshold(median float64) float64 {
	return min(max(r.Ratio*median, median+r.Gap), math.MaxFloat64)
}

// medianWithout returns the median of a sorted slice from which one v is taken out.
func medianWithout(sorted []float64, v float64) float64 {
	at, _ := slices.BinarySearch(sorted, v)
	pick := func(i int) float64 {
		if i >= at {
			i++
		}
		return sorted[i]
	}
	n := len(sorted) - 1
	if n%2 == 1 {
		return pick(n / 2)
	}
	return middle(pick(n/2-1), pick(n/2))
}

// median returns the median of values, which it sorts; 0 if there are none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	slices.Sort(values)
	if n%2 == 1 {
		return values[n/2]
	}
	return middle(values[n/2-1], values[n/2])
}

func middle(a, b float64) float64 { return a + (b-a)/2 }
