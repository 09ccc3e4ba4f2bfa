package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestClock(t *testing.T) {
	c := newClock(judged)
	was := c.now()
	assert.Equal(t, judged, c.tick().Sub(was))
	assert.Equal(t, judged, c.now().Sub(was))
}
