package failsafe_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	upstream "github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/hedgepolicy"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/hedge"
	"example.com/liveness/integrations/failsafe"
)

const ms = time.Millisecond

// taught returns a hedger whose delay is 10 ms.
func taught(t testing.TB, cfg hedge.Config) *hedge.Hedger {
	t.Helper()
	h, err := hedge.New(cfg)
	require.NoError(t, err)
	now := time.Now()
	for range 100 {
		h.Start("taught", now).Answered("taught", now.Add(10*ms))
	}
	h.Forget("taught")
	return h
}

// A group is made-up servers: how long each takes, and what it answers.
type group struct {
	takes    map[string]time.Duration
	fails    map[string]error
	attempts atomic.Int32
}

func (g *group) call(ctx context.Context, server string) (string, error) {
	g.attempts.Add(1)
	select {
	case <-time.After(g.takes[server]):
		return "from " + server, g.fails[server]
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func TestScripts(t *testing.T) {
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		cfg      hedge.Config
		takes    map[string]time.Duration
		fails    map[string]error
		want     string
		err      error
		took     time.Duration
		attempts int32
		lost     []hedge.Loss
	}{
		"fast enough": {
			takes: map[string]time.Duration{"a": 9 * ms},
			want:  "from a", took: 9 * ms, attempts: 1,
		},
		"the hedge wins": {
			takes: map[string]time.Duration{"a": time.Second, "b": 5 * ms},
			want:  "from b", took: 15 * ms, attempts: 2, lost: []hedge.Loss{{Server: "a", Elapsed: 15 * ms}},
		},
		"the first wins all the same": {
			takes: map[string]time.Duration{"a": 12 * ms, "b": 5 * ms},
			want:  "from a", took: 12 * ms, attempts: 2,
		},
		"a fast error is no matter for hedging": {
			takes: map[string]time.Duration{"a": ms}, fails: map[string]error{"a": broken},
			err: broken, took: ms, attempts: 1,
		},
		"a hedge that fails does not end the first": {
			takes: map[string]time.Duration{"a": 100 * ms, "b": ms}, fails: map[string]error{"b": broken},
			want: "from a", took: 100 * ms, attempts: 2,
		},
		"a first that fails does not end the hedge": {
			takes: map[string]time.Duration{"a": 12 * ms, "b": 100 * ms}, fails: map[string]error{"a": broken},
			want: "from b", took: 110 * ms, attempts: 2, lost: []hedge.Loss{{Server: "a", Elapsed: 110 * ms, Failed: true}},
		},
		"all fail": {
			takes: map[string]time.Duration{"a": 12 * ms, "b": 100 * ms}, fails: map[string]error{"a": errors.New("another"), "b": broken},
			err: broken, took: 110 * ms, attempts: 2,
		},
		"two hedges": {
			cfg:   hedge.Config{MaxHedges: 2},
			takes: map[string]time.Duration{"a": time.Second, "b": time.Second, "c": 5 * ms},
			want:  "from c", took: 25 * ms, attempts: 3,
			lost: []hedge.Loss{{Server: "a", Elapsed: 25 * ms}, {Server: "b", Elapsed: 15 * ms}},
		},
		"more hedges than servers": {
			cfg:   hedge.Config{MaxHedges: 5},
			takes: map[string]time.Duration{"a": time.Second, "b": time.Second, "c": time.Second},
			want:  "from a", took: time.Second, attempts: 3,
		},
		"more hedges than servers, and all fail": {
			cfg:   hedge.Config{MaxHedges: 5},
			takes: map[string]time.Duration{"a": 200 * ms, "b": 100 * ms, "c": 50 * ms},
			fails: map[string]error{"a": broken, "b": errors.New("b"), "c": errors.New("c")},
			err:   broken, took: 200 * ms, attempts: 3,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := taught(t, c.cfg)
				g := &group{takes: c.takes, fails: c.fails}
				var lost []hedge.Loss
				start := time.Now()
				got, err := failsafe.Do(t.Context(), h, []string{"a", "b", "c"}, g.call, func(l hedge.Loss) { lost = append(lost, l) })
				assert.ErrorIs(t, err, c.err)
				if c.err == nil {
					assert.NoError(t, err)
					assert.Equal(t, c.want, got)
				}
				assert.Equal(t, c.took, time.Since(start))
				assert.Equal(t, c.attempts, g.attempts.Load())
				assert.Equal(t, c.lost, lost)
				var masked uint64
				for _, s := range h.Servers() {
					masked += s.Masked
				}
				assert.EqualValues(t, len(c.lost), masked)
			})
		})
	}
}

func TestGivingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := taught(t, hedge.Config{})
		g := &group{takes: map[string]time.Duration{"a": time.Hour, "b": time.Hour}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := failsafe.Do(ctx, h, []string{"a", "b"}, g.call, nil)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))

		_, err = failsafe.Do(t.Context(), h, nil, g.call, nil)
		assert.ErrorIs(t, err, failsafe.ErrNoServer)
	})
}

// TestOutage: all servers are slow. The hedge policy alone doubles their load;
// with the hedger's budget it stays at a tenth more, and the burst, and while the
// group is said to be degraded it stays as it is.
func TestOutage(t *testing.T) {
	const requests = 200
	slow := map[string]time.Duration{"a": time.Second, "b": time.Second}
	play := func(do func(ctx context.Context, g *group)) (attempts int32) {
		synctest.Test(t, func(t *testing.T) {
			g := &group{takes: slow}
			var wg sync.WaitGroup
			for range requests {
				wg.Go(func() { do(t.Context(), g) })
			}
			wg.Wait()
			attempts = g.attempts.Load()
		})
		return attempts
	}
	alone := play(func(ctx context.Context, g *group) {
		policy := hedgepolicy.NewWithDelay[string](10 * ms)
		upstream.With(policy).WithContext(ctx).GetWithExecution(func(e upstream.Execution[string]) (string, error) {
			return g.call(e.Context(), "a")
		})
	})
	hedged := func(degraded bool) int32 {
		h := taught(t, hedge.Config{})
		h.SetDegraded(degraded)
		return play(func(ctx context.Context, g *group) {
			_, err := failsafe.Do(ctx, h, []string{"a", "b"}, g.call, nil)
			assert.NoError(t, err)
		})
	}
	budget, degraded := hedged(false), hedged(true)
	t.Logf("%d requests of an outage: %d attempts by the policy alone, %d with a budget, %d when degraded", requests, alone, budget, degraded)
	assert.EqualValues(t, 2*requests, alone)
	assert.LessOrEqual(t, budget, int32(requests+10+requests/10))
	assert.EqualValues(t, requests, degraded)
}

// TestRealServers: one of three does not answer at all.
func TestRealServers(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	var servers []string
	for i := range 3 {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if i == 0 {
				select {
				case <-hang:
				case <-r.Context().Done(): // the loser is cancelled, and the server hears of it
				}
				return
			}
			fmt.Fprint(w, i)
		}))
		t.Cleanup(server.Close)
		servers = append(servers, server.URL)
	}
	h := taught(t, hedge.Config{})
	for range 5 {
		answer, err := failsafe.Do(t.Context(), h, servers, get, nil)
		require.NoError(t, err)
		assert.Equal(t, "1", answer)
	}
	for _, s := range h.Servers() {
		if s.Server == servers[0] {
			assert.EqualValues(t, 5, s.Masked)
		} else {
			assert.Zero(t, s.Masked)
		}
	}
}

func get(ctx context.Context, server string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return string(body), err
}
