package hedge_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/hedge"
	"example.com/liveness/qos"
)

func TestDelayIsTheQuantile(t *testing.T) {
	h := newHedger(t, hedge.Config{WindowSize: 200})
	var window []time.Duration
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 1000 {
		_, ok := h.Delay()
		assert.Equal(t, i >= 99, ok, "after %d latencies", i)
		latency := time.Duration(1e6 * math.Exp(rng.NormFloat64()))
		h.Start("a", t0).Answered("a", t0.Add(latency))
		window = append(window, latency)
		window = window[max(0, len(window)-200):]
		if i >= 98 {
			want, err := qos.HedgeDelay(window, 0.05)
			require.NoError(t, err)
			require.Equal(t, want.Timeout, delayOf(t, h))
		}
	}
}
