package exact

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// reference computes both moments with math/big from the samples.
func reference(xs []int64, unit uint64) (mean, variance float64) {
	n := big.NewInt(int64(len(xs)))
	sum, squares := new(big.Int), new(big.Int)
	for _, x := range xs {
		b := big.NewInt(x)
		sum.Add(sum, b)
		squares.Add(squares, b.Mul(b, b))
	}
	d := new(big.Int).Mul(n, new(big.Int).SetUint64(unit))
	mean, _ = new(big.Rat).SetFrac(sum, d).Float64()
	spread := new(big.Int).Mul(n, squares)
	spread.Sub(spread, new(big.Int).Mul(sum, sum))
	variance, _ = new(big.Rat).SetFrac(spread, d.Mul(d, d)).Float64()
	return mean, variance
}

func check(t *testing.T, xs []int64) {
	t.Helper()
	var s Sums
	for _, x := range xs {
		s.Add(x)
	}
	for _, unit := range []uint64{1, 1e9} {
		mean, variance := reference(xs, unit)
		if got := s.Mean(len(xs), unit); got != mean {
			t.Errorf("Mean of %v in units of %d = %v, want %v", xs, unit, got, mean)
		}
		if got := s.Variance(len(xs), unit); got != variance {
			t.Errorf("Variance of %v in units of %d = %v, want %v", xs, unit, got, variance)
		}
		if m, v := s.Moments(len(xs), unit); m != mean || math.Abs(v-variance) > 5e-16*variance {
			t.Errorf("Moments of %v in units of %d = %v, %v, want %v, %v", xs, unit, m, v, mean, variance)
		}
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		xs   []int64
		want int64
	}{
		{[]int64{0}, 0}, {[]int64{1, 2}, 2}, {[]int64{-1, -2}, -1}, {[]int64{1, 1, 2}, 1}, {[]int64{1, 2, 2}, 2},
		{[]int64{-1, -1, -2}, -1}, {[]int64{-7}, -7}, {[]int64{-7, -7, -8, -8, -8}, -8},
		{[]int64{math.MaxInt64, math.MaxInt64}, math.MaxInt64}, {[]int64{math.MinInt64}, math.MinInt64},
		{[]int64{math.MinInt64, math.MaxInt64}, 0},
	} {
		var s Sums
		for _, x := range c.xs {
			s.Add(x)
		}
		if got := s.Nearest(len(c.xs)); got != c.want {
			t.Errorf("Nearest of %v = %d, want %d", c.xs, got, c.want)
		}
	}
}

func TestSums(t *testing.T) {
	for _, xs := range [][]int64{
		{0}, {1}, {-1}, {0, 0}, {1, 2}, {-3, 3},
		{math.MaxInt64}, {math.MinInt64}, {math.MinInt64, math.MaxInt64}, {math.MinInt64, math.MinInt64},
		{math.MaxInt64, math.MaxInt64, math.MaxInt64 - 1}, {math.MaxInt64, 0, 0, 1},
		{999_999_937, 999_999_937, 999_999_937}, {1e9, 1e9 + 1}, {1 << 53, 1<<53 + 1, 3},
	} {
		check(t, xs)
	}
}

func TestSumsRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		xs := make([]int64, 1+rng.IntN(12))
		base, width := int64(rng.Uint64()>>rng.IntN(64)), rng.IntN(64)
		for i := range xs {
			xs[i] = base + int64(rng.Uint64()>>width)
		}
		check(t, xs)
	}
}

// TestSumsForget adds a history and takes it out again: nothing of it may stay.
func TestSumsForget(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	var s Sums
	history := make([]int64, 1000)
	for i := range history {
		history[i] = int64(rng.Uint64() >> rng.IntN(64))
		s.Add(history[i])
	}
	s.Add(5)
	s.Add(8)
	for _, x := range history {
		s.Remove(x)
	}
	var want Sums
	want.Add(5)
	want.Add(8)
	if s != want {
		t.Errorf("got %v, want %v", s, want)
	}
}

func FuzzSums(f *testing.F) {
	f.Add(int64(1), int64(2), int64(3), int64(math.MinInt64))
	f.Add(int64(1e9), int64(1e9), int64(math.MaxInt64), int64(0))
	f.Fuzz(func(t *testing.T, a, b, c, gone int64) {
		check(t, []int64{a, b, c})
		var s, want Sums
		for _, x := range []int64{a, gone, b} {
			s.Add(x)
		}
		s.Remove(gone)
		want.Add(a)
		want.Add(b)
		if s != want {
			t.Errorf("after removing %d: %v, want %v", gone, s, want)
		}
	})
}

var sink float64

func BenchmarkSums(b *testing.B) {
	var s Sums
	for i := range int64(1000) {
		s.Add(1e9 + i*i%777*1e5)
	}
	b.Run("Replace", func(b *testing.B) {
		x := int64(1e9)
		for b.Loop() {
			s.Remove(x)
			x++
			s.Add(x)
		}
	})
	b.Run("Mean", func(b *testing.B) {
		for b.Loop() {
			sink = s.Mean(1000, 1e9)
		}
	})
	b.Run("Moments", func(b *testing.B) {
		for b.Loop() {
			_, sink = s.Moments(1000, 1e9)
		}
	})
	b.Run("Variance", func(b *testing.B) {
		for b.Loop() {
			sink = s.Variance(1000, 1e9)
		}
	})
}

// TestMany has as many extreme samples as the largest window: nothing overflows,
// and taking them out again leaves nothing.
func TestMany(t *testing.T) {
	const half = 1 << 19
	var s Sums
	for range half {
		s.Add(math.MinInt64)
		s.Add(math.MinInt64)
	}
	if mean, variance := s.Mean(2*half, 1), s.Variance(2*half, 1); mean != math.MinInt64 || variance != 0 {
		t.Errorf("mean %v, variance %v, want %v and 0", mean, variance, float64(math.MinInt64))
	}
	for range half {
		s.Replace(math.MinInt64, math.MaxInt64)
	}
	// Half of them −2⁶³, half 2⁶³ − 1: apart by 2⁶⁴ − 1.
	if mean, variance := s.Mean(2*half, 1), s.Variance(2*half, 1); mean != -0.5 || variance != 0x1p126 {
		t.Errorf("mean %v, variance %v, want -0.5 and 2¹²⁶", mean, variance)
	}
	for range half {
		s.Remove(math.MaxInt64)
		s.Remove(math.MinInt64)
	}
	if s != (Sums{}) {
		t.Errorf("%+v is left", s)
	}
}
