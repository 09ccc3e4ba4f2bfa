package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// A run of failures that the cap suppresses counts once, however often Advance is called.
func TestEnvoyRunCountsOnce(t *testing.T) {
	s := begin(t, gray.Config{Envoy: &gray.Envoy{MaxPercent: 1}}, 10)
	s.tick()
	s.send(3, 5, gray.Error, ms)
	for range 9 {
		s.after(time.Second)
	}
	assert.EqualValues(t, 1, s.Counters().Suppressed[gray.CapReached])
}
