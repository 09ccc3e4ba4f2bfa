package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUniform(t *testing.T) {
	law := uniform{20 * time.Millisecond, 120 * time.Millisecond}
	assert.Equal(t, 1.0, law.exceeds(0))
	assert.Equal(t, 1.0, law.exceeds(20*time.Millisecond))
	assert.Equal(t, 0.5, law.exceeds(70*time.Millisecond))
	assert.Equal(t, 1e-8, law.exceeds(120*time.Millisecond-1), "one nanosecond too short")
	assert.Zero(t, law.exceeds(120*time.Millisecond))
	assert.Zero(t, law.exceeds(time.Hour))
}

func TestBound(t *testing.T) {
	want := []boundedRow{
		{50 * time.Millisecond, 0.7},
		{100 * time.Millisecond, 0.2},
		{119 * time.Millisecond, 0.01},
		{120 * time.Millisecond, 0},
		{150 * time.Millisecond, 0},
		{300 * time.Millisecond, 0},
	}
	require.Equal(t, want, theStudy.bounded)
	for _, row := range theStudy.bounded {
		assert.Equal(t, row.timeout >= 120*time.Millisecond, row.safe(), "%v", row.timeout)
	}
}
