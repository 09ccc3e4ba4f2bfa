package fence_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/fence"
)

func TestIssuer(t *testing.T) {
	var i fence.Issuer
	assert.Zero(t, i.Last())
	for want := fence.Token(1); want < 100; want++ {
		got, err := i.Next()
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, want, i.Last())
	}
	again := fence.NewIssuer(i.Last())
	got, err := again.Next()
	require.NoError(t, err)
	assert.Equal(t, fence.Token(100), got, "after a restart")

	full := fence.NewIssuer(math.MaxUint64 - 1)
	got, err = full.Next()
	require.NoError(t, err)
	assert.Equal(t, fence.Token(math.MaxUint64), got)
	for range 2 {
		got, err = full.Next()
		assert.ErrorIs(t, err, fence.ErrExhausted)
		assert.Zero(t, got)
	}
}

func TestIssuerConcurrently(t *testing.T) {
	var i fence.Issuer
	const workers, each = 8, 2000
	got := make([][]fence.Token, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range each {
				token, err := i.Next()
				if err != nil {
					t.Error(err)
				}
				got[w] = append(got[w], token)
			}
		})
	}
	wg.Wait()
	for _, tokens := range got {
		assert.True(t, slices.IsSorted(tokens), "each sees its own grow")
	}
	all := slices.Sorted(slices.Values(slices.Concat(got...)))
	assert.Len(t, slices.Compact(all), workers*each, "none twice")
	assert.Equal(t, fence.Token(workers*each), i.Last())
}

func TestGuardScript(t *testing.T) {
	var g fence.Guard
	for _, step := range []struct {
		token fence.Token
		want  string // empty: let in
	}{
		{0, "fence: no token"},
		{1, ""}, {1, ""},
		{3, ""},
		{1, "fence: token 1 is stale, 3 has been seen"},
		{2, "fence: token 2 is stale, 3 has been seen"}, // it was never seen, and is old all the same
		{3, ""},
		{0, "fence: no token"},
		{math.MaxUint64, ""},
		{3, "fence: token 3 is stale, 18446744073709551615 has been seen"},
	} {
		err := g.Admit(step.token)
		if step.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, step.want)
		assert.ErrorIs(t, err, fence.ErrStale)
		var stale *fence.StaleError
		require.ErrorAs(t, err, &stale)
		assert.Equal(t, step.token, stale.Token)
	}
	assert.Equal(t, fence.GuardStats{Highest: math.MaxUint64, Refusals: 5, Takeovers: 3}, g.Stats())

	restarted := fence.NewGuard(7)
	assert.Error(t, restarted.Admit(6))
	assert.NoError(t, restarted.Admit(7))
	assert.Equal(t, fence.GuardStats{Highest: 7, Refusals: 1}, restarted.Stats())
}

// TestDo: what is refused is not run, and what fails has shown its token.
func TestDo(t *testing.T) {
	var g fence.Guard
	ran := 0
	broken := errors.New("disk full")
	write := func(err error) func() error {
		return func() error { ran++; return err }
	}
	assert.NoError(t, g.Do(1, write(nil)))
	assert.Equal(t, broken, g.Do(2, write(broken)))
	assert.ErrorIs(t, g.Do(1, write(nil)), fence.ErrStale)
	assert.ErrorIs(t, g.Do(0, write(nil)), fence.ErrStale)
	assert.Equal(t, 2, ran)
	assert.Panics(t, func() { g.Do(3, func() error { panic("a bug") }) })
	assert.ErrorIs(t, g.Do(2, write(nil)), fence.ErrStale, "and it is not locked for ever")
	assert.Equal(t, fence.GuardStats{Highest: 3, Refusals: 3, Takeovers: 3}, g.Stats())
}

// TestAskingWhileAWriteRuns: the write stores Highest beside its data, and whoever
// looks at the counters is not held up by a write that hangs.
func TestAskingWhileAWriteRuns(t *testing.T) {
	g := fence.NewGuard(7)
	assert.NoError(t, g.Do(9, func() error {
		assert.Equal(t, fence.Token(9), g.Highest())
		assert.Equal(t, fence.GuardStats{Highest: 9, Takeovers: 1}, g.Stats())
		return nil
	}))
}

// TestGuardConcurrently: among writers that are deposed all the time, no write
// follows one with a larger token, by Do or by Admit under a lock of their own.
func TestGuardConcurrently(t *testing.T) {
	for _, name := range []string{"do", "admit"} {
		t.Run(name, func(t *testing.T) {
			var guard fence.Guard
			var log []fence.Token
			write := func(mine fence.Token) error {
				return guard.Do(mine, func() error { log = append(log, mine); return nil })
			}
			if name == "admit" {
				var mu sync.Mutex
				write = func(mine fence.Token) error {
					mu.Lock()
					defer mu.Unlock()
					err := guard.Admit(mine)
					if err == nil {
						log = append(log, mine)
					}
					return err
				}
			}
			const workers, each = 8, 3000
			var issuer fence.Issuer
			var refused atomic.Uint64
			var wg sync.WaitGroup
			for range workers {
				wg.Go(func() {
					mine, err := issuer.Next()
					assert.NoError(t, err)
					for range each {
						if errors.Is(write(mine), fence.ErrStale) { // deposed: stand again
							refused.Add(1)
							if mine, err = issuer.Next(); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			wg.Wait()
			assert.True(t, slices.IsSorted(log))
			last := log[len(log)-1]
			assert.Equal(t, fence.GuardStats{
				Highest:   last,
				Refusals:  refused.Load(),
				Takeovers: uint64(len(slices.Compact(log))),
			}, guard.Stats())
		})
	}
}

// TestAdmitWaits: once a larger token is admitted, no write with a smaller one is
// under way.
func TestAdmitWaits(t *testing.T) {
	var guard fence.Guard
	var writing atomic.Bool
	begun := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		guard.Do(1, func() error {
			writing.Store(true)
			close(begun)
			runtime.Gosched()
			writing.Store(false)
			return nil
		})
	})
	<-begun
	assert.NoError(t, guard.Admit(2))
	assert.False(t, writing.Load())
	wg.Wait()
}

func FuzzGuard(f *testing.F) {
	f.Add([]byte{1, 2, 1, 0, 255, 254})
	f.Fuzz(func(t *testing.T, tokens []byte) {
		var g fence.Guard
		var want fence.GuardStats
		for _, b := range tokens {
			token := fence.Token(b) << (b % 57)
			ok := token != 0 && token >= want.Highest
			switch {
			case !ok:
				want.Refusals++
			case token > want.Highest:
				want.Takeovers++
				want.Highest = token
			}
			require.Equal(t, ok, g.Admit(token) == nil, fmt.Sprint(token))
			require.Equal(t, want, g.Stats())
		}
	})
}
