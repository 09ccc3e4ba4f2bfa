package liveness_test

import (
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
	"example.com/liveness/livenesstest"
)

// ownLaws are the families of this package.
var ownLaws = []liveness.Distribution{
	liveness.Gaussian{}, liveness.Exponential{}, liveness.LogNormal{}, liveness.Logistic{},
	liveness.StudentT{}, liveness.LogStudentT{}, liveness.Lomax{}, liveness.ShiftedExponential{},
}

// relErr is the relative difference of got from want, NaN included; 0 where both are equal.
func relErr(got, want float64) float64 {
	if got == want {
		return 0
	}
	e := math.Abs(got-want) / math.Abs(want)
	if math.IsNaN(e) {
		return math.Inf(1)
	}
	return e
}

// vectors reads a table of numbers from testdata, without its header.
func vectors(t testing.TB, name string) [][]float64 {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]float64
	for _, record := range records[1:] {
		row := make([]float64, len(record))
		for i, s := range record {
			// A number too small for float64 is read as 0, which is what it must give.
			row[i], err = strconv.ParseFloat(s, 64)
			if err != nil && row[i] != 0 {
				t.Fatalf("%s: %v", name, err)
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s is empty", name)
	}
	return rows
}

func TestDistributionVectors(t *testing.T) {
	for _, c := range []struct {
		file string
		law  func(row []float64) (law liveness.Distribution, x, phi float64)
		tol  float64
	}{
		{"phi_normal.csv", func(r []float64) (liveness.Distribution, float64, float64) {
			return liveness.Gaussian{Mean: 0, StdDev: 1}, r[0], r[1]
		}, 1e-13},
		{"phi_exponential.csv", func(r []float64) (liveness.Distribution, float64, float64) {
			return liveness.Exponential{Mean: r[0]}, r[1], r[2]
		}, 1e-13},
		{"phi_lognormal.csv", func(r []float64) (liveness.Distribution, float64, float64) {
			return liveness.LogNormal{Mu: r[0], Sigma: r[1]}, r[2], r[3]
		}, 1e-12},
		{"no_safe_timeout.csv", func(r []float64) (liveness.Distribution, float64, float64) {
			return liveness.LogNormal{Mu: math.Log(0.050), Sigma: 1}, r[0] / 1000, r[2]
		}, 1e-12},
	} {
		t.Run(c.file, func(t *testing.T) {
			worst := 0.0
			rows := vectors(t, c.file)
			for _, row := range rows {
				law, x, want := c.law(row)
				got := law.Phi(x)
				e := relErr(got, want)
				if want < 2e-308 { // φ is 0 from where float64 thins out
					e = relErr(1+got, 1+want)
				}
				worst = max(worst, e)
				if !(e <= c.tol) {
					t.Errorf("%+v: Phi(%v) = %v, want %v: relative error %.2g", law, x, got, want, e)
				}
			}
			t.Logf("%d vectors, largest relative error %.2g", len(rows), worst)
		})
	}
}

func TestDistributionConformance(t *testing.T) {
	for _, family := range append(ownLaws, weibull{}) {
		t.Run(fmt.Sprintf("%T", family), func(t *testing.T) {
			if err := livenesstest.TestDistribution(family); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestDistributionBody compares with gonum where its probabilities still have digits.
func TestDistributionBody(t *testing.T) {
	for _, c := range []struct {
		law  liveness.Distribution
		peer interface{ Survival(x float64) float64 }
	}{
		{liveness.Gaussian{Mean: 2, StdDev: 0.5}, distuv.Normal{Mu: 2, Sigma: 0.5}},
		{liveness.Exponential{Mean: 2}, distuv.Exponential{Rate: 0.5}},
		{liveness.LogNormal{Mu: 0.3, Sigma: 0.7}, distuv.LogNormal{Mu: 0.3, Sigma: 0.7}},
	} {
		for x := 0.1; x < 3.5; x += 0.1 {
			if got, want := math.Pow(10, -c.law.Phi(x)), c.peer.Survival(x); relErr(got, want) > 1e-12 {
				t.Errorf("%+v: 10^-Phi(%v) = %v, gonum has %v", c.law, x, got, want)
			}
		}
	}
}

func TestDistributionSpecialCases(t *testing.T) {
	inf, nan, most := math.Inf(1), math.NaN(), math.MaxFloat64
	for _, c := range []struct {
		law     liveness.Distribution
		x, want float64
	}{
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, -inf, 0},
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, inf, most},
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, nan, 0},
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, most, most},
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, -most, 0},
		{liveness.Gaussian{Mean: 1}, 1, 0},
		{liveness.Gaussian{Mean: 1}, math.Nextafter(1, 0), 0},
		{liveness.Gaussian{Mean: 1}, math.Nextafter(1, 2), most},
		{liveness.Gaussian{Mean: 1, StdDev: -1}, 2, most},
		{liveness.Gaussian{Mean: nan, StdDev: 1}, 2, 0},
		{liveness.Gaussian{Mean: 1, StdDev: nan}, 2, most},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, -inf, 0},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, inf, most},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, nan, 0},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, most, most},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, -most, 0},
		{liveness.Logistic{Mean: 1}, 1, 0},
		{liveness.Logistic{Mean: 1}, math.Nextafter(1, 2), most},
		{liveness.Logistic{Mean: 1, StdDev: nan}, 2, most},
		{liveness.Exponential{Mean: 1}, -1, 0},
		{liveness.Exponential{Mean: 1}, math.Copysign(0, -1), 0},
		{liveness.Exponential{Mean: 1}, inf, most},
		{liveness.Exponential{Mean: 1}, nan, 0},
		{liveness.Exponential{Mean: 1e-300}, most, most},
		{liveness.Exponential{}, 0, 0},
		{liveness.Exponential{}, 1, most},
		{liveness.Exponential{Mean: -1}, 1, most},
		{liveness.LogNormal{Sigma: 1}, -1, 0},
		{liveness.LogNormal{Sigma: 1}, 0, 0},
		{liveness.LogNormal{Sigma: 1}, inf, most},
		{liveness.LogNormal{Sigma: 1}, nan, 0},
		{liveness.LogNormal{Sigma: 1}, math.SmallestNonzeroFloat64, 0},
		{liveness.LogNormal{}, 1, 0},
		{liveness.LogNormal{}, 1.1, most},
	} {
		if got := c.law.Phi(c.x); got != c.want || math.Signbit(got) {
			t.Errorf("%+v: Phi(%v) = %v, want %v", c.law, c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		law       liveness.Distribution
		phi, want float64
	}{
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, 0, -inf},
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, -3, -inf},
		{liveness.Gaussian{Mean: 1, StdDev: 0.1}, inf, inf},
		{liveness.Gaussian{Mean: 1}, 0, 1},
		{liveness.Gaussian{Mean: 1}, 8, 1},
		{liveness.Gaussian{Mean: 1}, inf, inf},
		{liveness.Gaussian{Mean: 1, StdDev: -1}, inf, inf},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, 0, -inf},
		{liveness.Logistic{Mean: 1, StdDev: 0.1}, inf, inf},
		{liveness.Logistic{Mean: 1}, 8, 1},
		{liveness.Logistic{Mean: 1}, inf, inf},
		{liveness.Exponential{}, inf, inf},
		{liveness.Exponential{}, 3, 0},
		{liveness.LogNormal{}, inf, inf},
		{liveness.LogNormal{}.Fit(liveness.Stats{}), 8, 0},
		{liveness.LogNormal{}.Fit(liveness.Stats{StdDev: 1}), 8, 0},
		{liveness.Exponential{Mean: 2}, 0, 0},
		{liveness.Exponential{Mean: 2}, -1, 0},
		{liveness.Exponential{Mean: 2}, inf, inf},
		{liveness.LogNormal{Mu: 0, Sigma: 1}, 0, 0},
		{liveness.LogNormal{Mu: 0, Sigma: 1}, -1, 0},
		{liveness.LogNormal{Mu: 0, Sigma: 1}, inf, inf},
		{liveness.LogNormal{Mu: 0}, 8, 1},
	} {
		if got := c.law.Quantile(c.phi); got != c.want {
			t.Errorf("%+v: Quantile(%v) = %v, want %v", c.law, c.phi, got, c.want)
		}
	}
	for _, law := range []liveness.Distribution{
		liveness.Gaussian{Mean: 1, StdDev: 0.1}, liveness.Exponential{Mean: 1}, liveness.LogNormal{Sigma: 1},
		liveness.Gaussian{}, liveness.Exponential{}, liveness.LogNormal{}, liveness.Logistic{}, liveness.Logistic{Mean: 1, StdDev: 0.1},
	} {
		if got := law.Quantile(nan); !math.IsNaN(got) {
			t.Errorf("%+v: Quantile(NaN) = %v", law, got)
		}
	}
}

func TestLogNormalFitHasTheMoments(t *testing.T) {
	for _, s := range []liveness.Stats{{Mean: 1, StdDev: 0.1}, {Mean: 0.02, StdDev: 0.5}, {Mean: 3600, StdDev: 1}} {
		law := liveness.LogNormal{}.Fit(s).(liveness.LogNormal)
		gonum := distuv.LogNormal{Mu: law.Mu, Sigma: law.Sigma}
		// The variance is a difference in gonum, too.
		if relErr(gonum.Mean(), s.Mean) > 1e-14 || relErr(gonum.StdDev(), s.StdDev) > 1e-8 {
			t.Errorf("%+v has mean %v and standard deviation %v, want %+v", law, gonum.Mean(), gonum.StdDev(), s)
		}
	}
}

// TestLogNormalNeverFalls walks neighbouring float64, where the rounding of the logarithm could show.
func TestLogNormalNeverFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200_000 {
		law := liveness.LogNormal{Mu: 40*rng.Float64() - 20, Sigma: math.Pow(10, 4*rng.Float64()-3)}
		x := law.Quantile(math.Pow(10, 8*rng.Float64()-5))
		for range 16 {
			next := math.Nextafter(x, math.Inf(1))
			if law.Phi(next) < law.Phi(x) {
				t.Fatalf("%+v falls from %v at %v to %v at %v", law, law.Phi(x), x, law.Phi(next), next)
			}
			x = next
		}
	}
}
