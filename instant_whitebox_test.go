package liveness

import (
	"math"
	"testing"
)

// TestFirst compares the search with walking.
func TestFirst(t *testing.T) {
	for want := int64(1); want < 40; want++ {
		for guess := int64(-3); guess < 60; guess++ {
			if got := first(guess, func(d int64) bool { return d >= want }); got != want {
				t.Fatalf("first from %d = %d, want %d", guess, got, want)
			}
		}
	}
	for _, want := range []int64{1, 1e9, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
		for _, guess := range []int64{0, 1, 1e9, 1 << 62, math.MaxInt64} {
			if got := first(guess, func(d int64) bool { return d >= want }); got != want {
				t.Errorf("first from %d = %d, want %d", guess, got, want)
			}
		}
	}
	if got := first(5, func(int64) bool { return false }); got != never {
		t.Errorf("first of what never holds = %d", got)
	}
}

func TestSaturatingArithmetic(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, c := range []struct{ a, b, plus, minus int64 }{
		{1, 2, 3, -1},
		{most, 1, most, most - 1},
		{most, -1, most - 1, most},
		{least, 1, least + 1, least},
		{least, -1, least, least + 1},
		{least, most, -1, least},
		{most, least, -1, most},
		{0, least, least, most},
		{-1, least, least, most},
		{least, least, least, 0},
		{most, most, most, 0},
	} {
		if got := plus(c.a, c.b); got != c.plus {
			t.Errorf("plus(%d, %d) = %d, want %d", c.a, c.b, got, c.plus)
		}
		if got := minus(c.a, c.b); got != c.minus {
			t.Errorf("minus(%d, %d) = %d, want %d", c.a, c.b, got, c.minus)
		}
	}
}
