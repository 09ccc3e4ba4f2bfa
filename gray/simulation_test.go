package gray_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness/gray"
)

const (
	day  = 8640 // intervals of 10 s
	week = 7 * day
)

// spell returns how many intervals to simulate.
func spell(whole, short int) int {
	switch {
	case raceEnabled:
		return short / 5
	case testing.Short():
		return short
	}
	return whole
}

// A lognormal is a law of latencies with a median of 20 ms, as its quantiles at
// 65536 even places: drawing one of them at random is all a draw takes.
type lognormal [1 << 16]time.Duration

func newLognormal(sigma float64) *lognormal {
	l := new(lognormal)
	for i := range l {
		z := distuv.UnitNormal.Quantile((float64(i) + 0.5) / float64(len(l)))
		l[i] = time.Duration(20e6 * math.Exp(sigma*z))
	}
	return l
}

// draw returns four latencies.
func (l *lognormal) draw(rng *rand.PCG) (a, b, c, d time.Duration) {
	x := rng.Uint64()
	return l[x&0xffff], l[x>>16&0xffff], l[x>>32&0xffff], l[x>>48]
}

// healthy runs ten equal servers over some intervals with n requests each, and
// tells each what was decided.
func healthy(t testing.TB, cfg gray.Config, sigma float64, n, intervals int, seed uint64, each func(gray.Decision)) {
	s := begin(t, cfg, 10)
	l, rng := newLognormal(sigma), rand.NewPCG(seed, uint64(n))
	servers := names(10)
	for range intervals {
		for _, server := range servers {
			if s.State(server) == gray.Ejected {
				continue
			}
			for range n / 4 {
				a, b, c, d := l.draw(rng)
				s.Record("c", server, gray.OK, a)
				s.Record("c", server, gray.OK, b)
				s.Record("c", server, gray.OK, c)
				s.Record("c", server, gray.OK, d)
			}
			for range n % 4 {
				a, _, _, _ := l.draw(rng)
				s.Record("c", server, gray.OK, a)
			}
		}
		each(s.tick())
	}
}

// On ten equal servers with a heavy tail, the defaults eject at most one in a
// week: with few requests, where the median judges, and with the least at which
// the p99 does. More requests only make it quieter.
func TestFalseEjectionsInAWeek(t *testing.T) {
	intervals := spell(week, day/8)
	for _, n := range []int{52, 500} {
		t.Run(fmt.Sprintf("requests=%d", n), func(t *testing.T) {
			t.Parallel()
			ejections, flags := 0, 0
			healthy(t, gray.Config{}, 1.5, n, intervals, 1, func(d gray.Decision) {
				ejections += len(d.Ejections())
				for _, j := range d.Servers {
					if j.Verdict == gray.Suppressed || j.Verdict == gray.Eject {
						flags++
					}
				}
				assert.False(t, d.Group.Degraded)
				assert.False(t, d.Guard.Page)
			})
			assert.LessOrEqual(t, ejections, 1)
			t.Logf("%d intervals of %d requests to each of 10 servers, lognormal with σ = 1.5: %d found in single intervals, %d ejected", intervals, n, flags, ejections)
		})
	}
}

// How often anybody of ten equal servers is above the ratio in an interval, as
// measured elsewhere with exact quantiles.
func TestFalseAlarmsAnInterval(t *testing.T) {
	sizes := []int{20, 50, 100, 200, 500, 1000}
	intervals := spell(1000, 100)
	for _, row := range []struct {
		sigma, ratio float64
		want         [6]float64
	}{
		{0.5, 3, [6]float64{.006, .005, 0, 0, 0, 0}},
		{1.0, 3, [6]float64{.345, .248, .024, .003, 0, 0}},
		{1.5, 3, [6]float64{.721, .608, .207, .043, .003, 0}},
		{1.0, 2, [6]float64{.760, .668, .245, .087, .0005, 0}},
		{1.5, 2, [6]float64{.939, .880, .635, .393, .065, .005}},
	} {
		t.Run(fmt.Sprintf("sigma=%v/ratio=%v", row.sigma, row.ratio), func(t *testing.T) {
			t.Parallel()
			var got [6]float64
			for i, n := range sizes {
				cfg := gray.Config{Ratio: row.ratio, TailRequests: 1, MinRequests: 1 << 20, LatencyGap: -1, Shadow: true}
				healthy(t, cfg, row.sigma, n, intervals, 2, func(d gray.Decision) {
					any := false
					for _, j := range d.Servers {
						any = any || j.Tests[0].Outlier
					}
					if any {
						got[i] += 1 / float64(intervals)
					}
				})
				// Below 100 requests what is called p99 is a matter of taste.
				slack := 0.03 + 4*math.Sqrt((row.want[i]+0.001)/float64(intervals))
				if n >= 200 {
					assert.InDelta(t, row.want[i], got[i], slack, "%d requests", n)
				}
			}
			t.Logf("requests %v: %.4f, elsewhere %v", sizes, got, row.want)
		})
	}
}

// The rules of others, for latencies: how many are above mean + f·σ, and above
// the modified z-score of Iglewicz and Hoaglin, 3.5.
func aboveMean(values []float64, f float64) int {
	mean, sigma := stat.PopMeanStdDev(values, nil)
	n := 0
	for _, v := range values {
		if v > mean+f*sigma {
			n++
		}
	}
	return n
}

func aboveMAD(values []float64) int {
	mid := medianOf(values)
	away := make([]float64, len(values))
	for i, v := range values {
		away[i] = math.Abs(v - mid)
	}
	mad := 1.4826 * medianOf(away)
	n := 0
	for _, v := range values {
		if v > mid+3.5*mad {
			n++
		}
	}
	return n
}

func medianOf(values []float64) float64 {
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func outliers(values []float64) int {
	c, err := gray.Relative{Gap: 0.01}.Compare(values)
	if err != nil {
		panic(err)
	}
	n := 0
	for _, x := range c {
		if x.Outlier {
			n++
		}
	}
	return n
}

// How many of ten servers are found when k of them are ten times slower.
func TestMasking(t *testing.T) {
	want := map[string][11]int{
		"mean + 1.9 σ": {0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 1},
		"mean + 3 σ":   {},
		"MAD 3.5":      {0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 2},
		"this package": {0, 1, 2, 3, 4, 5, 0, 0, 0, 0, 0},
	}
	got := map[string][11]int{}
	for k := range 11 {
		rng := rand.New(rand.NewPCG(7, uint64(k)))
		values := make([]float64, 10)
		for i := range values {
			values[i] = 0.02 * (1 + 0.02*rng.NormFloat64())
			if i < k {
				values[i] *= 10
			}
		}
		set := func(rule string, n int) {
			row := got[rule]
			row[k] = n
			got[rule] = row
		}
		set("mean + 1.9 σ", aboveMean(values, 1.9))
		set("mean + 3 σ", aboveMean(values, 3))
		set("MAD 3.5", aboveMAD(values))
		set("this package", outliers(values))
	}
	for rule, row := range want {
		t.Logf("%-14s %v", rule, got[rule])
		for k := 1; k < 10; k++ { // with none or all slow, what the others find is chance
			assert.Equal(t, row[k], got[rule][k], "%s, %d slow", rule, k)
		}
	}
	assert.Equal(t, want["this package"], got["this package"])

	// As a group, from requests: up to two are ejected, from three on the guard
	// is open, and from six on only the absolute alert is left.
	for k := range 11 {
		s := begin(t, gray.Config{Limit: 100 * ms}, 10)
		ejected, page, degraded := 0, false, false
		slow := make([]int, k)
		for i := range slow {
			slow[i] = i
		}
		for range 5 {
			d := s.slowRound(500, slow...)
			ejected += len(d.Ejections())
			page = page || d.Guard.Page
			degraded = degraded || d.Group.Degraded
		}
		assert.Equal(t, map[bool]int{true: k}[k <= 2], ejected, "%d slow", k)
		assert.Equal(t, 3 <= k && k <= 5, page, "%d slow", k)
		assert.Equal(t, k >= 5, degraded, "%d slow", k) // with five the median lies between
	}
}

// False alarms a day on ten equal servers, by rule: what the same p99s would
// have flagged.
func TestFalseAlarmsADay(t *testing.T) {
	intervals := spell(day, day/24)
	alarms := map[string]int{}
	ejections := 0
	healthy(t, gray.Config{}, 1.5, 500, intervals, 3, func(d gray.Decision) {
		var tails []float64
		for _, j := range d.Servers {
			tails = append(tails, j.Figures.P99.Seconds())
			ejections += len(d.Ejections())
		}
		alarms["mean + 1.9 σ"] += aboveMean(tails, 1.9)
		alarms["MAD 3.5"] += aboveMAD(tails)
		alarms["ratio and gap"] += outliers(tails)
	})
	// And the success rate: one failure in a hundred at all, Envoy's test and ours.
	rateIntervals := max(intervals/8, 40)
	rate := func(cfg gray.Config) float64 {
		cfg.Shadow = true
		s := begin(t, cfg, 10)
		rng := rand.New(rand.NewPCG(4, 4))
		failures := distuv.Binomial{N: 500, P: 0.01, Src: rng}
		for range rateIntervals {
			for i := range 10 {
				bad := int(failures.Rand())
				s.send(i, bad, gray.Error, ms)
				s.send(i, 500-bad, gray.OK, ms)
			}
			s.tick()
		}
		return float64(s.Counters().Suppressed[gray.Shadowed]) * day / float64(rateIntervals)
	}
	envoy := rate(gray.Config{Envoy: &gray.Envoy{Failures: -1, MaxPercent: 100}})
	ours := rate(gray.Config{})
	scale := day / float64(intervals)
	for rule, n := range alarms {
		t.Logf("p99 of 500 requests, σ = 1.5: %-14s %7.1f a day", rule, float64(n)*scale)
	}
	t.Logf("success rate 99 %% of 500: mean − 1.9 σ %.1f a day, this package %.1f", envoy, ours)
	t.Logf("p99, ratio and gap in 3 of 5 intervals: %d ejections in %d intervals", ejections, intervals)
	assert.Zero(t, ejections)
	assert.Zero(t, ours)
	assert.Greater(t, envoy, 1000.0)
	assert.Greater(t, alarms["mean + 1.9 σ"], 20*max(alarms["ratio and gap"], 1))
	assert.Greater(t, alarms["MAD 3.5"], 10*max(alarms["ratio and gap"], 1))
}

// How many intervals it takes until a server is ejected that is so many times
// slower than nine others, with the defaults. What is below the ratio mostly stays.
func TestDetection(t *testing.T) {
	const most = 100
	runs := spell(20, 3)
	l := newLognormal(1.5)
	for _, n := range []int{52, 500} {
		for _, factor := range []time.Duration{1, 2, 3, 4, 5, 10, 100} {
			found, sum := 0, 0
			for seed := range max(runs, 1) {
				s := begin(t, gray.Config{}, 10)
				rng := rand.NewPCG(uint64(seed), uint64(factor))
				for k := 1; k <= most && s.State(name(3)) == gray.Active; k++ {
					for i := range 10 {
						server, times := name(i), time.Duration(1)
						if i == 3 {
							times = factor
						}
						for range n / 4 {
							a, b, c, d := l.draw(rng)
							for _, latency := range []time.Duration{a, b, c, d} {
								s.Record("c", server, gray.OK, times*latency)
							}
						}
					}
					if len(s.tick().Ejections()) > 0 {
						found++
						sum += k
					}
				}
			}
			t.Logf("%3d requests, %3d times slower: %d of %d ejected within %d intervals, in %.1f on average", n, factor, found, max(runs, 1), most, float64(sum)/float64(max(found, 1)))
			switch {
			case factor == 1:
				assert.Zero(t, found)
			case factor >= 10:
				assert.Equal(t, max(runs, 1), found)
				assert.InDelta(t, 3, float64(sum)/float64(found), 0.5)
			}
		}
	}
}
