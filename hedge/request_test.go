package hedge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/hedge"
)

func TestAHedgeWins(t *testing.T) {
	h := taught(t, hedge.Config{})
	assert.Equal(t, 96*ms, delayOf(t, h))
	r := h.Start("a", t0)
	server, ok := r.Hedge(t0.Add(delayOf(t, h)), "a", "b", "c")
	require.True(t, ok)
	assert.Equal(t, "b", server, "never the same one twice")
	assert.Equal(t, []hedge.Loss{{Server: "a", Elapsed: 99 * ms}}, answered(r, "b", t0.Add(99*ms)))
	assert.Nil(t, answered(r, "a", t0.Add(200*ms)), "too late")
	assert.Equal(t, []hedge.ServerStats{
		{Server: "a", Attempts: 101, FirstAnswers: 100, Masked: 1},
		{Server: "b", Attempts: 1, Hedges: 1, FirstAnswers: 1},
	}, h.Servers())
	assert.Equal(t, hedge.Stats{Requests: 101, Hedges: 1, HedgeWins: 1}, h.Stats())
	assert.InDelta(t, 1./101, h.Stats().ExtraLoad(), 1e-15)

	h.Forget("a")
	assert.Len(t, h.Servers(), 1)
}

func TestTheFirstWins(t *testing.T) {
	h := taught(t, hedge.Config{})
	r := h.Start("a", t0)
	_, ok := r.Hedge(t0.Add(96*ms), "b")
	require.True(t, ok)
	overtaken, first := r.Answered("a", t0.Add(97*ms))
	assert.True(t, first)
	assert.Nil(t, overtaken)
	_, first = r.Answered("b", t0.Add(97*ms))
	assert.False(t, first)
	for _, s := range h.Servers() {
		assert.Zero(t, s.Masked, "b began later, and did nothing wrong")
	}
	assert.Zero(t, h.Stats().HedgeWins)
}

// TestRefusals: what is not hedged, and why.
func TestRefusals(t *testing.T) {
	type script struct {
		cfg  hedge.Config
		play func(h *hedge.Hedger, r *hedge.Request)
		want hedge.Stats // of the refusals
	}
	late := t0.Add(100 * ms)
	for name, c := range map[string]script{
		"degraded": {hedge.Config{}, func(h *hedge.Hedger, r *hedge.Request) {
			h.SetDegraded(true)
		}, hedge.Stats{RefusedDegraded: 1}},
		"no longer degraded": {hedge.Config{}, func(h *hedge.Hedger, r *hedge.Request) {
			h.SetDegraded(true)
			h.SetDegraded(false)
		}, hedge.Stats{}},
		"answered": {hedge.Config{}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Answered("a", late)
		}, hedge.Stats{RefusedEnded: 1}},
		"failed": {hedge.Config{}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Failed("a", late)
		}, hedge.Stats{RefusedEnded: 1}},
		"one hedge": {hedge.Config{}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Hedge(late, "c")
		}, hedge.Stats{RefusedMaxHedges: 1}},
		"two hedges": {hedge.Config{MaxHedges: 2}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Hedge(late, "c")
		}, hedge.Stats{}},
		"no other server": {hedge.Config{MaxHedges: 2}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Hedge(late, "b")
		}, hedge.Stats{RefusedNoServer: 1}},
		"nothing left in the budget": {hedge.Config{Burst: 1}, func(h *hedge.Hedger, r *hedge.Request) {
			h.Start("a", t0).Hedge(late, "b")
		}, hedge.Stats{RefusedBudget: 1}},
		"nothing left in the budget of the second": {hedge.Config{Burst: 1, MaxExtraLoad: 1, MaxPerSecond: 10}, func(h *hedge.Hedger, r *hedge.Request) {
			other := h.Start("a", t0)
			other.Hedge(t0.Add(ms), "b") // 99 ms before: 0.99 is earned
			h.Start("a", t0)
		}, hedge.Stats{RefusedBudget: 1}},
		"earned by the second": {hedge.Config{Burst: 1, MaxExtraLoad: 1, MaxPerSecond: 10}, func(h *hedge.Hedger, r *hedge.Request) {
			other := h.Start("a", t0)
			other.Hedge(t0, "b")
			h.Start("a", t0)
		}, hedge.Stats{}},
	} {
		t.Run(name, func(t *testing.T) {
			h := taught(t, c.cfg)
			r := h.Start("a", t0)
			c.play(h, r)
			server, ok := r.Hedge(late, "a", "b")
			assert.Equal(t, c.want == hedge.Stats{}, ok)
			assert.Equal(t, ok, server == "b")
			got := h.Stats()
			got.Requests, got.Hedges, got.HedgeWins = 0, 0, 0
			assert.Equal(t, c.want, got)
			d, ok := h.Delay()
			assert.Equal(t, !h.Degraded(), ok)
			assert.Equal(t, ok, d > 0)
		})
	}
	h := newHedger(t, hedge.Config{})
	_, ok := h.Start("a", t0).Hedge(late, "b")
	assert.False(t, ok)
	assert.EqualValues(t, 1, h.Stats().RefusedWarmup)
}

// TestFailures: a masked failure may be an error too, and an error that came
// fast teaches nothing.
func TestFailures(t *testing.T) {
	h := taught(t, hedge.Config{MaxHedges: 2})
	r := h.Start("a", t0)
	r.Hedge(t0.Add(96*ms), "b")
	assert.False(t, r.Failed("a", t0.Add(97*ms)), "b may answer")
	r.Hedge(t0.Add(192*ms), "c")
	assert.False(t, r.Failed("nobody", t0.Add(193*ms)))
	assert.Nil(t, answered(r, "nobody", t0.Add(193*ms)))
	assert.Nil(t, answered(r, "a", t0.Add(193*ms)), "it has failed")
	assert.Equal(t, []hedge.Loss{
		{Server: "a", Elapsed: 194 * ms, Failed: true},
		{Server: "b", Elapsed: 98 * ms},
	}, answered(r, "c", t0.Add(194*ms)))
	assert.False(t, r.Failed("b", t0.Add(195*ms)), "c has answered")
	servers := h.Servers()
	assert.Equal(t, hedge.ServerStats{Server: "a", Attempts: 101, FirstAnswers: 100, Failures: 1, Masked: 1}, servers[0])
	assert.Equal(t, hedge.ServerStats{Server: "b", Attempts: 1, Hedges: 1, Masked: 1}, servers[1])

	before := delayOf(t, h)
	for range 900 {
		r := h.Start("a", t0)
		assert.True(t, r.Failed("a", t0.Add(ms)))
		assert.False(t, r.Failed("a", t0.Add(ms)), "once")
	}
	assert.Equal(t, before, delayOf(t, h), "fast errors do not make the delay short")
	for range 900 {
		h.Start("a", t0).Failed("a", t0.Add(time.Second))
	}
	assert.Equal(t, time.Second, delayOf(t, h), "timeouts make it long")
}
