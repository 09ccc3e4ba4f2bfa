package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestStalls(t *testing.T) {
	var w stalls
	w.woke(epoch, epoch.Add(stalledFrom-1))
	assert.Empty(t, w.seen)
	w.woke(epoch, epoch.Add(stalledFrom))
	for began, want := range map[time.Duration]bool{-20 * time.Millisecond: false, -5 * time.Millisecond: true, stalledFrom - 1: true, stalledFrom: false} {
		assert.Equal(t, want, w.overlap(sample{began: epoch.Add(began), took: 10 * time.Millisecond}), began)
	}
}
