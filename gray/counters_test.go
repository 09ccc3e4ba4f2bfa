package gray_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// Every attempt that lost against a hedge is counted once, also around a return.
func TestMaskedAreCountedOnce(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	var sent uint64
	for range 60 {
		s.all(500, 20*ms, 3)
		l := 200 * ms
		if s.State(name(3)) != gray.Active {
			l = 20 * ms
			s.send(3, 50, gray.OK, l)
		} else {
			s.send(3, 500, gray.OK, l)
		}
		s.send(3, 7, gray.HedgedAway, l)
		sent += 7
		s.after(5 * time.Second)
		s.send(3, 7, gray.HedgedAway, l)
		sent += 7
		s.after(5 * time.Second)
	}
	for range 2 {
		s.after(10 * time.Second)
	}
	assert.Equal(t, sent, s.Counters().Masked)
}
