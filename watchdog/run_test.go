package watchdog_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/watchdog"
)

// running runs f beside a watchdog in a bubble whose time is made up.
func running(t *testing.T, f func(t *testing.T, d *dog, ended <-chan error, stop context.CancelCauseFunc)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		d := newDog(t, false)
		ended := make(chan error, 1)
		go func() { ended <- d.Run(ctx) }()
		f(t, d, ended, cancel)
	})
}

func TestRunNoticesSilence(t *testing.T) {
	running(t, func(t *testing.T, d *dog, ended <-chan error, _ context.CancelCauseFunc) {
		start := time.Now()
		time.Sleep(time.Hour) // nothing to watch
		slow, err := d.Add("slow", 10*time.Second, time.Now())
		require.NoError(t, err)
		time.Sleep(time.Second)
		fast, err := d.Add("fast", time.Second, time.Now()) // an earlier deadline than Run waits for
		require.NoError(t, err)
		for range 30 {
			time.Sleep(900 * time.Millisecond)
			require.True(t, fast.Kick(time.Now()))
			require.True(t, slow.Kick(time.Now()))
		}
		last := time.Now()
		var miss watchdog.Miss
		require.ErrorAs(t, <-ended, &miss)
		assert.Equal(t, time.Second, time.Since(last), "at the very deadline")
		assert.Equal(t, "fast", miss.Part)
		assert.Equal(t, time.Second, miss.Silence)
		assert.Equal(t, time.Hour+29*time.Second, miss.At.Sub(start))
		assert.Len(t, d.misses, 1)
		assert.False(t, slow.Kick(time.Now()))
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	running(t, func(t *testing.T, d *dog, ended <-chan error, stop context.CancelCauseFunc) {
		p, err := d.Add("part", time.Second, time.Now())
		require.NoError(t, err)
		cause := errors.New("enough")
		stop(cause)
		assert.Equal(t, cause, <-ended)
		time.Sleep(time.Hour)
		assert.Empty(t, d.misses, "nobody watches")
		assert.False(t, p.Kick(time.Now()), "but a late kick still notices")
		assert.Len(t, d.misses, 1)
	})
}

func TestRunEndsWithAMissThatAKickNoticed(t *testing.T) {
	running(t, func(t *testing.T, d *dog, ended <-chan error, _ context.CancelCauseFunc) {
		p, err := d.Add("part", time.Second, time.Now())
		require.NoError(t, err)
		synctest.Wait()
		p.Kick(time.Now().Add(time.Minute)) // as if read after a pause that Run slept through
		var miss watchdog.Miss
		require.ErrorAs(t, <-ended, &miss)
		assert.Equal(t, time.Minute, miss.Silence)
		assert.Len(t, d.misses, 1)
	})
}
