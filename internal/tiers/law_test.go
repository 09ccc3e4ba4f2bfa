package tiers

import (
	"math"
	"math/rand/v2"
	"testing"
)

// draws are laws of gaps, in nanoseconds.
var draws = map[string]func(*rand.Rand) float64{
	"exponential": func(r *rand.Rand) float64 { return 1e9 * r.ExpFloat64() },
	"gaussian":    func(r *rand.Rand) float64 { return 1e9 * (1 + 0.1*r.NormFloat64()) },
	"lognormal":   func(r *rand.Rand) float64 { return 1e9 * math.Exp(r.NormFloat64()) },
	"pareto":      func(r *rand.Rand) float64 { return 1e9 * (1 + 0.05*(math.Pow(1-r.Float64(), -0.5)-1)) },
	"two values":  func(r *rand.Rand) float64 { return 1e9 * (1 + math.Floor(1.05*r.Float64())) },
	"constant":    func(r *rand.Rand) float64 { return 1e8 },
}

func whole(gap float64) float64 { return max(math.Ceil(gap), 1) }

// learnt returns a law of n gaps.
func learnt(size, n int, draw func(*rand.Rand) float64) *Law {
	rng := rand.New(rand.NewPCG(3, 5))
	l := New(size)
	for range n {
		gap := whole(draw(rng))
		l.Learn(gap-1, gap, false)
	}
	return l
}

// φ is finite, never falls from one nanosecond to the next, and grows for ever.
func TestNeverFalls(t *testing.T) {
	for name, draw := range draws {
		for _, n := range []int{100, 150, 1000, 30_000} {
			l := learnt(1000, n, draw)
			last, at := 0.0, 0.0
			step := func(silence float64) {
				phi := phiOf(l, silence)
				if !(phi >= last) || math.IsInf(phi, 0) {
					t.Fatalf("%s, %d gaps: φ is %v after %v, and %v after %v", name, n, phi, silence, last, at)
				}
				last, at = phi, silence
			}
			for silence := 1.0; silence < 9e18; silence *= 1.07 {
				for range 20 {
					step(silence)
					silence = max(silence+1, math.Nextafter(silence, math.Inf(1)))
				}
			}
			for silence := 1e9; silence < 1e19; silence *= 10 {
				if far := 10 * silence * l.level.unit / 1e9; !(phiOf(l, 10*far) > phiOf(l, far)) {
					t.Errorf("%s: φ stays at %v", name, phiOf(l, far))
				}
			}
		}
	}
}

func TestQuantileInverts(t *testing.T) {
	for name, draw := range draws {
		if name == "two values" || name == "constant" {
			continue // φ jumps
		}
		for _, n := range []int{100, 400, 1000, 30_000} {
			l := learnt(1000, n, draw)
			last := 0.0
			for phi := 0.001; phi < 300; phi *= 1.05 {
				x := l.Quantile(phi)
				if !(x > last) {
					t.Errorf("%s: quantile(%v) = %v after %v", name, phi, x, last)
				}
				last = x
				if math.IsInf(x, 1) {
					break
				}
				// The numbers learnt have the 24 bits of a float32.
				if low, high := phiOf(l, x*(1-2e-7)), phiOf(l, x*(1+2e-7)); !(low <= phi && phi <= high) {
					t.Errorf("%s, %d gaps: φ around quantile(%v) is %v to %v", name, n, phi, low, high)
				}
			}
		}
	}
}

// The promise is kept on every law, and the price is near that of one who knows it.
func TestKeepsItsPromise(t *testing.T) {
	const n, warmup = 200_000, 1000
	for name, draw := range draws {
		if name == "constant" {
			continue // no timeout leaves a tenth of equal gaps beyond
		}
		rng := rand.New(rand.NewPCG(3, 6))
		l := New(1000)
		var late [4]float64
		for i := range n + warmup {
			gap := whole(draw(rng))
			if i >= warmup {
				for k := range late {
					if gap > math.Ceil(l.Quantile(float64(k+1))) {
						late[k]++
					}
				}
			}
			l.Learn(gap-1, gap, false)
		}
		for k, got := range late {
			want := n * math.Pow(10, -float64(k+1))
			if off := math.Log10(got / want); math.Abs(off) > 0.02+2/math.Sqrt(want)/math.Ln10 {
				t.Errorf("%s, φ = %d: %v mistakes, want %.0f: log10 off by %.3f", name, k+1, got, want, off)
			} else {
				t.Logf("%s, φ = %d: %v mistakes, promised %.0f", name, k+1, got, want)
			}
		}
	}
}

// Beyond ten equal gaps the prior decides: see priorIndex.
func TestTailOfConstantGaps(t *testing.T) {
	l := learnt(1000, 1000, draws["constant"])
	if e := l.Evidence(); e < 0.9 {
		t.Errorf("evidence up to φ = %v", e)
	}
	wait := l.Quantile(8) / 1e8
	if wait < 3 || wait > 20 {
		t.Errorf("φ = 8 after %v intervals", wait)
	}
}

func TestReset(t *testing.T) {
	fresh, used := New(200), learnt(200, 5000, draws["pareto"])
	used.Reset()
	if used.Ready() {
		t.Error("ready after a reset")
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 500 {
		gap := whole(draws["exponential"](rng))
		fresh.Learn(gap-1, gap, false)
		used.Learn(gap-1, gap, false)
	}
	for phi := 0.5; phi < 9; phi++ {
		if a, b := fresh.Quantile(phi), used.Quantile(phi); a != b {
			t.Errorf("quantile(%v) = %v after a reset, want %v", phi, b, a)
		}
	}
}

func FuzzLaw(f *testing.F) {
	f.Add([]byte{1, 200, 3, 90}, uint64(1))
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		l := New(Ready)
		for _, b := range append(data, 7) {
			// A stretch of gaps of one length, or about it.
			scale := math.Exp(float64(b) / 6)
			for range 60 {
				gap := whole(min(scale*(1+float64(b%3)*rng.ExpFloat64()), math.MaxInt64))
				l.Learn(gap-1, min(gap, 1e15), false)
			}
		}
		for !l.Ready() {
			l.Learn(1, 1, false)
		}
		last := 0.0
		for x := 1.0; x < 1e19; x *= 1.3 {
			phi := phiOf(l, x)
			if !(phi >= last) || math.IsInf(phi, 0) || math.Signbit(phi) {
				t.Fatalf("φ(%v) = %v after %v", x, phi, last)
			}
			last = phi
		}
		if e := l.Evidence(); !(e > 0) || math.IsInf(e, 0) {
			t.Fatalf("evidence %v", e)
		}
	})
}

func phiOf(l *Law, silence float64) float64 {
	phi, _ := l.Phi(silence)
	return phi
}
