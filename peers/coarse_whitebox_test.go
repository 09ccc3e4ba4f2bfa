package peers

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCoarse(t *testing.T) {
	for _, ns := range []int64{math.MinInt64, -1, 0, 1, 1023} {
		assert.Zero(t, makeCoarse(ns).ns(), "%d", ns)
	}
	last := coarse(0)
	for ns := int64(1024); ns > 0; ns += ns/701 + 1 { // until it overflows
		c := makeCoarse(ns)
		assert.GreaterOrEqual(t, c, last, "%d", ns)
		assert.LessOrEqual(t, c.ns(), ns)
		assert.Less(t, ns-c.ns(), ns/1000, "%d", ns)
		last = c
	}
	assert.Equal(t, int64(math.MaxInt64-(1<<52-1)), makeCoarse(math.MaxInt64).ns())
}
