package normal

import (
	"encoding/csv"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"example.com/liveness/internal/normal/bignormal"
)

// relErr is the relative difference of got from want, 0 where both are 0.
func relErr(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestPhiVectors(t *testing.T) {
	f, err := os.Open("../../testdata/phi_normal.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for _, row := range rows[1:] {
		z, _ := strconv.ParseFloat(row[0], 64)
		want, _ := strconv.ParseFloat(row[1], 64)
		e := relErr(Phi(z), want)
		worst = max(worst, e)
		if !(e <= 1e-13) {
			t.Errorf("Phi(%v) = %v, want %v, relative error %.2g", z, Phi(z), want, e)
		}
		if back := Quantile(want); z > -37 && !(math.Abs(back-z) <= 1e-13*max(1, math.Abs(z))) {
			// Near the median φ itself is rounded, so z is known to about 1e-16 only.
			t.Errorf("Quantile(%v) = %v, want %v", want, back, z)
		}
	}
	t.Logf("%d vectors, largest relative error %.2g", len(rows)-1, worst)
}

// TestPhiOracle compares with 1536-bit arithmetic at random places of each branch.
func TestPhiOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, r := range []struct{ low, high, bound float64 }{
		{-37, -30, 2e-15}, {-30, -8, 1.2e-15}, {-8, -4, 1.2e-15}, {-4, 4, 1.2e-15}, {4, 16, 1.2e-15}, {16, 22, 1.2e-15},
	} {
		worst := 0.0
		for range 150 {
			z := r.low + (r.high-r.low)*rng.Float64()
			want, _ := bignormal.Phi(new(big.Float).SetPrec(bignormal.Prec).SetFloat64(z)).Float64()
			if e := relErr(Phi(z), want); e > worst {
				worst = e
			}
		}
		t.Logf("z in [%v, %v): largest relative error %.2g", r.low, r.high, worst)
		if !(worst <= r.bound) {
			t.Errorf("z in [%v, %v): relative error %.2g, want at most %.2g", r.low, r.high, worst, r.bound)
		}
	}
}

func TestPhiNeverFalls(t *testing.T) {
	check := func(z float64) {
		t.Helper()
		next := math.Nextafter(z, math.Inf(1))
		if Phi(next) < Phi(z) {
			t.Fatalf("Phi falls from %v at %v to %v at the next float64", Phi(z), z, Phi(next))
		}
	}
	// The seams of the pieces, each approached from both sides.
	for i := 0; i <= (tableHigh-tableLow)*tablePerUnit; i++ {
		z := tableLow + float64(i)/tablePerUnit
		for range 40 {
			z = math.Nextafter(z, math.Inf(-1))
		}
		for range 80 {
			check(z)
			z = math.Nextafter(z, math.Inf(1))
		}
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 2_000_000 {
		check(-38 + 60*rng.Float64())
		check(math.Ldexp(1+rng.Float64(), rng.IntN(511)))
		check(-math.Ldexp(1+rng.Float64(), rng.IntN(20)-14))
	}
}

func TestPhiSpecialCases(t *testing.T) {
	for _, c := range []struct{ z, want float64 }{
		{math.Inf(-1), 0}, {-math.MaxFloat64, 0}, {-1e300, 0}, {-40, 0},
		{0, math.Log10(2)},
		{2e154, 2e154 * (0.5 / math.Ln10) * 2e154}, {2.9e154, math.MaxFloat64}, {math.MaxFloat64, math.MaxFloat64}, {math.Inf(1), math.MaxFloat64},
		{math.NaN(), 0},
	} {
		if got := Phi(c.z); relErr(got, c.want) > 1e-15 || math.Signbit(got) {
			t.Errorf("Phi(%v) = %v, want %v", c.z, got, c.want)
		}
	}
	for _, c := range []struct{ phi, want float64 }{
		{0, math.Inf(-1)}, {-1, math.Inf(-1)}, {math.Copysign(0, -1), math.Inf(-1)},
		{math.Inf(1), math.Inf(1)}, {math.Log10(2), 0},
	} {
		if got := Quantile(c.phi); got != c.want && math.Abs(got) > 1e-15 {
			t.Errorf("Quantile(%v) = %v, want %v", c.phi, got, c.want)
		}
	}
	if got := Quantile(math.NaN()); !math.IsNaN(got) {
		t.Errorf("Quantile(NaN) = %v", got)
	}
}

// TestQuantileInverts walks φ from 1e-300 to the largest float64.
func TestQuantileInverts(t *testing.T) {
	worst := 0.0
	for e := -300.0; e <= 300; e += 0.01 {
		phi := math.Pow(10, e)
		z := Quantile(phi)
		// z is rounded, and φ moves by z²·2⁻⁵³ of itself for that where φ is tiny.
		bound := 4e-15 * max(1, z*z/4)
		if z > 0 {
			bound = 4e-15
		}
		got := relErr(Phi(z), phi)
		worst = max(worst, got/bound)
		if !(got <= bound) {
			t.Fatalf("Phi(Quantile(%v)) = %v (z = %v), relative error %.2g, want at most %.2g", phi, Phi(z), z, got, bound)
		}
	}
	t.Logf("largest share of the bound used: %.2f", worst)
}

func TestMillsCoefficients(t *testing.T) {
	// a(n) = n·(2n−1)!! − Σ_{k=1}^{n−1} (2k−1)!!·a(n−k), OEIS A004208.
	odd := func(n int) int {
		p := 1
		for k := 1; k <= n; k++ {
			p *= 2*k - 1
		}
		return p
	}
	var a [10]int
	for n := 1; n < len(a); n++ {
		a[n] = n * odd(n)
		for k := 1; k < n; k++ {
			a[n] -= odd(k) * a[n-k]
		}
	}
	y := 1.0 / 300
	want, power := 0.0, y
	for n := 1; n < len(a); n++ {
		want += power * float64(a[n]) / float64(n)
		power *= -y
	}
	if got := mills(y); relErr(got, want) > 1e-15 {
		t.Errorf("mills(%v) = %v, want %v", y, got, want)
	}
}

var sink float64

func BenchmarkPhi(b *testing.B) {
	for _, z := range []float64{-10, -2, 1, 6, 30} {
		b.Run("z="+strconv.FormatFloat(z, 'g', -1, 64), func(b *testing.B) {
			for b.Loop() {
				sink = Phi(z)
			}
		})
	}
}

func BenchmarkQuantile(b *testing.B) {
	for _, phi := range []float64{1e-10, 0.1, 1, 8, 100} {
		b.Run("phi="+strconv.FormatFloat(phi, 'g', -1, 64), func(b *testing.B) {
			for b.Loop() {
				sink = Quantile(phi)
			}
		})
	}
}
