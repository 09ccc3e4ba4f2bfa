package tiers

import (
	"math"
	"math/rand/v2"
	"testing"
)

// seams are where one part of the law ends and another begins, in units of the level.
func seams(l *Law) []float64 {
	if !l.fitted {
		l.fit()
	}
	var xs []float64
	scale := 1.0
	for i := 0; i <= l.last; i++ {
		for _, k := range l.tiers[i].sorted {
			xs = append(xs, scale*k.float64())
		}
		if i < l.last {
			scale *= l.ends[i]
			xs = append(xs, scale)
		}
	}
	b := l.beyond()
	xs = append(xs, scale*b.from, scale*b.end)
	return xs
}

// checkSeams walks round every seam, and in float64 steps towards it.
func checkSeams(t *testing.T, name string, l *Law) {
	t.Helper()
	for _, x := range seams(l) {
		s := math.Round(x * l.unit())
		last, at := -1.0, 0.0
		for d := -260.0; d <= 260; d++ {
			y := s + d
			if d < -200 {
				y = s * (1 - 1e-7*(-200-d)/60)
			}
			if d == -200 {
				y = s - 200
			}
			if y < at || y <= 0 {
				continue
			}
			phi := phiOf(l, y)
			if !(phi >= last) || math.IsInf(phi, 0) || math.Signbit(phi) {
				t.Fatalf("%s: φ is %v at %v, and %v at %v", name, last, at, phi, y)
			}
			last, at = phi, y
		}
	}
}

func TestNeverFallsAtSeams(t *testing.T) {
	for name, draw := range map[string]func(r *rand.Rand, i int) float64{
		"constant 1s":        func(r *rand.Rand, i int) float64 { return 1e9 },
		"constant 100s":      func(r *rand.Rand, i int) float64 { return 1e11 },
		"alternating":        func(r *rand.Rand, i int) float64 { return 1e9 * float64(1+i%2) },
		"period 3":           func(r *rand.Rand, i int) float64 { return 1e9 * float64(1+i%3) },
		"microsecond jitter": func(r *rand.Rand, i int) float64 { return 1e9 + 1000*r.NormFloat64() },
		"100us jitter":       func(r *rand.Rand, i int) float64 { return 1e9 + 1e5*r.NormFloat64() },
		"ms jitter":          func(r *rand.Rand, i int) float64 { return 1e9 + 1e6*r.NormFloat64() },
		"ms exp jitter":      func(r *rand.Rand, i int) float64 { return 1e9 + 1e6*r.ExpFloat64() },
		"us exp jitter":      func(r *rand.Rand, i int) float64 { return 1e9 + 1e3*r.ExpFloat64() },
		"exp":                func(r *rand.Rand, i int) float64 { return 1e9 * r.ExpFloat64() },
		"loss":               func(r *rand.Rand, i int) float64 { return 1e9 * (1 + math.Floor(1.05*r.Float64())) },
		"loss rare":          func(r *rand.Rand, i int) float64 { return 1e9 * (1 + math.Floor(1.005*r.Float64())) },
		"coarse clock 10ms":  func(r *rand.Rand, i int) float64 { return math.Round(100*(1+0.05*r.ExpFloat64())) * 1e7 },
		"1ns":                func(r *rand.Rand, i int) float64 { return 1 },
		"1-3 ns":             func(r *rand.Rand, i int) float64 { return float64(1 + r.IntN(3)) },
		"lognormal3":         func(r *rand.Rand, i int) float64 { return 1e9 * math.Exp(3*r.NormFloat64()) },
	} {
		for _, size := range []int{200, 1000} {
			for _, n := range []int{100, 199, 200, 250, 1000, 12345} {
				rng := rand.New(rand.NewPCG(3, 5))
				l := New(size)
				for i := range n {
					gap := min(whole(draw(rng, i)), 9e18)
					l.Learn(gap-1, gap, false)
				}
				if l.learnt >= top {
					checkSeams(t, name, l)
				}
			}
		}
	}
}
