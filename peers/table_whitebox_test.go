package peers

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table against a map, with hashes that collide a lot.
func TestTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	hashOf := func(key int) uint64 { return uint64(key%40)<<57 | uint64(key*key%23)<<16 }
	var table table[int]
	want := map[int]*peer[int]{}
	for step := range 20_000 {
		key := rng.IntN(200)
		if step/2000%2 == 1 {
			key /= 8 // few are left
		}
		switch p := table.find(key, hashOf(key)); {
		case p != want[key]:
			require.Fail(t, "another peer", "key %d", key)
		case p == nil:
			want[key] = &peer[int]{key: key}
			table.add(want[key], hashOf)
		default:
			table.remove(p, hashOf)
			delete(want, key)
		}
		require.Equal(t, len(want), table.n)
		n := 0
		for p := range table.all {
			require.Same(t, want[p.key], p)
			n++
		}
		require.Equal(t, len(want), n)
	}
	for key, p := range want {
		require.Same(t, p, table.find(key, hashOf(key)))
		table.remove(p, hashOf)
	}
	require.Nil(t, table.places.Load())
}
