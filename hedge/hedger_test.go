package hedge_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/hedge"
)

var t0 = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const ms = time.Millisecond

func newHedger(t testing.TB, cfg hedge.Config) *hedge.Hedger {
	t.Helper()
	h, err := hedge.New(cfg)
	require.NoError(t, err)
	return h
}

// taught returns a hedger that has learnt 1 ms to 100 ms, in no order, so that
// its delay at 5 % is 96 ms: 5 of 101 are expected beyond.
func taught(t testing.TB, cfg hedge.Config) *hedge.Hedger {
	t.Helper()
	h := newHedger(t, cfg)
	for i := range 100 {
		r := h.Start("a", t0)
		require.Nil(t, answered(r, "a", t0.Add(time.Duration(i*37%100+1)*ms)))
	}
	return h
}

// answered returns what an answer overtook.
func answered(r *hedge.Request, server string, at time.Time) []hedge.Loss {
	overtaken, _ := r.Answered(server, at)
	return overtaken
}

func delayOf(t testing.TB, h *hedge.Hedger) time.Duration {
	t.Helper()
	d, ok := h.Delay()
	require.True(t, ok)
	return d
}

// A server that is forgotten while attempts at it are running stays forgotten.
func TestForgetWhileRunning(t *testing.T) {
	h := taught(t, hedge.Config{})
	won, lost, failed := h.Start("x", t0), h.Start("x", t0), h.Start("x", t0)
	_, ok := lost.Hedge(t0.Add(96*ms), "b")
	require.True(t, ok)
	h.Forget("x")
	won.Answered("x", t0.Add(ms))
	failed.Failed("x", t0.Add(ms))
	assert.Len(t, answered(lost, "b", t0.Add(97*ms)), 1)
	for _, s := range h.Servers() {
		assert.NotEqual(t, "x", s.Server)
	}
}

// Names without end are counted together, and take no memory.
func TestManyServers(t *testing.T) {
	h := newHedger(t, hedge.Config{MaxServers: 10})
	for i := range 10_000 {
		r := h.Start(fmt.Sprint(i), t0)
		answered(r, fmt.Sprint(i), t0.Add(ms))
	}
	servers := h.Servers()
	assert.Len(t, servers, 11)
	assert.Equal(t, hedge.ServerStats{Server: hedge.OtherServers, Attempts: 9990, FirstAnswers: 9990}, servers[0])
	// They are still told apart where a request must not go twice.
	r := taught(t, hedge.Config{MaxServers: 1}).Start("x", t0)
	server, ok := r.Hedge(t0.Add(96*ms), "x", "y")
	assert.True(t, ok)
	assert.Equal(t, "y", server)
}

func TestConcurrentUse(t *testing.T) {
	h := taught(t, hedge.Config{ExtraLoad: 0.5, MaxExtraLoad: 1, Burst: 1e6})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for i := range 500 {
				r := h.Start("a", t0)
				var inner sync.WaitGroup
				inner.Go(func() { r.Answered("a", t0.Add(time.Duration(i)*ms)) })
				if server, ok := r.Hedge(t0, "b"); ok {
					inner.Go(func() { r.Answered(server, t0.Add(time.Duration(i)*ms)) })
				}
				inner.Wait()
				h.SetDegraded(i%2 == 0)
				h.Stats()
				h.Servers()
			}
		})
	}
	wg.Wait()
	s := h.Stats()
	assert.EqualValues(t, 4100, s.Requests)
	assert.EqualValues(t, 4000, s.Hedges+s.RefusedDegraded+s.RefusedEnded)
	servers := h.Servers()
	assert.Equal(t, s.Requests, servers[0].FirstAnswers+servers[1].FirstAnswers, "each is answered once")
	assert.Equal(t, s.HedgeWins, servers[1].FirstAnswers)
	assert.Equal(t, s.HedgeWins, servers[0].Masked)
}

// FuzzHedger plays requests at random, and checks what has to hold whatever comes.
func FuzzHedger(f *testing.F) {
	f.Add([]byte{0, 200, 3, 1, 250, 4, 2, 9, 9, 7}, uint8(1), uint8(20))
	f.Add([]byte{9, 255, 255, 1, 7, 7, 7, 3, 200, 12, 31, 77}, uint8(3), uint8(1))
	f.Fuzz(func(t *testing.T, script []byte, maxHedges, perSecond uint8) {
		cfg := hedge.Config{
			ExtraLoad: 0.25, MaxExtraLoad: 0.5, Burst: 2, WindowSize: 30,
			MaxHedges: int(maxHedges)%10 + 1, MaxPerSecond: float64(perSecond),
		}
		h := newHedger(t, cfg)
		for i := range 40 {
			h.Start("s0", t0).Answered("s0", t0.Add(time.Duration(i)*ms))
		}
		now, hedged := t0, 0
		sent := []string{"s0"}
		r := h.Start("s0", now)
		for _, b := range script {
			now = now.Add(time.Duration(int(b)-20) * ms)
			name := fmt.Sprintf("s%d", b%7)
			switch b / 50 {
			case 0:
				r.Failed(name, now)
			case 1:
				for _, l := range answered(r, name, now) {
					require.NotEqual(t, name, l.Server)
					require.Contains(t, sent, l.Server)
					require.GreaterOrEqual(t, l.Elapsed, time.Duration(0))
				}
			case 2:
				r = h.Start(name, now)
				sent = []string{name}
			case 3:
				h.SetDegraded(b%2 == 0)
			default:
				server, ok := r.Hedge(now, "s0", "s1", name)
				if !ok {
					continue
				}
				require.False(t, h.Degraded())
				require.NotContains(t, sent, server)
				sent = append(sent, server)
				require.LessOrEqual(t, len(sent), 1+cfg.MaxHedges)
				hedged++
			}
			s := h.Stats()
			require.EqualValues(t, hedged, s.Hedges)
			require.LessOrEqual(t, float64(s.Hedges), cfg.Burst+cfg.MaxExtraLoad*float64(s.Requests))
			if cfg.MaxPerSecond > 0 && now.After(t0) {
				// Time that went back was counted once.
				require.LessOrEqual(t, float64(s.Hedges), 2+cfg.MaxPerSecond*0.255*float64(len(script)))
			}
			var total hedge.ServerStats
			for _, server := range h.Servers() {
				total.Attempts += server.Attempts
				total.Hedges += server.Hedges
				total.FirstAnswers += server.FirstAnswers
				total.Masked += server.Masked
			}
			require.Equal(t, s.Requests+s.Hedges, total.Attempts)
			require.Equal(t, s.Hedges, total.Hedges)
			require.LessOrEqual(t, s.HedgeWins, total.Masked)
			require.LessOrEqual(t, total.FirstAnswers, s.Requests)
		}
	})
}
