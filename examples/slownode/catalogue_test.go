package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/reconcile"
)

func TestNightly(t *testing.T) {
	c := newTestCluster(t, len(cities)+1)
	rec := reconcile.NewRecorder(epoch)
	all, err := nightly(t.Context(), c, rec)
	require.NoError(t, err)
	assert.Len(t, rec.Run().Parts, len(cities))
	c.servers[0].lost.Store(true)
	rec = reconcile.NewRecorder(epoch)
	offers, err := nightly(t.Context(), c, rec)
	require.NoError(t, err, "that is the trouble")
	assert.Equal(t, all-cityOf(0).size, offers)
	assert.NotContains(t, rec.Run().Parts, cities[0])
}
