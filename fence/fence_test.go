package fence_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
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
		err := g.Check(step.token)
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
	assert.Error(t, restarted.Check(6))
	assert.NoError(t, restarted.Check(7))
	assert.Equal(t, fence.GuardStats{Highest: 7, Refusals: 1}, restarted.Stats())
}

// TestGuardConcurrently: among writers that check under the lock of their
// register, no write follows one with a larger token.
func TestGuardConcurrently(t *testing.T) {
	const workers, each = 8, 3000
	var issuer fence.Issuer
	var guard fence.Guard
	var register struct {
		sync.Mutex
		log []fence.Token
	}
	var refused sync.Map
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			mine, err := issuer.Next()
			if err != nil {
				t.Error(err)
			}
			count := 0
			for range each {
				register.Lock()
				err := guard.Check(mine)
				if err == nil {
					register.log = append(register.log, mine)
				}
				register.Unlock()
				if errors.Is(err, fence.ErrStale) { // deposed: stand again
					count++
					if mine, err = issuer.Next(); err != nil {
						t.Error(err)
					}
				}
			}
			refused.Store(w, count)
		})
	}
	wg.Wait()
	total := 0
	for w := range workers {
		count, _ := refused.Load(w)
		total += count.(int)
	}
	assert.True(t, slices.IsSorted(register.log))
	assert.EqualValues(t, total, guard.Stats().Refusals)
	assert.Equal(t, register.log[len(register.log)-1], guard.Highest())
	distinct := len(slices.Compact(register.log))
	assert.EqualValues(t, distinct, guard.Stats().Takeovers)
}

// TestGuardWithoutALock: the guard alone never lets a token in after a larger one was let in.
func TestGuardWithoutALock(t *testing.T) {
	var guard fence.Guard
	var wg sync.WaitGroup
	for w := range uint64(8) {
		wg.Go(func() {
			for i := range uint64(5000) {
				token := fence.Token(i*8 + w + 1)
				before := guard.Highest()
				err := guard.Check(token)
				after := guard.Highest()
				switch {
				case err == nil && token < before, err != nil && token >= after, after < before:
					t.Errorf("token %d: %v, between %d and %d", token, err, before, after)
					return
				}
			}
		})
	}
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
			require.Equal(t, ok, g.Check(token) == nil, fmt.Sprint(token))
			require.Equal(t, want, g.Stats())
		}
	})
}
