package studentt

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"example.com/liveness/internal/normal"
)

// relErr is the relative difference of got from want, 0 where both are equal.
func relErr(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

// table reads rows of nu, t and φ, computed with 40 digits and more.
func table(t *testing.T, name string) [][3]float64 {
	t.Helper()
	f, err := os.Open("../../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][3]float64
	for _, record := range records[1:] {
		var row [3]float64
		for i := range row {
			row[i], _ = strconv.ParseFloat(record[i], 64) // what is too small is 0
		}
		rows = append(rows, row)
	}
	return rows
}

// TestPhiVectors: the tables have t from −30 to 1e300, and t²/ν on both sides of every seam.
func TestPhiVectors(t *testing.T) {
	for _, name := range []string{"phi_student_t.csv", "phi_student_t_seams.csv"} {
		worst, worstBack := 0.0, 0.0
		for _, row := range table(t, name) {
			nu, x, want := row[0], row[1], row[2]
			e := relErr(Phi(nu, x), want)
			if want < 2e-308 {
				e = relErr(1+Phi(nu, x), 1+want)
			}
			worst = max(worst, e)
			if !(e <= 1e-14*max(1, -math.Log(want))) {
				t.Errorf("Phi(%v, %v) = %v, want %v: relative error %.2g", nu, x, Phi(nu, x), want, e)
			}
			if want < 1e-300 {
				continue
			}
			// Where φ grows slowly its own rounding leaves t to less; near the median, too.
			back := Quantile(nu, want)
			slack := 1e-13 * max(1, math.Abs(x))
			if x > 1e9 {
				slack *= max(1, want*math.Ln10/nu)
			}
			worstBack = max(worstBack, math.Abs(back-x)/slack*1e-13)
			if !(math.Abs(back-x) <= slack) {
				t.Errorf("Quantile(%v, %v) = %v, want %v", nu, want, back, x)
			}
		}
		t.Logf("%s: largest relative error %.2g, of the quantile %.2g", name, worst, worstBack)
	}
}

// TestPhiNoise measures the error of evaluation alone, at points of the grid.
func TestPhiNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for range 300_000 {
		nu := 1 + math.Pow(10, 12*rng.Float64()-3)
		x := math.Pow(10, 6*rng.Float64()-3)
		if rng.IntN(4) == 0 {
			x = math.Pow(10, 300*rng.Float64())
		}
		// Neighbours of the argument have nearly the same φ, but other rounding errors.
		a, b := logTail(nu, x), logTail(nu, math.Nextafter(x, 0))
		worst = max(worst, relErr(a, b))
	}
	t.Logf("neighbours differ by up to %.2g", worst)
	if !(worst < 8e-15) {
		t.Errorf("neighbours differ by %.2g", worst)
	}
}

func TestPhiNeverFalls(t *testing.T) {
	check := func(nu, x float64) {
		t.Helper()
		for _, bits := range []uint64{1, 1 << 5, 1 << 8, 1 << 12, 1 << 13} {
			b := math.Float64bits(x)
			if x < 0 {
				b -= bits
			} else {
				b += bits
			}
			if next := math.Float64frombits(b); Phi(nu, next) < Phi(nu, x) {
				t.Fatalf("Phi(%v, ·) falls from %v at %v to %v at %v", nu, Phi(nu, x), x, Phi(nu, next), next)
			}
		}
	}
	rng := rand.New(rand.NewPCG(2, 2))
	n := 150_000
	if testing.Short() {
		n /= 10
	}
	for range n {
		nu := 1 + math.Pow(10, 12*rng.Float64()-3)
		if rng.IntN(2) == 0 {
			nu = float64(1 + rng.IntN(60))
		}
		check(nu, 12*rng.Float64())
		check(nu, -36*rng.Float64())
		check(nu, math.Sqrt(nu)*(0.805+0.003*rng.Float64()))
		check(nu, math.Sqrt(nu*bodyBound)*(1-1e-13+2e-13*rng.Float64()))
		check(nu, math.Sqrt(nu)*(1<<14)*(1-1e-11+2e-11*rng.Float64()))
		check(nu, math.Pow(10, 308*rng.Float64()))
		check(nu, math.Pow(10, 20*rng.Float64()-20))
		check(nu, -math.Pow(10, 20*rng.Float64()-20))
	}
	for _, x := range []float64{-1, -0.5, 0, 0.5, 1, 2} { // the seams of the grid
		for _, nu := range []float64{1, 1.5, 2, 5, 30, 33, 1000, 1e6} {
			if low, high := Phi(nu, -math.SmallestNonzeroFloat64), Phi(nu, 0); low > high {
				t.Fatalf("Phi(%v, ·) falls at 0 from %v to %v", nu, low, high)
			}
			for step := -2000; step < 2000; step++ {
				y := x + float64(step)*0x1p-49
				if Phi(nu, y+0x1p-49) < Phi(nu, y) {
					t.Fatalf("Phi(%v, ·) falls at %v", nu, y)
				}
			}
		}
	}
}

func TestSpecialCases(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct{ nu, x, want float64 }{
		{3, inf, math.MaxFloat64}, {3, -inf, 0}, {3, nan, 0}, {3, 0, math.Log10(2)}, {3, math.Copysign(0, -1), math.Log10(2)},
		{nan, 1, math.Log10(4)}, {0, 1, math.Log10(4)}, {-1, 1, math.Log10(4)}, {0.5, 1, math.Log10(4)}, {1, 1, math.Log10(4)},
		{inf, 1, normal.Phi(1)}, {inf, nan, 0}, {inf, inf, math.MaxFloat64},
		{math.MaxFloat64, 1, normal.Phi(1)}, {1e300, 5, normal.Phi(5)}, {1e300, 1e-300, math.Log10(2)},
		{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, {1, math.SmallestNonzeroFloat64, math.Log10(2)},
		{1e300, -1e200, 0},
		{1, math.MaxFloat64, (math.Log(math.MaxFloat64) + math.Log(math.Pi)) / math.Ln10},
	} {
		if got := Phi(c.nu, c.x); relErr(got, c.want) > 1e-14 || math.Signbit(got) {
			t.Errorf("Phi(%v, %v) = %v, want %v", c.nu, c.x, got, c.want)
		}
	}
	for _, c := range []struct{ nu, phi, want float64 }{
		{3, 0, -inf}, {3, -1, -inf}, {3, inf, inf}, {inf, inf, inf}, {inf, 0, -inf},
		{3, math.Ln2 / math.Ln10, 0}, {1, 400, inf}, {2, 1e12, inf}, {1, math.MaxFloat64, inf}, {1, 1e-320, -inf},
		{1, math.Log10(4), 1}, {nan, math.Log10(4), 1}, {inf, 8, normal.Quantile(8)}, {1e300, 8, normal.Quantile(8)},
	} {
		if got := Quantile(c.nu, c.phi); relErr(got, c.want) > 1e-14 && math.Abs(got-c.want) > 1e-15 {
			t.Errorf("Quantile(%v, %v) = %v, want %v", c.nu, c.phi, got, c.want)
		}
	}
	if got := Quantile(3, nan); !math.IsNaN(got) {
		t.Errorf("Quantile(3, NaN) = %v", got)
	}
}

func TestQuantileInverts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200_000 {
		nu := 1 + math.Pow(10, 9*rng.Float64()-3)
		phi := math.Pow(10, 14*rng.Float64()-8)
		x := Quantile(nu, phi)
		if math.IsInf(x, 0) || math.Abs(x) > 1e307 {
			continue
		}
		slack := 5e-14 * max(math.Abs(x), 1) * max(1, phi/nu)
		if Phi(nu, x-slack) > phi || Phi(nu, x+slack) < phi {
			t.Fatalf("Quantile(%v, %v) = %v, where Phi is %v", nu, phi, x, Phi(nu, x))
		}
	}
}

var sink float64

func BenchmarkPhi(b *testing.B) {
	for _, c := range []struct {
		name  string
		nu, t float64
	}{{"nu=2/t=1", 2, 1}, {"nu=10/t=2", 10, 2}, {"nu=10/t=5", 10, 5}, {"nu=999/t=2", 999, 2}, {"nu=999/t=30", 999, 30}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				sink = Phi(c.nu, c.t)
			}
		})
	}
}

func BenchmarkQuantile(b *testing.B) {
	for _, nu := range []float64{1, 2, 10, 100, 999} {
		b.Run(strconv.Itoa(int(nu)), func(b *testing.B) {
			for b.Loop() {
				sink = Quantile(nu, 8)
			}
		})
	}
}
