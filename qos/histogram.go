package qos

import (
	"math/bits"
	"slices"
)

// A histogram counts durations in buckets whose width is at most 2^-bits of
// the value, so its memory depends on the range of the values, not on their
// number. Values below 2^bits nanoseconds have buckets of their own.
type histogram struct {
	bits  int
	n     int64
	pages [64][]bucket // one for each power of 2, made when it is needed
}

type bucket struct {
	n   int64
	sum float64 // of the values, in nanoseconds
	max int64   // the largest value
}

// add counts v, which is not negative.
func (h *histogram) add(v int64) {
	page := max(bits.Len64(uint64(v))-h.bits, 0)
	i := v
	if page > 0 {
		i = v>>(page-1) - 1<<h.bits
	}
	if h.pages[page] == nil {
		h.pages[page] = make([]bucket, 1<<h.bits)
	}
	b := &h.pages[page][i]
	b.n++
	b.sum += float64(v)
	b.max = max(b.max, v)
	h.n++
}

// edge returns the upper end of bucket i of a page, as a float64 because the last one is beyond int64.
func (h *histogram) edge(page, i int) float64 {
	if page == 0 {
		return float64(i + 1)
	}
	return float64(1<<h.bits+i+1) * float64(uint64(1)<<(page-1))
}

// exceededBy returns the smallest value that at most k of the values counted
// exceed, or up to a bucket more; 0 if nothing was counted.
func (h *histogram) exceededBy(k int64) int64 {
	above := int64(0)
	for _, page := range slices.Backward(h.pages[:]) {
		for _, b := range slices.Backward(page) {
			if above += b.n; above > k {
				return b.max
			}
		}
	}
	return 0
}

// quantile returns the smallest value that a share q of the values does not exceed, or up to a bucket more.
func (h *histogram) quantile(q float64) int64 {
	return h.exceededBy(int64((1 - q) * float64(h.n)))
}
