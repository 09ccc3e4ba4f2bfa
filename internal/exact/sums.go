// Package exact keeps sums of int64 samples and of their squares in integers
// wide enough never to overflow, and turns them into correctly rounded floats.
package exact

import (
	"math"
	"math/bits"
)

// Sums holds Σx and Σx² of up to 2³² samples. The zero value is empty.
//
// |x| ≤ 2⁶³, so Σx needs 96 bits and Σx² 158: they have 96 and 160. Removing
// a sample undoes adding it exactly, whatever came between.
type Sums struct {
	lo     uint64 // Σx, two's complement
	q0, q1 uint64 // Σx², lowest word first
	hi     int32
	q2     uint32
}

// Add adds the sample x.
func (s *Sums) Add(x int64) {
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(x), 0)
	s.hi += int32(x>>63) + int32(c)
	m := magnitude(x)
	hi, lo := bits.Mul64(m, m)
	s.q0, c = bits.Add64(s.q0, lo, 0)
	s.q1, c = bits.Add64(s.q1, hi, c)
	s.q2 += uint32(c)
}

// Remove takes the sample x, added before, out again.
func (s *Sums) Remove(x int64) {
	var c uint64
	s.lo, c = bits.Sub64(s.lo, uint64(x), 0)
	s.hi -= int32(x>>63) + int32(c)
	m := magnitude(x)
	hi, lo := bits.Mul64(m, m)
	s.q0, c = bits.Sub64(s.q0, lo, 0)
	s.q1, c = bits.Sub64(s.q1, hi, c)
	s.q2 -= uint32(c)
}

// Replace does what Remove(old) and Add(x) do, in less time.
func (s *Sums) Replace(old, x int64) {
	var more, less uint64
	s.lo, more = bits.Add64(s.lo, uint64(x), 0)
	s.lo, less = bits.Sub64(s.lo, uint64(old), 0)
	s.hi += int32(x>>63) + int32(more) - int32(old>>63) - int32(less)
	m, o := magnitude(x), magnitude(old)
	hi, lo := bits.Mul64(m, m)
	s.q0, more = bits.Add64(s.q0, lo, 0)
	s.q1, more = bits.Add64(s.q1, hi, more)
	hi, lo = bits.Mul64(o, o)
	s.q0, less = bits.Sub64(s.q0, lo, 0)
	s.q1, less = bits.Sub64(s.q1, hi, less)
	s.q2 += uint32(more) - uint32(less)
}

// Float returns Σx ≥ 0 as a float64, to within one unit in the last place.
func (s *Sums) Float() float64 {
	if s.hi == 0 && int64(s.lo) >= 0 {
		return float64(int64(s.lo))
	}
	return float64(s.hi)*0x1p64 + float64(s.lo)
}

// Mean returns Σx/(n·unit), correctly rounded, for n samples, 0 < n < 2³².
func (s *Sums) Mean(n int, unit uint64) float64 {
	lo, hi := s.abs()
	sign := 1.0
	if s.hi < 0 {
		sign = -1
	}
	const whole = 1 << 53 // integers up to here are floats, and their quotient is rounded once
	if over, d := bits.Mul64(uint64(n), unit); hi|over == 0 && lo <= whole && d <= whole {
		return sign * (float64(lo) / float64(d))
	}
	return sign * quo([4]uint64{lo, hi}, uint64(n), unit)
}

// Variance returns (nΣx² − (Σx)²)/(n·unit)², the population variance in units
// of unit, correctly rounded, for n samples, 0 < n < 2³², and unit < 2³².
func (s *Sums) Variance(n int, unit uint64) float64 {
	return quo(s.spread(uint64(n)), uint64(n)*uint64(n), unit*unit)
}

// Moments returns what Mean and Variance do, to within two units in the last
// place and several times faster.
func (s *Sums) Moments(n int, unit uint64) (mean, variance float64) {
	w := s.spread(uint64(n))
	d := float64(n) * float64(unit)
	spread := float64(w[0]) + 0x1p64*float64(w[1])
	if w[2]|w[3] != 0 {
		spread += 0x1p128*float64(w[2]) + 0x1p192*float64(w[3])
	}
	return s.Mean(n, unit), spread / (d * d)
}

// Nearest returns Σx/n rounded to the nearest integer, halves up, for n samples, 0 < n < 2³¹.
func (s *Sums) Nearest(n int) int64 {
	// ⌊(2Σx + n)/2n⌋, kept positive by adding 2⁶³ to every sample.
	d := 2 * uint64(n)
	lo, hi := s.lo<<1, uint64(s.hi)<<1|s.lo>>63
	var c uint64
	lo, c = bits.Add64(lo, uint64(n), 0)
	hi += c + uint64(n) // 2n·2⁶³ = n·2⁶⁴
	q, _ := bits.Div64(hi%d, lo, d)
	return int64(q - 1<<63)
}

// spread returns nΣx² − (Σx)² ≥ 0, lowest word first.
func (s *Sums) spread(n uint64) (w [4]uint64) {
	if s.hi == 0 && s.q2 == 0 { // the usual case: all of it fits 128 bits
		h0, l0 := bits.Mul64(s.q0, n)
		h1, l1 := bits.Mul64(s.q1, n)
		l1, c := bits.Add64(l1, h0, 0)
		if h1|c == 0 {
			a1, a0 := bits.Mul64(s.lo, s.lo)
			w[0], c = bits.Sub64(l0, a0, 0)
			w[1], _ = bits.Sub64(l1, a1, c)
			return w
		}
	}
	h0, l0 := bits.Mul64(s.q0, n)
	h1, l1 := bits.Mul64(s.q1, n)
	h2, l2 := bits.Mul64(uint64(s.q2), n)
	var c uint64
	w[0] = l0
	w[1], c = bits.Add64(l1, h0, 0)
	w[2], c = bits.Add64(l2, h1, c)
	w[3] = h2 + c

	lo, hi := s.abs()
	a1, a0 := bits.Mul64(lo, lo)
	m1, m0 := bits.Mul64(lo, hi) // enters twice
	a3, a2 := bits.Mul64(hi, hi)
	for range 2 {
		a1, c = bits.Add64(a1, m0, 0)
		a2, c = bits.Add64(a2, m1, c)
		a3 += c
	}
	w[0], c = bits.Sub64(w[0], a0, 0)
	w[1], c = bits.Sub64(w[1], a1, c)
	w[2], c = bits.Sub64(w[2], a2, c)
	w[3] -= a3 + c
	return w
}

// abs returns |Σx|.
func (s *Sums) abs() (lo, hi uint64) {
	hi = uint64(s.hi)
	if s.hi >= 0 {
		return s.lo, hi
	}
	lo, borrow := bits.Sub64(0, s.lo, 0)
	hi, _ = bits.Sub64(0, hi, borrow)
	return lo, hi
}

// quo returns num/(d·e), rounded to the nearest float64, ties to even.
func quo(num [4]uint64, d, e uint64) float64 {
	top := len(num) - 1
	for top >= 0 && num[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}
	// Shift left until the quotient has more than 64 bits, then divide by one
	// factor after the other: ⌊⌊N/d⌋/e⌋ = ⌊N/(d·e)⌋. What is cut off is only
	// remembered as being there, which is all that rounding asks.
	length := 64*top + bits.Len64(num[top])
	shift := max(0, 66+bits.Len64(d)+bits.Len64(e)-length)
	words, by := shift/64, uint(shift%64)
	var w [8]uint64
	for i := 0; i <= top; i++ {
		w[i+words] |= num[i] << by
		w[i+words+1] = num[i] >> (64 - by) // a shift by 64 gives 0
	}
	n := top + words + 2
	var rest uint64
	for _, divisor := range [2]uint64{d, e} {
		rem := uint64(0)
		for i := n - 1; i >= 0; i-- {
			if rem == 0 && w[i] == 0 {
				continue
			}
			w[i], rem = bits.Div64(rem, w[i], divisor)
		}
		rest |= rem
	}
	for w[n-1] == 0 {
		n--
	}
	// The highest 64 bits, with the lowest of them set if anything follows.
	lead := uint(bits.LeadingZeros64(w[n-1]))
	m := w[n-1]<<lead | w[n-2]>>(64-lead)
	rest |= w[n-2] << lead
	for i := n - 3; i >= 0; i-- {
		rest |= w[i]
	}
	if rest != 0 {
		m |= 1
	}
	return math.Ldexp(float64(m), 64*(n-1)-int(lead)-shift)
}

func magnitude(x int64) uint64 {
	s := x >> 63
	return uint64((x ^ s) - s)
}
