package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// A shard goes to its server, or to the next one if that is out.
func TestRoute(t *testing.T) {
	c := newTestCluster(t, 6)
	names := c.names()
	f := &frontend{cluster: c, clock: newClock(judged), pinned: 2}
	assert.Equal(t, names[1:3], f.route(t.Context(), 1))
	assert.Equal(t, []string{names[5], names[0]}, f.route(t.Context(), 5), "the copy of the last is on the first")
	assert.Equal(t, names[2:3], f.route(t.Context(), 2), "it has no copy")

	m, err := gray.New(gray.Config{Hits: 1, Of: 1})
	require.NoError(t, err)
	m.Add(names...)
	f.monitor, f.enforce = m, true
	for range 5 {
		m.Record(frontendName, names[1], gray.Error, 0)
	}
	require.Equal(t, names[1:2], m.Advance(f.clock.tick()).Ejections())
	assert.Equal(t, names[2:3], f.route(t.Context(), 1))
	assert.Equal(t, names[0:2], f.route(t.Context(), 0))

	for m.State(names[1]) == gray.Ejected {
		m.Advance(f.clock.tick())
	}
	for range 5 {
		assert.Equal(t, names[2:3], f.route(t.Context(), 1), "on probation it gets copies alone")
	}
	f.probing.Wait()
	assert.EqualValues(t, 5, f.copies.Load())
	assert.EqualValues(t, 5, c.servers[1].asked.Load())
	m.Advance(f.clock.tick())
	assert.Equal(t, gray.SlowStart, m.State(names[1]))
}

func TestSearch(t *testing.T) {
	c := newTestCluster(t, 6)
	f := &frontend{cluster: c, pinned: -1}
	_, err := f.search(t.Context())
	require.NoError(t, err)
	for _, s := range c.servers {
		assert.EqualValues(t, 1, s.asked.Load())
	}
	c.servers[3].http.Close()
	_, err = f.search(t.Context())
	assert.ErrorContains(t, err, "shard 3: ")
}

func newTestCluster(t *testing.T, n int) *cluster {
	c, err := startCluster(n, time.Microsecond, time.Second)
	require.NoError(t, err)
	t.Cleanup(c.close)
	return c
}
