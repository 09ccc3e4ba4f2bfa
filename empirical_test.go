package liveness_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/livenesstest"
)

func TestEmpiricalAlone(t *testing.T) {
	require.NoError(t, livenesstest.TestDistribution(liveness.Empirical{}))
	var l liveness.Empirical
	assert.Zero(t, l.Phi(math.Inf(1)))
	assert.Zero(t, l.Quantile(0))
	assert.True(t, math.IsInf(l.Quantile(1), 1))
	assert.True(t, math.IsNaN(l.Quantile(math.NaN())))
}

// φ keeps its promise whatever the law of the gaps, near the price of one who
// knows it: 40 000 gaps, of which 1000 are not judged. The bounds are four
// standard deviations of chance.
func TestEmpiricalKeepsItsPromise(t *testing.T) {
	const n, warmup = 40_000, 1000
	for _, c := range []struct {
		name string
		draw func(r *rand.Rand) float64
	}{
		{"exponential", func(r *rand.Rand) float64 { return r.ExpFloat64() }},
		{"gaussian", func(r *rand.Rand) float64 { return 1 + 0.1*r.NormFloat64() }},
		{"lognormal", func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) }},
		{"loss of one in twenty", func(r *rand.Rand) float64 { return 1 + math.Floor(1.05*r.Float64()) + 0.02*r.ExpFloat64() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 8))
			d := newPhi(t, liveness.PhiConfig{MinStdDev: time.Microsecond})
			at := t0
			d.Heartbeat(at)
			var late [3]float64
			for i := range n {
				next := at.Add(max(seconds(c.draw(rng)), 1))
				if i >= warmup {
					for k := range late {
						if next.After(d.Deadline(float64(k + 1))) {
							late[k]++
						}
					}
				}
				at = next
				d.Heartbeat(at)
			}
			for k, got := range late {
				want := (n - warmup) * math.Pow(10, -float64(k+1))
				assert.InDelta(t, want, got, 4*math.Sqrt(want), "φ = %d", k+1)
			}
		})
	}
}

// After regular heartbeats the default law is no faster to convict than the
// Gaussian with its floor, and not much slower.
func TestEmpiricalOfRegularHeartbeats(t *testing.T) {
	for _, c := range []struct {
		gaps        int
		atLeast, to float64 // seconds to φ = 8
	}{
		{1, 3, 4.2}, {199, 4, 4.2}, {200, 4, 7}, {1000, 4, 5.5}, {30_000, 4, 5.5},
	} {
		s := begin(t, newPhi(t, liveness.PhiConfig{})).gaps(c.gaps, 1)
		wait := s.detection(8)
		assert.True(t, c.atLeast <= wait && wait <= c.to, "φ = 8 after %v s and %d gaps of 1 s", wait, c.gaps)
		assert.Less(t, s.after(1.001), 0.35, "a millisecond is within the floor")
		assert.Less(t, s.after(3), 8.0)
	}
}

// Below the evidence only jitter within MinStdDev is forgiven; beyond it nothing
// is known, and MinRelStdDev decides.
func TestEmpiricalFloors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	history := func(cfg liveness.PhiConfig) *script {
		s := begin(t, newPhi(t, cfg))
		for range 2000 {
			s.gaps(1, 1+0.1*rng.Float64())
		}
		return s
	}
	bare := history(liveness.PhiConfig{MinStdDev: time.Microsecond})
	usual := history(liveness.PhiConfig{})
	slow := history(liveness.PhiConfig{MinStdDev: time.Second})
	evidence := usual.d.(*liveness.Phi).Evidence()
	assert.InDelta(t, 2.5, evidence, 0.5)
	assert.InEpsilon(t, 1.1, bare.detection(evidence-0.2), 0.02)
	assert.InEpsilon(t, 1.1, usual.detection(evidence-0.2), 0.02)
	assert.InEpsilon(t, 1.05+0.55*1.05*5.612, usual.detection(8), 0.3)
	assert.InEpsilon(t, 1.05+5.612, slow.detection(8), 0.02)
	assert.InEpsilon(t, 1.05+1.2816, slow.detection(1), 0.02)
}

func TestEvidence(t *testing.T) {
	d := newPhi(t, liveness.PhiConfig{})
	assert.Zero(t, d.Evidence())
	s := begin(t, d).gaps(99, 1)
	assert.InEpsilon(t, 2, d.Evidence(), 1e-12, "of the Gaussian that it begins with")
	rng := rand.New(rand.NewPCG(1, 1))
	for range 901 {
		s.gaps(1, rng.ExpFloat64())
	}
	assert.InDelta(t, 2, d.Evidence(), 0.5)
	for range 30_000 {
		s.gaps(1, rng.ExpFloat64())
	}
	assert.InDelta(t, 3.4, d.Evidence(), 0.5)

	g := newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
	begin(t, g).gaps(5000, 1)
	assert.InEpsilon(t, math.Log10(1001), g.Evidence(), 1e-12)
}

// A window that is too small for the law leaves the Gaussian.
func TestEmpiricalOfASmallWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	small := begin(t, newPhi(t, liveness.PhiConfig{WindowSize: 199}))
	same := begin(t, newPhi(t, liveness.PhiConfig{WindowSize: 199, Distribution: liveness.Gaussian{}}))
	for range 1000 {
		gap := rng.ExpFloat64()
		small.gaps(1, gap)
		same.gaps(1, gap)
		require.Equal(t, same.after(3), small.after(3))
	}
}

// Two outages that are not learnt must leave the tail as it was; pauses that
// recur become usual.
func TestEmpiricalOutages(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := begin(t, newPhi(t, liveness.PhiConfig{}))
	usual := func(n int) *script {
		for range n {
			s.gaps(1, 1+0.1*rng.Float64())
		}
		return s
	}
	before := usual(3000).detection(8)
	s.gaps(1, 600)
	assert.Less(t, usual(10).detection(8), 1.25*before, "one outage")
	for range 40 {
		usual(100).gaps(1, 30)
	}
	assert.False(t, usual(100).suspected(30), "one gap in a hundred is 30 s long")
	assert.Greater(t, s.after(30), 1.5)
}
