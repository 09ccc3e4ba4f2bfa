package tiers

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// reference is a tier that sorts whenever it is asked.
type reference struct {
	latest   []float64
	capacity int
}

func (r *reference) add(x float64) {
	r.latest = append(r.latest, float64(float32(x)))
	r.latest = r.latest[max(0, len(r.latest)-r.capacity):]
}

func compare(t *testing.T, got *tier, want *reference) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(want.latest))
	if got.len() != len(sorted) {
		t.Fatalf("%d numbers, want %d", got.len(), len(sorted))
	}
	for i, x := range sorted {
		if got.sorted[i].float64() != x {
			t.Fatalf("sorted[%d] = %v, want %v of %v", i, got.sorted[i].float64(), x, sorted)
		}
		rank := 0
		for _, y := range sorted {
			if y <= x {
				rank++
			}
		}
		if r := got.rank(keyOf(x)); r != rank {
			t.Fatalf("rank(%v) = %d, want %d of %v", x, r, rank, sorted)
		}
	}
}

func TestTier(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, capacity := range []int{1, 2, 3, 25, 100} {
		for _, kinds := range []int{1, 3, 1 << 30} { // from all equal to all different
			got, want := newTier(capacity), &reference{capacity: capacity}
			for range 4 * capacity {
				x := float64(1+rng.IntN(kinds)) / 7
				got.add(keyOf(x), -1)
				want.add(x)
				compare(t, &got, want)
			}
		}
	}
}

func FuzzTier(f *testing.F) {
	f.Add([]byte{1, 2, 3, 3, 2, 1}, 3)
	f.Fuzz(func(t *testing.T, data []byte, capacity int) {
		capacity = 1 + (capacity&math.MaxInt)%40
		got, want := newTier(capacity), &reference{capacity: capacity}
		for _, b := range data {
			x := math.Exp(float64(b)/8 - 16)
			got.add(keyOf(x), -1)
			want.add(x)
		}
		compare(t, &got, want)
	})
}

// Of n numbers the i-th leaves (n + 1 − i)/(n + 1) above it, and φ is linear between them.
func TestTierByHand(t *testing.T) {
	tr := newTier(9)
	for _, x := range []float64{5, 1, 2, 9, 3, 4, 8, 6, 7} {
		tr.add(keyOf(x), -1)
	}
	half := (1 + -math.Log10(0.2)) / 2
	for _, c := range []struct{ x, phi float64 }{
		{1, -math.Log10(0.9)}, {5, -math.Log10(0.5)}, {8, -math.Log10(0.2)}, {8.5, half}, {0.5, -math.Log10(0.9) / 2}, {0, 0},
	} {
		phi, _ := tr.phi(c.x, 0)
		if math.Abs(phi-c.phi) > 1e-15 {
			t.Errorf("phi(%v) = %v, want %v", c.x, phi, c.phi)
		}
		if x := tr.quantile(c.phi, 0); math.Abs(x-c.x) > 1e-14 {
			t.Errorf("quantile(%v) = %v, want %v", c.phi, x, c.x)
		}
	}
	// Above a least of 0.5 the first interval begins there.
	if phi, _ := tr.phi(0.75, 0.5); math.Abs(phi- -math.Log10(0.9)/2) > 1e-15 {
		t.Errorf("phi(0.75) = %v above 0.5", phi)
	}
}
