package main

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func TestFollowerTimeoutIsTheNearestRank(t *testing.T) {
	for _, c := range []struct{ window, samples, want int }{
		{100, 1, 1},
		{100, 50, 50},
		{100, 99, 99},
		{100, 100, 99},
		{200, 200, 198},
		{250, 250, 248},
	} {
		f := newFollower(c.window)
		for i := range c.samples {
			// 1 … samples out of order: 7919 is prime and divides none of them.
			f.window.Add(time.Duration(i*7919%c.samples + 1))
		}
		assert.Equal(t, time.Duration(c.want), f.timeout(), "%+v", c)
	}
}

func TestFollowerForgets(t *testing.T) {
	f := newFollower(100)
	for range 100 {
		f.window.Add(time.Hour)
	}
	for i := range 99 {
		f.window.Add(time.Second)
		if i < 98 {
			require.Equal(t, time.Hour, f.timeout(), "after %d", i+1)
		}
	}
	assert.Equal(t, time.Second, f.timeout(), "one old sample is left, and may exceed it")
}

func TestFollowRate(t *testing.T) {
	assert.Equal(t, 2./101, followRate(100))
	assert.Equal(t, 11./1001, followRate(1000))
	near(t, followRate(100), follows(usual, usual, 0, 100), "from the law")
	near(t, followRate(100), follows(usual, busy, 100, 100), "from the law")
}

// follows returns the probability that a new RTT exceeds the second largest of
// n in a window where young are of the law now and the others of the law before:
//
//	∫ P(at most one of the n is above x) dP(X ≤ x)
//
// which is 2/(n+1) if both are the same.
func follows(before, now liveness.LogNormal, young, n int) float64 {
	fresh, stale := float64(young), float64(n-young)
	return integrate(func(z, density float64) float64 {
		x := math.Exp(now.Mu + now.Sigma*z)
		p, q := rate(now.Phi(x)), rate(before.Phi(x))
		none := math.Pow(1-p, fresh) * math.Pow(1-q, stale)
		if none == 0 {
			return 0
		}
		return density * none * (1 + fresh*p/(1-p) + stale*q/(1-q))
	})
}

// secondLargest returns the mean of the second largest of n and its standard
// deviation, in seconds, from the density n(n−1) F^(n−2) (1−F) f.
func secondLargest(law liveness.LogNormal, n int) (mean, stdDev float64) {
	moment := func(power float64) float64 {
		return integrate(func(z, density float64) float64 {
			x := math.Exp(law.Mu + law.Sigma*z)
			p := rate(law.Phi(x))
			m := float64(n)
			return density * math.Pow(x, power) * m * (m - 1) * math.Pow(1-p, m-2) * p
		})
	}
	mean = moment(1)
	return mean, math.Sqrt(moment(2) - mean*mean)
}

// integrate sums f(z, density of the standard normal at z). The trapezoidal
// rule converges faster than any power of the step for such integrands.
func integrate(f func(z, density float64) float64) float64 {
	const step = 1. / 64
	var sum float64
	for z := -12.0; z <= 12; z += step {
		sum += f(z, math.Exp(-z*z/2)/math.Sqrt(2*math.Pi))
	}
	return sum * step
}

func TestShiftAgreesWithTheory(t *testing.T) {
	table := theStudy.shift
	require.Equal(t, 100, table.window)
	require.Len(t, table.phases, 3)
	for i, law := range []liveness.LogNormal{usual, busy, usual} {
		row := table.phases[i]
		n := float64(row.constant.beats)
		require.Equal(t, 10_000., n)

		// The constant: a binomial draw.
		p := rate(law.Phi(usual.Quantile(2)))
		near(t, [...]float64{0.01, 0.10977312166978775251, 0.01}[i], p, "theory")
		assert.InDelta(t, p, row.constant.rate(), 4*math.Sqrt(p*(1-p)/n), row.phase)
		assert.InDelta(t, usual.Quantile(2), row.constant.timeout, 1e-9, "to the nanosecond")

		// The follower: 2/101, and what the lag adds or takes in the first window.
		p = followRate(100)
		lag := 0.0
		if i > 0 {
			before := [...]liveness.LogNormal{usual, busy}[i-1]
			lag = expectedEarly(before, law, 100) - 100*p
		}
		assert.InDelta(t, p+lag/n, row.following.rate(), 4*math.Sqrt(p*(1-p)/n), row.phase)
		mean, stdDev := secondLargest(law, 100)
		// Timeouts a window apart are independent: the error is at most that of n/100 of them.
		assert.InDelta(t, mean, row.following.timeout, 4*stdDev/math.Sqrt(n/100), row.phase)
	}
}

// expectedEarly returns how many mistakes the follower makes in the mean in the
// first n heartbeats after a shift of the law.
func expectedEarly(before, now liveness.LogNormal, n int) float64 {
	var sum float64
	for young := range n {
		sum += follows(before, now, young, n)
	}
	return sum
}

func TestFollowerLagsByAWindow(t *testing.T) {
	const seeds, window = 150, 100
	var rise, fall float64
	for seed := range uint64(seeds) {
		table := shift(1000+seed, window, time.Second,
			phase{"calm", usual, 1}, phase{"busy", busy, window}, phase{"calm again", usual, window})
		rise += float64(table.phases[1].following.early)
		fall += float64(table.phases[2].following.early)
	}
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"after the rise", rise / seeds, expectedEarly(usual, busy, window)},
		{"after the fall", fall / seeds, expectedEarly(busy, usual, window)},
	} {
		t.Logf("%s: %.2f mistakes in %d, %.2f expected", c.what, c.got, window, c.want)
		// Mistakes this rare are nearly Poisson, with variance want.
		assert.InDelta(t, c.want, c.got, 4*math.Sqrt(c.want/seeds), c.what)
	}
	assert.Greater(t, expectedEarly(usual, busy, window), 2*window*followRate(window), "a rise is noticed late")
	assert.Less(t, expectedEarly(busy, usual, window), window*followRate(window), "a fall leaves it too long")
}

// What the note claims, for other seeds too.
func TestFollowingCostsWhatTheHindsightConstantCosts(t *testing.T) {
	for seed := range uint64(5) {
		table := shift(seed, 100, 512*time.Millisecond,
			phase{"calm", usual, 10_000}, phase{"busy", busy, 10_000}, phase{"calm again", usual, 10_000})
		all := table.all
		assert.Equal(t, all.following.mistakes, all.hindsight.mistakes, "seed %d", seed)
		assert.InDelta(t, 1, all.hindsight.timeout/all.following.timeout, 0.05, "seed %d", seed)
		assert.InDelta(t, followRate(100), table.phases[1].following.rate(), 0.006, "seed %d", seed)
		assert.Greater(t, table.phases[1].hindsight.rate(), 10*table.phases[0].hindsight.rate(), "seed %d", seed)
	}
}

func TestShiftAddsUp(t *testing.T) {
	table := theStudy.shift
	for name, pick := range map[string]func(shiftRow) outcome{
		"constant":  func(r shiftRow) outcome { return r.constant },
		"following": func(r shiftRow) outcome { return r.following },
		"hindsight": func(r shiftRow) outcome { return r.hindsight },
	} {
		var beats, mistakes int
		var wait float64
		for _, row := range table.phases {
			o := pick(row)
			beats += o.beats
			mistakes += o.mistakes
			wait += o.timeout * float64(o.beats)
			assert.LessOrEqual(t, o.early, min(o.mistakes, table.window), name)
		}
		all := pick(table.all)
		assert.Equal(t, beats, all.beats, name)
		assert.Equal(t, mistakes, all.mistakes, name)
		near(t, wait/float64(beats), all.timeout, name)
	}
}

func TestJudge(t *testing.T) {
	beats := []beat{{rtt: 3, following: 2}, {rtt: 2, following: 2}, {rtt: 1, following: 2}, {rtt: 9, following: 4}}
	got := judge(beats, 2, func(b beat) time.Duration { return b.following * time.Second / time.Nanosecond })
	assert.Equal(t, outcome{beats: 4, timeout: 2.5}, got)

	got = judge(beats, 2, fixed(2))
	assert.Equal(t, 2, got.mistakes, "a reply at the timeout itself is in time")
	assert.Equal(t, 1, got.early, "one of them in the first two")
	assert.Equal(t, 0.5, got.rate())
}

func TestExceededBy(t *testing.T) {
	beats := slices.Concat(follow(3, 100, []phase{{"calm", usual, 1000}})...)
	for _, n := range []int{0, 1, 20, 999} {
		timeout := exceededBy(beats, n)
		assert.Equal(t, n, judge(beats, 100, fixed(timeout)).mistakes)
		assert.Greater(t, judge(beats, 100, fixed(timeout-1)).mistakes, n, "it is the smallest")
	}
}

func TestSameSeedSameShift(t *testing.T) {
	play := func(seed uint64) shiftTable {
		return shift(seed, 100, time.Second, phase{"calm", usual, 200}, phase{"busy", busy, 200})
	}
	assert.Equal(t, play(1), play(1))
	assert.NotEqual(t, play(1), play(2))
}
