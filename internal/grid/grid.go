// Package grid rounds arguments coarsely, so that a function evaluated with
// rounding errors still never falls from one float64 to the next: what it gains
// between two points of the grid must be more than those errors.
package grid

import "math"

// Round returns x ≥ 0 without the given number of its lowest bits, above 0, to
// the nearest, halves up. It keeps the order. Infinities and NaN stay what they
// are.
func Round(x float64, bits uint) float64 {
	if !(x < 0x1p1023) {
		return x
	}
	b := math.Float64bits(x) + 1<<(bits-1)
	return math.Float64frombits(b &^ (1<<bits - 1))
}

// Log1p returns ln(1 + x) for x ≥ 0, and never falls as x grows: x is rounded to
// 45 bits, and to 41 from 2¹⁴ on, where the logarithm grows slowly. The relative
// error is below 5e-14.
func Log1p(x float64) float64 {
	const far = 1 << 14 // a power of two is on both grids
	if x < far {
		return math.Log1p(Round(x, 8))
	}
	return math.Log1p(Round(x, 12))
}
