package grid

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRound(t *testing.T) {
	for _, c := range []struct {
		x, want float64
		bits    uint
	}{
		{0, 0, 8}, {1, 1, 8}, {1 + 0x1p-52, 1, 8}, {1 + 0x1.8p-44, 1 + 0x1p-43, 8}, {1 + 0x1p-45, 1 + 0x1p-44, 8}, {2 - 0x1p-52, 2, 8},
		{math.MaxFloat64, math.MaxFloat64, 8}, {math.Inf(1), math.Inf(1), 12}, {math.SmallestNonzeroFloat64, 0, 8},
	} {
		if got := Round(c.x, c.bits); got != c.want {
			t.Errorf("Round(%b, %d) = %b, want %b", c.x, c.bits, got, c.want)
		}
	}
	if got := Round(math.NaN(), 8); !math.IsNaN(got) {
		t.Errorf("Round(NaN) = %v", got)
	}
}

func TestLog1p(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for range 500_000 {
		x := math.Ldexp(1+rng.Float64(), rng.IntN(2045)-1022)
		if rng.IntN(2) == 0 {
			x = math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
		}
		y := Log1p(x)
		worst = max(worst, math.Abs(y-math.Log1p(x))/math.Log1p(x))
		for _, bits := range []uint64{1, 1 << 8, 1 << 12} {
			next := math.Float64frombits(math.Float64bits(x) + bits)
			if Log1p(next) < y {
				t.Fatalf("Log1p falls from %v at %v to %v at %v", y, x, Log1p(next), next)
			}
		}
	}
	t.Logf("largest relative error %.2g", worst)
	if !(worst < 5e-14) {
		t.Errorf("relative error %.2g", worst)
	}
}
