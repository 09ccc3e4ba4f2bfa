package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestSummarise(t *testing.T) {
	var samples []sample
	for i := range 100 {
		samples = append(samples, sample{began: epoch, took: time.Duration(i+1) * time.Millisecond})
	}
	samples = append(samples, sample{took: time.Hour, stalled: true})
	l := summarise(samples, 91*time.Millisecond)
	assert.Equal(t, latency{Searches: 100, P50: 0.05, P99: 0.099, Slow: 0.1, Stalled: 1}, l)
	assert.Equal(t, "p50   50 ms   p99   99 ms   slow  10 % of 100 searches (1 left out)", l.String())
	assert.Equal(t, latency{}, summarise(nil, time.Second))
}

func TestQuantile(t *testing.T) {
	assert.Zero(t, quantile(nil, 0.5))
	assert.Equal(t, 7*time.Second, quantile([]time.Duration{7 * time.Second}, 0.99))
	four := []time.Duration{1, 2, 3, 4}
	for q, want := range map[float64]time.Duration{0: 1, 0.25: 1, 0.5: 2, 0.51: 3, 0.99: 4, 1: 4} {
		assert.Equal(t, want, quantile(four, q), q)
	}
}

func TestFiguresInWords(t *testing.T) {
	assert.Equal(t, "16 ms", seconds(0.0163).String())
	assert.Equal(t, "1.25 s", seconds(1.25).String())
	assert.Equal(t, "0 %", percentage(0).String())
	assert.Equal(t, "0.5 %", percentage(0.005).String())
	assert.Equal(t, "67 %", percentage(0.667).String())
	assert.Zero(t, percent(1, 0))
}

func TestAfter(t *testing.T) {
	samples := []sample{{began: epoch}, {began: epoch.Add(1)}, {began: epoch.Add(2)}}
	assert.Len(t, after(samples, epoch), 3)
	assert.Len(t, after(samples, epoch.Add(1)), 2)
	assert.Empty(t, after(samples, epoch.Add(3)))
}
