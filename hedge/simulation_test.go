package hedge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/hedge"
)

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
	delay, ok := w.h.Delay()
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
