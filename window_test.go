package liveness_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

func newWindow(t testing.TB, capacity int) *liveness.Window {
	t.Helper()
	return made(t, liveness.NewWindow, capacity)
}

// bigMoments recomputes the statistics of the samples present with math/big, rounded once at the end.
func bigMoments(w *liveness.Window) (mean, variance float64) {
	sum, squares := new(big.Int), new(big.Int)
	for d := range w.All() {
		x := big.NewInt(int64(d))
		sum.Add(sum, x)
		squares.Add(squares, x.Mul(x, x))
	}
	n := big.NewInt(int64(w.Len()))
	unit := new(big.Int).Mul(n, big.NewInt(1e9))
	mean, _ = new(big.Rat).SetFrac(sum, unit).Float64()
	spread := new(big.Int).Mul(n, squares)
	spread.Sub(spread, sum.Mul(sum, sum))
	variance, _ = new(big.Rat).SetFrac(spread, unit.Mul(unit, unit)).Float64()
	return mean, variance
}

// TestWindowIsExactForEver passes a long history of gaps from nanoseconds to
// days, with gaps of years in between, through windows, and finds nothing of it
// in the statistics of what is left.
func TestWindowIsExactForEver(t *testing.T) {
	total := 100_000_000
	if testing.Short() || raceEnabled {
		total = 1_000_000
	}
	rng := rand.New(rand.NewPCG(1, 2))
	windows := make([]*liveness.Window, 0, 3)
	for _, capacity := range []int{1, 100, 1000} {
		windows = append(windows, newWindow(t, capacity))
	}
	const year = 365 * 24 * time.Hour
	for i := range total {
		r := rng.Uint64()
		gap := time.Duration(r >> (17 + r%47)) // up to 1.6 days
		if i%1_000_003 == 0 {
			gap = year * time.Duration(1+r%200)
		}
		for _, w := range windows {
			w.Add(gap)
		}
		if i%(total/100) == 0 {
			for _, w := range windows {
				mean, variance := bigMoments(w)
				require.Equal(t, mean, w.Mean(), "after %d gaps, window %d", i, w.Cap())
				require.Equal(t, variance, w.Variance(), "after %d gaps, window %d", i, w.Cap())
			}
		}
	}
	for _, w := range windows {
		mean, variance := bigMoments(w)
		assert.Equal(t, mean, w.Mean())
		assert.Equal(t, variance, w.Variance())
		assert.Equal(t, math.Sqrt(variance), w.StdDev())
	}
}

func TestWindowHoldsTheLatest(t *testing.T) {
	w := newWindow(t, 3)
	assert.Zero(t, w.Len())
	assert.Equal(t, 3, w.Cap())
	assert.Zero(t, w.Mean())
	assert.Zero(t, w.Variance())
	assert.Empty(t, slices.Collect(w.All()))
	for i, want := range [][]time.Duration{{1}, {1, 2}, {1, 2, 3}, {2, 3, 4}, {3, 4, 5}, {4, 5, 6}, {5, 6, 7}} {
		w.Add(time.Duration(i + 1))
		assert.Equal(t, want, slices.Collect(w.All()))
		assert.Equal(t, len(want), w.Len())
	}
	for d := range w.All() {
		assert.EqualValues(t, 5, d)
		break
	}
	w.Reset()
	assert.Zero(t, w.Len())
	assert.Equal(t, 3, w.Cap())
	w.Add(10)
	assert.Equal(t, 10e-9, w.Mean())
}

func TestWindowKeepsAnyDuration(t *testing.T) {
	w := newWindow(t, 4)
	extremes := []time.Duration{math.MinInt64, math.MaxInt64, -1, 0, 1, math.MinInt64, math.MinInt64, math.MinInt64, math.MinInt64, 7, 7, 7, 7}
	for _, d := range extremes {
		w.Add(d)
		mean, variance := bigMoments(w)
		assert.Equal(t, mean, w.Mean())
		assert.Equal(t, variance, w.Variance())
	}
	assert.Zero(t, w.Variance())
}

func FuzzWindow(f *testing.F) {
	f.Add(uint8(3), int64(1), int64(-1), int64(math.MaxInt64), uint8(20))
	f.Add(uint8(0), int64(1e9), int64(1e9), int64(math.MinInt64), uint8(1))
	f.Fuzz(func(t *testing.T, capacity uint8, a, b, c int64, n uint8) {
		w := newWindow(t, int(capacity)+1)
		for i := range int(n) {
			w.Add(time.Duration([]int64{a, b, c, a ^ int64(i), b - c}[i%5]))
		}
		if w.Len() == 0 {
			return
		}
		mean, variance := bigMoments(w)
		require.Equal(t, mean, w.Mean())
		require.Equal(t, variance, w.Variance())
	})
}

func TestWindowStats(t *testing.T) {
	w := newWindow(t, 10)
	assert.Equal(t, liveness.Stats{}, w.Stats())
	rng := rand.New(rand.NewPCG(8, 8))
	for range 100 {
		w.Add(time.Duration(rng.Int64() >> rng.IntN(60)))
		var sum, squares float64
		least := math.Inf(1)
		for d := range w.All() {
			sum += math.Log(d.Seconds())
			least = min(least, d.Seconds())
		}
		n := float64(w.Len())
		for d := range w.All() {
			apart := math.Log(d.Seconds()) - sum/n
			squares += apart * apart
		}
		s := w.Stats()
		assert.InDelta(t, sum/n, s.LogMean, 1e-12)
		assert.InDelta(t, math.Sqrt(squares/n), s.LogStdDev, 1e-12)
		assert.Equal(t, least, s.Least)
		assert.Equal(t, n, s.Weight)
		assert.Equal(t, w.Len(), s.Count)
	}
	w.Add(-time.Hour)
	assert.Equal(t, -3600.0, w.Stats().Least)
	w.Reset()
	w.Add(0)
	w.Add(1)
	assert.InDelta(t, math.Log(1e-9), w.Stats().LogMean, 1e-12)
}
