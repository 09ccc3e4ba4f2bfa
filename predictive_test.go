package liveness_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// TestPredictiveVectors: worked numbers, computed apart from this code.
func TestPredictiveVectors(t *testing.T) {
	sample := func(n int, mean, s float64) liveness.Stats { // s is the deviation by n−1
		return liveness.Stats{Count: n, Mean: mean, StdDev: s * math.Sqrt(float64(n-1)/float64(n))}
	}
	type point struct{ x, phi, tol float64 }
	for _, c := range []struct {
		family liveness.Distribution
		stats  liveness.Stats
		points []point
	}{
		{liveness.StudentT{}, sample(5, 100, 10), []point{{110, .685128, 1e-6}, {130, 1.585196, 1e-6}, {150, 2.287992, 1e-6}, {200, 3.398485, 1e-6}, {1541.55, 8, 1e-5}}},
		{liveness.StudentT{}, sample(10, 100, 10), []point{{110, .738428, 1e-6}, {130, 2.0276, 1e-6}, {150, 3.292775, 1e-6}, {200, 5.575722, 1e-6}, {291.764, 8, 1e-5}}},
		{liveness.StudentT{}, sample(30, 100, 10), []point{{110, .77809, 1e-6}, {130, 2.508031, 1e-6}, {150, 4.79863, 1e-6}, {200, 10.32053, 1e-5}, {177.680, 8, 1e-4}}},
		{liveness.StudentT{}, sample(100, 100, 10), []point{{161.373, 8, 2e-4}}},
		{liveness.StudentT{}, sample(1000, 100, 10), []point{{110, .798884, 1e-6}, {130, 2.856939, 1e-6}, {150, 6.465058, 1e-6}, {200, 22.058187, 1e-6}, {156.608, 8, 2e-4}}},
		{liveness.Lomax{}, liveness.Stats{Count: 1, Mean: 1}, []point{{10, 1.041393, 1e-6}}},
		{liveness.Lomax{}, liveness.Stats{Count: 10, Mean: 1}, []point{{1, .413927, 1e-6}, {5, 1.760913, 1e-6}, {10, 3.0103, 1e-6}, {20, 4.771213, 1e-6}, {53.0957, 8, 1e-5}}},
		{liveness.Lomax{}, liveness.Stats{Count: 100, Mean: 1}, []point{{20.2264, 8, 1e-4}}},
		{liveness.Lomax{}, liveness.Stats{Count: 1000, Mean: 1}, []point{{10, 4.321374, 1e-6}, {18.5914, 8, 1e-4}}},
		{liveness.ShiftedExponential{}, liveness.Stats{Count: 10, Mean: 100, Least: 90}, []point{{90, .041393, 1e-6}, {100, .413927, 1e-6}, {150, 1.878473, 1e-6}, {200, 2.941366, 1e-6}}},
		// Gamma prior a = 2, b = 1 beside Σx = 10: (1 + t/11)^−12.
		{liveness.Lomax{}, liveness.Stats{Count: 10, Weight: 12, Mean: 11. / 12}, []point{{11, 12 * math.Log10(2), 1e-12}}},
	} {
		law := c.family.Fit(c.stats)
		for _, p := range c.points {
			assert.InDelta(t, p.phi, law.Phi(p.x), p.tol, "%T%+v at %v", law, law, p.x)
			assert.InEpsilon(t, p.x, law.Quantile(law.Phi(p.x)), 1e-13, "%T%+v", law, law)
		}
	}
	// The log-t is the t of the logarithms.
	s := sample(10, math.Log(3), 0.3)
	logT := liveness.LogStudentT{}.Fit(liveness.Stats{Count: 10, LogMean: s.Mean, LogStdDev: s.StdDev})
	assert.InEpsilon(t, liveness.StudentT{}.Fit(s).Phi(2), logT.Phi(math.Exp(2)), 1e-13)
	assert.InEpsilon(t, 3*math.Exp(0.3*19.1764), logT.Quantile(8), 1e-4)
}

// TestStudentTVectors holds the log-survival to the table of Student's law.
func TestStudentTVectors(t *testing.T) {
	for _, name := range []string{"phi_student_t.csv", "phi_student_t_seams.csv"} {
		for _, row := range vectors(t, name) {
			law := liveness.StudentT{Scale: 1, DF: row[0]}
			got, want := law.Phi(row[1]), row[2]
			if e := relErr(got, want); e > 1e-14*max(1, -math.Log(want)) && want > 2e-308 {
				t.Errorf("%+v: Phi(%v) = %v, want %v", law, row[1], got, want)
			}
		}
	}
}

// TestPredictiveLimits: with ever more gaps each law becomes the one it predicts for.
func TestPredictiveLimits(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ law, limit liveness.Distribution }{
		{liveness.StudentT{Mean: 1, Scale: 0.1, DF: inf}, liveness.Gaussian{Mean: 1, StdDev: 0.1}},
		{liveness.LogStudentT{Mu: 0.3, Sigma: 0.7, DF: inf}, liveness.LogNormal{Mu: 0.3, Sigma: 0.7}},
		{liveness.ShiftedExponential{Excess: 2, Count: inf}, liveness.Exponential{Mean: 2}},
	} {
		for x := 0.5; x < 100; x *= 1.1 {
			assert.InEpsilon(t, 1+c.limit.Phi(x), 1+c.law.Phi(x), 1e-13, "%T at %v", c.law, x)
		}
		for phi := 0.0; phi < 20; phi += 0.25 {
			assert.Equal(t, c.limit.Quantile(phi), c.law.Quantile(phi), "%T at %v", c.law, phi)
		}
	}
	assert.InEpsilon(t, liveness.Exponential{Mean: 2}.Phi(9), liveness.Lomax{Shape: 1e12, Scale: 2e12}.Phi(9), 1e-11)
	assert.InEpsilon(t, liveness.Gaussian{Mean: 1, StdDev: 1}.Phi(9), liveness.StudentT{Mean: 1, Scale: 1, DF: 1e15}.Phi(9), 1e-13)
	assert.InEpsilon(t, liveness.Exponential{Mean: 2}.Phi(9), liveness.ShiftedExponential{Excess: 2, Count: 1e13}.Phi(9), 1e-12)
}

func TestPredictiveSpecialCases(t *testing.T) {
	inf, nan, most := math.Inf(1), math.NaN(), math.MaxFloat64
	for _, c := range []struct {
		law     liveness.Distribution
		x, want float64
	}{
		{liveness.StudentT{Mean: 1, Scale: 1, DF: 5}, -inf, 0},
		{liveness.StudentT{Mean: 1, Scale: 1, DF: 5}, inf, most},
		{liveness.StudentT{Mean: 1, Scale: 1, DF: 5}, nan, 0},
		{liveness.StudentT{Mean: 1, DF: 5}, 1, 0},
		{liveness.StudentT{Mean: 1, DF: 5}, math.Nextafter(1, 2), most},
		{liveness.StudentT{Mean: 1, Scale: 1, DF: nan}, 2, math.Log10(4)},
		{liveness.StudentT{Mean: 1, Scale: 1}, 2, math.Log10(4)},
		{liveness.LogStudentT{Sigma: 1, DF: 5}, 0, 0},
		{liveness.LogStudentT{Sigma: 1, DF: 5}, -1, 0},
		{liveness.LogStudentT{Sigma: 1, DF: 5}, nan, 0},
		{liveness.LogStudentT{Sigma: 1, DF: 5}, inf, most},
		{liveness.LogStudentT{}, 1, 0},
		{liveness.LogStudentT{}, 1.1, most},
		{liveness.Lomax{Shape: 2, Scale: 1}, 0, 0},
		{liveness.Lomax{Shape: 2, Scale: 1}, -1, 0},
		{liveness.Lomax{Shape: 2, Scale: 1}, nan, 0},
		{liveness.Lomax{Shape: 2, Scale: 1}, inf, most},
		{liveness.Lomax{Shape: 2}, 1, most},
		{liveness.Lomax{Scale: 1}, 5, 0},
		{liveness.Lomax{Shape: nan, Scale: 1}, 5, 0},
		{liveness.Lomax{Scale: 0}, 5, 0},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: 5}, -inf, 0},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: 5}, inf, most},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: 5}, nan, 0},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: 5}, 1, math.Log10(1.2)},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: nan}, 1, math.Log10(1.5)},
		{liveness.ShiftedExponential{Least: 1, Count: 5}, 0.9, 0},
		{liveness.ShiftedExponential{Least: 1, Count: 5}, 1, 0},
		{liveness.ShiftedExponential{Least: 1, Count: 5}, 1.1, most},
	} {
		if got := c.law.Phi(c.x); relErr(got, c.want) > 1e-15 || math.Signbit(got) {
			t.Errorf("%T%+v: Phi(%v) = %v, want %v", c.law, c.law, c.x, got, c.want)
		}
	}
	for _, c := range []struct {
		law       liveness.Distribution
		phi, want float64
	}{
		{liveness.StudentT{Mean: 1, Scale: 1, DF: 5}, 0, -inf},
		{liveness.StudentT{Mean: 1, Scale: 1, DF: 5}, inf, inf},
		{liveness.StudentT{Mean: 1, DF: 5}, 8, 1},
		{liveness.StudentT{Mean: 1, DF: 5}, 0, 1},
		{liveness.LogStudentT{Sigma: 1, DF: 5}, 0, 0},
		{liveness.LogStudentT{Sigma: 1, DF: 2}, 1000, inf},
		{liveness.LogStudentT{DF: 2}, 8, 1},
		{liveness.Lomax{Shape: 2, Scale: 1}, 0, 0},
		{liveness.Lomax{Shape: 2, Scale: 1}, 2, 9},
		{liveness.Lomax{Shape: 2, Scale: 1}, inf, inf},
		{liveness.Lomax{Scale: 1}, 1, inf},
		{liveness.Lomax{Shape: 2}, 1, 0},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: 5}, 0, -inf},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: 5}, inf, inf},
		{liveness.ShiftedExponential{Least: 1, Count: 5}, 0, 1},
		{liveness.ShiftedExponential{Least: 1, Count: 5}, 8, 1},
		{liveness.ShiftedExponential{Least: 1, Excess: 1, Count: inf}, 0, 1},
	} {
		if got := c.law.Quantile(c.phi); relErr(got, c.want) > 1e-15 {
			t.Errorf("%T%+v: Quantile(%v) = %v, want %v", c.law, c.law, c.phi, got, c.want)
		}
	}
	for _, law := range []liveness.Distribution{
		liveness.StudentT{}, liveness.LogStudentT{}, liveness.Lomax{}, liveness.ShiftedExponential{}, liveness.ShiftedExponential{Count: inf},
		liveness.StudentT{Scale: 1, DF: 3}, liveness.LogStudentT{Sigma: 1}, liveness.Lomax{Shape: 1, Scale: 1}, liveness.ShiftedExponential{Excess: 1},
	} {
		if got := law.Quantile(nan); !math.IsNaN(got) {
			t.Errorf("%T%+v: Quantile(NaN) = %v", law, law, got)
		}
	}
	// Too few gaps for the law count as those it needs.
	for _, n := range []int{0, 1, 2} {
		s := liveness.Stats{Count: n, Mean: 1, StdDev: 0.1, LogMean: 0.1, LogStdDev: 0.2, Least: 0.9}
		assert.Equal(t, liveness.StudentT{Mean: 1, Scale: 0.1 * math.Sqrt(3), DF: 1}, liveness.StudentT{}.Fit(s))
		assert.Equal(t, liveness.LogStudentT{Mu: 0.1, Sigma: 0.2 * math.Sqrt(3), DF: 1}, liveness.LogStudentT{}.Fit(s))
		assert.Equal(t, liveness.ShiftedExponential{Least: 0.9, Excess: s.Mean - s.Least, Count: 2}, liveness.ShiftedExponential{}.Fit(s))
		assert.Equal(t, liveness.Lomax{Shape: max(float64(n), 1), Scale: max(float64(n), 1)}, liveness.Lomax{}.Fit(s))
	}
	// What a Stats lacks is made up from its moments.
	assert.Equal(t, 0.9, liveness.ShiftedExponential{}.Fit(liveness.Stats{Count: 9, Mean: 1, StdDev: 0.1}).(liveness.ShiftedExponential).Least)
	byMoments := liveness.LogNormal{}.Fit(liveness.Stats{Mean: 1, StdDev: 0.1}).(liveness.LogNormal)
	assert.Equal(t, byMoments.Mu, liveness.LogStudentT{}.Fit(liveness.Stats{Count: 9, Mean: 1, StdDev: 0.1}).(liveness.LogStudentT).Mu)
}

// ownFamily is a predictive law, the law it predicts for, and gaps of that.
type ownFamily struct {
	name               string
	predictive, plugIn liveness.Distribution
	gap                func(*rand.Rand) float64 // seconds
}

var ownFamilies = []ownFamily{
	{"gaussian", liveness.StudentT{}, liveness.Gaussian{}, func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }},
	{"exponential", liveness.Lomax{}, liveness.Exponential{}, func(r *rand.Rand) float64 { return r.ExpFloat64() }},
	{"log-normal", liveness.LogStudentT{}, logMoments{}, func(r *rand.Rand) float64 { return math.Exp(0.5 * r.NormFloat64()) }},
	{"shifted exponential", liveness.ShiftedExponential{}, plainShifted{}, func(r *rand.Rand) float64 { return 0.9 + 0.1*r.ExpFloat64() }},
}

// logMoments is the log-normal law fitted to the logarithms as if they were the truth.
type logMoments struct{ liveness.LogNormal }

func (logMoments) Fit(s liveness.Stats) liveness.Distribution {
	return liveness.LogNormal{Mu: s.LogMean, Sigma: s.LogStdDev}
}

// plainShifted is the shifted exponential law fitted in the same way.
type plainShifted struct{ liveness.ShiftedExponential }

func (plainShifted) Fit(s liveness.Stats) liveness.Distribution {
	return liveness.ShiftedExponential{Least: s.Least, Excess: s.Mean - s.Least, Count: math.Inf(1)}
}

var (
	calibrationGaps   = []int{3, 5, 10, 30, 100}
	calibrationLevels = [3]float64{1, 2, 3}
)

// rates counts how often gaps reached each level.
type rates struct {
	hits   [3]float64
	trials float64
}

func (r *rates) add(phi float64) {
	r.trials++
	for i, level := range calibrationLevels {
		if phi >= level {
			r.hits[i]++
		}
	}
}

// apart returns by how many standard deviations the rate at a level is off the promise.
func (r *rates) apart(i int) float64 {
	p := math.Pow(10, -calibrationLevels[i])
	return (r.hits[i] - p*r.trials) / math.Sqrt(p*(1-p)*r.trials)
}

func (r *rates) String() string {
	var s strings.Builder
	for i := range r.hits {
		fmt.Fprintf(&s, "  %.5f (%+5.1f σ)", r.hits[i]/r.trials, r.apart(i))
	}
	return s.String()
}

// tooFar is beyond what chance does in some hundred comparisons.
const tooFar = 4

// TestPredictiveCalibration: after any number of gaps of its family each law's φ
// of the next gap reaches t with probability 10^−t. The plug-in laws' does not.
func TestPredictiveCalibration(t *testing.T) {
	t.Logf("rate of gaps above φ = 1, 2, 3 (and its distance from 0.1, 0.01, 0.001)")
	for _, f := range ownFamilies {
		for _, n := range calibrationGaps {
			trials := min(200_000, 6_000_000/n)
			if testing.Short() || raceEnabled {
				trials /= 10
			}
			rng := rand.New(rand.NewPCG(uint64(n), uint64(len(f.name))))
			w := newWindow(t, n)
			var predictive, plugIn rates
			for range trials {
				for range n {
					w.Add(seconds(f.gap(rng)))
				}
				s, x := w.Stats(), f.gap(rng)
				predictive.add(f.predictive.Fit(s).Phi(x))
				plugIn.add(f.plugIn.Fit(s).Phi(x))
			}
			t.Logf("%-20s n=%-4d predictive%s", f.name, n, &predictive)
			t.Logf("%-20s        plug-in   %s", "", &plugIn)
			for i, level := range calibrationLevels {
				assert.Less(t, math.Abs(predictive.apart(i)), float64(tooFar), "%s after %d gaps at φ = %v", f.name, n, level)
			}
			if n <= 10 {
				assert.Greater(t, plugIn.apart(2), float64(tooFar), "the plug-in %s after %d gaps", f.name, n)
			}
		}
	}
}

// TestPhiCalibration is the same through the detector, without prior and floor.
func TestPhiCalibration(t *testing.T) {
	for _, f := range ownFamilies {
		for _, n := range calibrationGaps {
			d := newPhi(t, liveness.PhiConfig{
				Distribution: f.predictive, WindowSize: n, PriorWeight: 1e-100, MinStdDev: time.Microsecond,
			})
			trials := 400_000 / n
			if testing.Short() || raceEnabled {
				trials /= 10
			}
			rng := rand.New(rand.NewPCG(uint64(n), uint64(100+len(f.name))))
			var r rates
			at := t0
			d.Heartbeat(at)
			for range trials {
				for range n { // none of the gaps of the last trial is left
					at = at.Add(seconds(f.gap(rng)))
					d.Heartbeat(at)
				}
				at = at.Add(seconds(f.gap(rng)))
				r.add(d.Suspicion(at))
				d.Heartbeat(at)
			}
			t.Logf("%-20s n=%-4d %s", f.name, n, &r)
			for i, level := range calibrationLevels {
				assert.Less(t, math.Abs(r.apart(i)), float64(tooFar), "%s after %d gaps at φ = %v", f.name, n, level)
			}
		}
	}
}

// TestPredictiveFirstHeartbeats: without enough gaps for the law the prior stands
// in, so that φ exists and is no more than with those gaps at the prior.
func TestPredictiveFirstHeartbeats(t *testing.T) {
	for _, f := range ownFamilies {
		for _, weight := range []float64{1e-100, 0.5, 1, 2} {
			s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: f.predictive, PriorWeight: weight, MinStdDev: time.Microsecond}))
			for n := range 3 {
				d := s.d.(*liveness.Phi)
				stats := d.Stats()
				fewest := 2.0
				if f.predictive == (liveness.Lomax{}) {
					fewest = 1
				}
				assert.GreaterOrEqual(t, stats.Weight, fewest, "%T with weight %v after %d gaps", f.predictive, weight, n)
				assert.Positive(t, s.after(1.5))
				assert.Less(t, s.after(2), 2.0, "%T with weight %v after %d gaps", f.predictive, weight, n)
				assert.Less(t, s.after(2), s.after(2000))
				s.gaps(1, 1+float64(n)/5)
			}
		}
	}
}

// TestPredictiveDefaults: a process that was regular is given three lost heartbeats.
func TestPredictiveDefaults(t *testing.T) {
	for _, family := range []liveness.Distribution{
		liveness.Logistic{}, liveness.StudentT{}, liveness.LogStudentT{}, liveness.ShiftedExponential{},
	} {
		wait := begin(t, newPhi(t, liveness.PhiConfig{Distribution: family})).gaps(1500, 1).detection(8)
		t.Logf("%T: %.2f intervals", family, wait)
		assert.True(t, wait > 4.05 && wait < 4.4, "%T waits %v intervals", family, wait)
	}
}

// TestPredictiveDependsOnTheWindowAlone: what passed before leaves no trace in the
// logarithms and the least, and the detector's are those of a window.
func TestPredictiveDependsOnTheWindowAlone(t *testing.T) {
	for _, family := range []liveness.Distribution{liveness.LogStudentT{}, liveness.ShiftedExponential{}} {
		for _, size := range []int{3, 4, 7, 50} {
			d := newPhi(t, liveness.PhiConfig{Distribution: family, WindowSize: size, MinStdDev: time.Microsecond, PriorWeight: 1e-100})
			s, w := begin(t, d), newWindow(t, size)
			rng := rand.New(rand.NewPCG(5, uint64(size)))
			for range 3000 {
				gap := time.Second + time.Duration(rng.Int64N(1e6)) // no outages
				s.gaps(1, gap.Seconds())
				w.Add(gap)
				if w.Len() < 3 {
					continue // the prior stands in, or the floor
				}
				got, want := d.Stats(), w.Stats()
				if family == (liveness.LogStudentT{}) {
					require.Equal(t, want.LogMean, got.LogMean)
					require.Equal(t, want.LogStdDev, got.LogStdDev)
				} else {
					require.Equal(t, want.Least, got.Least)
				}
			}
			require.Equal(t, size, d.Stats().Count)
		}
	}
}

// TestPredictiveNeverFalls walks neighbouring float64.
func TestPredictiveNeverFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	trials := 100_000
	if testing.Short() || raceEnabled {
		trials /= 10
	}
	for range trials {
		n := math.Pow(10, 6*rng.Float64()) + 1
		spread := math.Pow(10, 4*rng.Float64()-3)
		for _, law := range []liveness.Distribution{
			liveness.StudentT{Mean: 1, Scale: spread, DF: n},
			liveness.LogStudentT{Mu: 40*rng.Float64() - 20, Sigma: spread, DF: n},
			liveness.Lomax{Shape: n, Scale: spread},
			liveness.ShiftedExponential{Least: 1, Excess: spread, Count: n},
		} {
			x := law.Quantile(math.Pow(10, 8*rng.Float64()-5))
			if rng.IntN(3) == 0 {
				x = law.Quantile(-math.Log10(1 - 1/(n+1))) // the seam at Least
			}
			if math.IsInf(x, 0) {
				continue
			}
			for range 8 {
				x = math.Nextafter(x, math.Inf(-1))
			}
			level := law.Phi(x)
			for range 16 {
				x = math.Nextafter(x, math.Inf(1))
				next := law.Phi(x)
				if next < level {
					t.Fatalf("%T%+v falls from %v to %v at %v", law, law, level, next, x)
				}
				level = next
			}
		}
	}
}

func FuzzPredictive(f *testing.F) {
	f.Add(uint8(0), 1.0, 0.1, 3.0, 1.5, 8.0)
	f.Add(uint8(1), -5.0, 1e9, 1.0, 1e-300, 1e-300)
	f.Add(uint8(2), 1e300, -1.0, 7.5, 1e308, 1e12)
	f.Add(uint8(3), 0.9, 0.1, 2.0, 0.899, 0.1)
	f.Add(uint8(4), 0.9, 0.1, 2.0, 0.899, 0.1)
	f.Fuzz(func(t *testing.T, kind uint8, a, b, c, x, phi float64) {
		kind %= 5
		law := []liveness.Distribution{
			liveness.StudentT{Mean: a, Scale: b, DF: c}, liveness.LogStudentT{Mu: a, Sigma: b, DF: c}, liveness.Lomax{Shape: c, Scale: b},
			liveness.ShiftedExponential{Least: a, Excess: b, Count: c}, liveness.Logistic{Mean: a, StdDev: b},
		}[kind]
		level := law.Phi(x)
		if !(level >= 0 && level <= math.MaxFloat64) || math.Signbit(level) {
			t.Fatalf("%T%+v: Phi(%v) = %v", law, law, x, level)
		}
		if next := math.Nextafter(x, math.Inf(1)); law.Phi(next) < level {
			t.Fatalf("%T%+v: Phi falls from %v at %v to %v at the next float64", law, law, level, x, law.Phi(next))
		}
		if !(math.Abs(a) < 1e100 && b > 1e-100 && b < 1e100 && c >= 1 && c < 1e9 && phi >= 1e-300 && phi <= 1e9) {
			return
		}
		q := law.Quantile(phi)
		if math.IsNaN(q) {
			t.Fatalf("%T%+v: Quantile(%v) = %v", law, law, phi, q)
		}
		if math.IsInf(q, 0) || math.Abs(q) > 1e300 || math.Abs(q) < 1e-300 {
			return
		}
		// t is rounded, too, and where φ grows slowly φ's own rounding counts.
		scale := (math.Abs(q) + math.Abs(a) + b) * max(1, phi/c, -math.Log(phi))
		if kind == 1 {
			scale = q * (1 + math.Abs(math.Log(q)) + math.Abs(a) + b) * max(1, phi/c, -math.Log(phi))
		}
		if slack := 2e-12 * scale; law.Phi(q-slack) > phi || law.Phi(q+slack) < phi {
			t.Fatalf("%T%+v: Quantile(%v) = %v, where Phi is %v to %v within %v", law, law, phi, q, law.Phi(q-slack), law.Phi(q+slack), slack)
		}
	})
}
