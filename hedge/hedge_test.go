package hedge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/hedge"
	"example.com/liveness/qos"
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

func TestDelayIsTheQuantile(t *testing.T) {
	h := newHedger(t, hedge.Config{WindowSize: 200})
	var window []time.Duration
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 1000 {
		_, ok := h.Delay()
		assert.Equal(t, i >= 99, ok, "after %d latencies", i)
		latency := time.Duration(1e6 * math.Exp(rng.NormFloat64()))
		h.Start("a", t0).Answered("a", t0.Add(latency))
		window = append(window, latency)
		window = window[max(0, len(window)-200):]
		if i >= 98 {
			want, err := qos.HedgeDelay(window, 0.05)
			require.NoError(t, err)
			require.Equal(t, want.Timeout, delayOf(t, h))
		}
	}
}

func TestAHedgeWins(t *testing.T) {
	h := taught(t, hedge.Config{})
	assert.Equal(t, 96*ms, delayOf(t, h))
	r := h.Start("a", t0)
	d, ok := r.Delay()
	require.True(t, ok)
	server, ok := r.Hedge(t0.Add(d), "a", "b", "c")
	require.True(t, ok)
	assert.Equal(t, "b", server, "never the same one twice")
	assert.Equal(t, []hedge.Loss{{Server: "a", Elapsed: 99 * ms}}, answered(r, "b", t0.Add(99*ms)))
	assert.Nil(t, answered(r, "a", t0.Add(200*ms)), "too late")
	assert.Equal(t, []hedge.ServerStats{
		{Server: "a", Attempts: 101, Wins: 100, Masked: 1},
		{Server: "b", Attempts: 1, Hedges: 1, Wins: 1},
	}, h.Servers())
	assert.Equal(t, hedge.Stats{Requests: 101, Hedges: 1, Wins: 1}, h.Stats())
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
	assert.Zero(t, h.Stats().Wins)
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
		}, hedge.Stats{RefusedMore: 1}},
		"two hedges": {hedge.Config{MaxHedges: 2}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Hedge(late, "c")
		}, hedge.Stats{}},
		"no other server": {hedge.Config{MaxHedges: 2}, func(h *hedge.Hedger, r *hedge.Request) {
			r.Hedge(late, "b")
		}, hedge.Stats{RefusedServers: 1}},
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
			got.Requests, got.Hedges, got.Wins = 0, 0, 0
			assert.Equal(t, c.want, got)
			d, ok := r.Delay()
			assert.Equal(t, !h.Degraded(), ok)
			assert.Equal(t, ok, d > 0)
		})
	}
	h := newHedger(t, hedge.Config{})
	_, ok := h.Start("a", t0).Hedge(late, "b")
	assert.False(t, ok)
	assert.EqualValues(t, 1, h.Stats().RefusedEarly)
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
	assert.Equal(t, hedge.ServerStats{Server: "a", Attempts: 101, Wins: 100, Failures: 1, Masked: 1}, servers[0])
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

// A world is a group of servers and what a caller makes of it, one request after
// another.
type world struct {
	h       *hedge.Hedger
	rng     *rand.Rand
	latency func(server int) float64 // seconds
	servers int
	now     time.Time
	forget  bool // the losers teach nothing
}

// request returns how long the caller waited.
func (w *world) request() time.Duration {
	w.now = w.now.Add(time.Second)
	first := w.rng.IntN(w.servers)
	name := func(i int) string { return fmt.Sprintf("s%02d", i) }
	took := time.Duration(1e9 * w.latency(first))
	r := w.h.Start(name(first), w.now)
	delay, ok := r.Delay()
	if ok && took > delay {
		second := (first + 1 + w.rng.IntN(w.servers-1)) % w.servers
		if _, ok := r.Hedge(w.now.Add(delay), name(second)); ok {
			if hedged := delay + time.Duration(1e9*w.latency(second)); hedged < took {
				if !w.forget {
					r.Answered(name(second), w.now.Add(hedged))
				}
				return hedged
			}
		}
	}
	r.Answered(name(first), w.now.Add(took))
	return took
}

func (w *world) requests(n int) []time.Duration {
	waits := make([]time.Duration, n)
	for i := range waits {
		waits[i] = w.request()
	}
	slices.Sort(waits)
	return waits
}

func newWorld(t testing.TB, cfg hedge.Config, servers int) *world {
	w := &world{h: newHedger(t, cfg), rng: rand.New(rand.NewPCG(1, 2)), servers: servers, now: t0}
	w.latency = func(int) float64 { return 0.010 * math.Exp(0.5*w.rng.NormFloat64()) }
	return w
}

// TestExtraLoad: the wanted share of the requests is hedged, whatever the law,
// although each hedge that wins hides how long the loser would have taken.
func TestExtraLoad(t *testing.T) {
	for name, law := range map[string]func(*rand.Rand) float64{
		"lognormal": func(r *rand.Rand) float64 { return 0.010 * math.Exp(r.NormFloat64()) },
		"pareto":    func(r *rand.Rand) float64 { return 0.010 * math.Pow(r.Float64(), -0.7) },
		"two humps": func(r *rand.Rand) float64 { return 0.010 + 0.1*math.Floor(1.1*r.Float64()) + 0.001*r.Float64() },
	} {
		for _, share := range []float64{0.01, 0.05, 0.2} {
			w := newWorld(t, hedge.Config{ExtraLoad: share}, 10)
			w.latency = func(int) float64 { return law(w.rng) }
			requests := 50_000
			if testing.Short() {
				requests = 20_000
			}
			w.requests(requests)
			load := w.h.Stats().ExtraLoad()
			t.Logf("%s: wanted %.2f, got %.4f; %d refused by the budget", name, share, load, w.h.Stats().RefusedBudget)
			assert.InEpsilon(t, share, load, 0.15, "%s", name)
		}
	}
}

// TestLosersMustTeach is why Answered is to be called for hedges that win: if
// the latencies they hide are left out, the delay shrinks, and hedges multiply
// until the budget stops them.
func TestLosersMustTeach(t *testing.T) {
	w := newWorld(t, hedge.Config{MaxExtraLoad: 1}, 10)
	usual := w.latency
	w.latency = func(s int) float64 {
		if w.rng.IntN(25) == 0 {
			return 1
		}
		return usual(s)
	}
	w.forget = true
	w.requests(50_000)
	load := w.h.Stats().ExtraLoad()
	t.Logf("wanted 0.05, got %.3f", load)
	assert.Greater(t, load, 0.075)
}

// TestStragglers: one request in fifty is slow, wherever it goes.
func TestStragglers(t *testing.T) {
	waits := map[bool][]time.Duration{}
	for _, off := range []bool{true, false} {
		w := newWorld(t, hedge.Config{}, 10)
		usual := w.latency
		w.latency = func(s int) float64 {
			if w.rng.IntN(50) == 0 {
				return 1
			}
			return usual(s)
		}
		w.h.SetDegraded(off)
		waits[off] = w.requests(20_000)
		if !off {
			t.Logf("extra load %.3f, %+v", w.h.Stats().ExtraLoad(), w.h.Stats())
		}
	}
	p99 := func(off bool) time.Duration { return waits[off][19_800] }
	t.Logf("p99 without %v, with hedging %v", p99(true), p99(false))
	assert.Equal(t, time.Second, p99(true))
	assert.Less(t, p99(false), 60*ms)
}

// TestSlowServer: of 40 servers one is always slow. Its share is below the extra
// load, so hedging hides it, and the masked failures name it. With 10 servers its
// share is above: the delay becomes its latency, and hedging helps little.
func TestSlowServer(t *testing.T) {
	for servers, hidden := range map[int]bool{40: true, 10: false} {
		w := newWorld(t, hedge.Config{}, servers)
		usual := w.latency
		w.latency = func(s int) float64 {
			if s == 7 {
				return 100 * usual(s)
			}
			return usual(s)
		}
		waits := w.requests(20_000)
		p99 := waits[19_800]
		masked := func(s hedge.ServerStats) float64 { return float64(s.Masked) / float64(s.Attempts) }
		stats := w.h.Servers()
		slices.SortFunc(stats, func(a, b hedge.ServerStats) int { return int(1e6 * (masked(b) - masked(a))) })
		t.Logf("%d servers: p99 %v; masked: %s %.3f, then %s %.3f", servers, p99,
			stats[0].Server, masked(stats[0]), stats[1].Server, masked(stats[1]))
		assert.Equal(t, hidden, p99 < 100*ms)
		if hidden {
			assert.Equal(t, "s07", stats[0].Server)
			assert.Greater(t, masked(stats[0]), 0.8)
			assert.Less(t, masked(stats[1]), 0.1)
		}
	}
}

// TestOutage: everything becomes 50 times slower at once. Every request is late,
// and still the hedges stay within the budget, until the delay is learnt again.
func TestOutage(t *testing.T) {
	w := newWorld(t, hedge.Config{}, 10)
	w.requests(5000)
	before := w.h.Stats()
	delay := delayOf(t, w.h)
	usual := w.latency
	w.latency = func(s int) float64 { return 50 * usual(s) }
	w.requests(200)
	during := w.h.Stats()
	hedges := during.Hedges - before.Hedges
	t.Logf("200 requests of an outage: %d attempts, %d hedges refused", 200+hedges, during.RefusedBudget-before.RefusedBudget)
	assert.LessOrEqual(t, hedges, uint64(10+200/10))

	w.h.SetDegraded(true)
	w.requests(2000)
	assert.Equal(t, during.Hedges, w.h.Stats().Hedges)
	w.h.SetDegraded(false)
	slow := delayOf(t, w.h)
	w.latency = usual
	w.requests(1500)
	t.Logf("delay before %v, in the outage %v, after it %v", delay, slow, delayOf(t, w.h))
	assert.InEpsilon(t, delay, delayOf(t, w.h), 0.3)
}

func TestConfigErrors(t *testing.T) {
	for _, c := range []struct {
		cfg  hedge.Config
		want string
	}{
		{hedge.Config{ExtraLoad: 0.6}, "hedge: ExtraLoad is 0.6, want a number from 5/(n+1) = 0.004995, for a WindowSize of 1000, to 0.5"},
		{hedge.Config{ExtraLoad: 0.001}, "hedge: ExtraLoad is 0.001, want a number from 5/(n+1) = 0.004995, for a WindowSize of 1000, to 0.5"},
		{hedge.Config{ExtraLoad: math.NaN()}, "hedge: ExtraLoad is NaN, want a number from 5/(n+1) = 0.004995, for a WindowSize of 1000, to 0.5"},
		{hedge.Config{WindowSize: 50}, "hedge: ExtraLoad is 0.05, want a number from 5/(n+1) = 0.0980392, for a WindowSize of 50, to 0.5"},
		{hedge.Config{WindowSize: 8}, "hedge: WindowSize is 8, want a number from 9 to 1048576"},
		{hedge.Config{MaxExtraLoad: 0.01}, "hedge: MaxExtraLoad is 0.01, want a number from ExtraLoad, which is 0.05, to 1"},
		{hedge.Config{MaxExtraLoad: 2}, "hedge: MaxExtraLoad is 2, want a number from ExtraLoad, which is 0.05, to 1"},
		{hedge.Config{MaxPerSecond: -1}, "hedge: MaxPerSecond is -1, want a number above 0, at most 1e+09"},
		{hedge.Config{MaxPerSecond: math.Inf(1)}, "hedge: MaxPerSecond is +Inf, want a number above 0, at most 1e+09"},
		{hedge.Config{Burst: 0.5}, "hedge: Burst is 0.5, want a number from 1 to 1e+09"},
		{hedge.Config{MaxHedges: -1}, "hedge: MaxHedges is -1, want a number from 1 to 10"},
		{hedge.Config{MaxHedges: 11}, "hedge: MaxHedges is 11, want a number from 1 to 10"},
		{hedge.Config{MaxServers: -1}, "hedge: MaxServers is -1, want a number from 1 to 1073741824"},
	} {
		h, err := hedge.New(c.cfg)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, h)
	}
	newHedger(t, hedge.Config{ExtraLoad: 0.5, WindowSize: 9, MaxPerSecond: 0.1, Burst: 1, MaxHedges: 10})
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
	assert.Equal(t, s.Requests, servers[0].Wins+servers[1].Wins, "each is answered once")
	assert.Equal(t, s.Wins, servers[1].Wins)
	assert.Equal(t, s.Wins, servers[0].Masked)
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
				total.Wins += server.Wins
				total.Masked += server.Masked
			}
			require.Equal(t, s.Requests+s.Hedges, total.Attempts)
			require.Equal(t, s.Hedges, total.Hedges)
			require.LessOrEqual(t, s.Wins, total.Masked)
			require.LessOrEqual(t, total.Wins, s.Requests)
		}
	})
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
	assert.Equal(t, hedge.ServerStats{Server: hedge.OtherServers, Attempts: 9990, Wins: 9990}, servers[0])
	// They are still told apart where a request must not go twice.
	r := taught(t, hedge.Config{MaxServers: 1}).Start("x", t0)
	server, ok := r.Hedge(t0.Add(96*ms), "x", "y")
	assert.True(t, ok)
	assert.Equal(t, "y", server)
}

// A clock that was set back does not stop hedging until it has caught up.
func TestBudgetClockSetBack(t *testing.T) {
	h := taught(t, hedge.Config{Burst: 1, MaxExtraLoad: 1, MaxPerSecond: 10})
	hedged := func(at time.Time) bool {
		_, ok := h.Start("a", at).Hedge(at, "b")
		return ok
	}
	require.True(t, hedged(t0))
	back := t0.Add(-time.Hour)
	assert.False(t, hedged(back), "nothing is earned by it")
	assert.True(t, hedged(back.Add(100*ms)))
	assert.False(t, hedged(back.Add(50*ms)), "out of order")
	assert.False(t, hedged(back.Add(150*ms)))
	assert.True(t, hedged(back.Add(200*ms)))
}
