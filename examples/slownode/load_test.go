package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The rate does not depend on how long searches take.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoad(t.Context(), 100*time.Millisecond, func(context.Context) (time.Duration, error) {
			time.Sleep(time.Second)
			return time.Second, nil
		})
		time.Sleep(950 * time.Millisecond)
		samples, err := l.end()
		require.NoError(t, err)
		assert.Len(t, samples, 10, "those under way are waited for")
		assert.Equal(t, 900*time.Millisecond, samples[9].began.Sub(samples[0].began))
		assert.Zero(t, l.skipped)
	})
}

func TestLoadThatIsTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoad(t.Context(), time.Millisecond, func(context.Context) (time.Duration, error) {
			time.Sleep(time.Second)
			return 0, errors.New("no")
		})
		time.Sleep(99*time.Millisecond + time.Microsecond)
		samples, err := l.end()
		assert.EqualError(t, err, "no")
		assert.Empty(t, samples)
		assert.Equal(t, 100-maxInFlight, l.skipped)
	})
}
