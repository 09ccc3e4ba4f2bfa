package qos

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestParetoTail(t *testing.T) {
	tail := paretoTail{share: 0.1, threshold: 120, scale: 5, shape: 0.3}
	for x, phi := range map[float64]float64{120: 1.0, 130: 1.6804, 200: 3.54476, 500: 5.58859} {
		// The level is given to five digits, which is 1e-5 ln 10 (scale + shape (x − threshold)) here.
		assert.InDelta(t, x, tail.quantile(math.Pow(10, -phi)), 1e-4*math.Ln10*(5+0.3*(x-120)))
	}
	straight := paretoTail{share: 0.1, threshold: 120, scale: 5}
	assert.InEpsilon(t, 120+5*2*math.Ln10, straight.quantile(1e-3), 1e-14)
}

// A fit to the quantiles of a law finds the law.
func TestFitTail(t *testing.T) {
	for _, shape := range []float64{1e-9, 0.1, 0.3, 0.5} {
		const n, exceed = 200000, 100000
		sorted := make([]float64, n)
		for i := exceed; i < n; i++ {
			p := (float64(n-i) - 0.5) / exceed
			sorted[i] = 120 + 5*math.Expm1(-shape*math.Log(p))/shape
		}
		sorted[exceed-1] = 120
		got := fitTail(sorted, exceed)
		assert.InDelta(t, shape, got.shape, 0.005)
		assert.InEpsilon(t, 5, got.scale, 0.01)
		assert.Equal(t, 0.5, got.share)
		assert.Equal(t, 120.0, got.threshold)
	}
	// Too light, all alike, too heavy: the shape stays within its bounds.
	uniform := make([]float64, 1000)
	heavy := make([]float64, 1000)
	for i := range uniform {
		uniform[i] = float64(i)
		heavy[i] = math.Exp(float64(i))
	}
	assert.Zero(t, fitTail(uniform, 100).shape)
	assert.Equal(t, paretoTail{share: 0.1}, fitTail(make([]float64, 1000), 100))
	assert.Equal(t, 0.9, fitTail(heavy[:700], 70).shape)
}
