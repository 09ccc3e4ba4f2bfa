package main

import (
	"context"
	"errors"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"

	"example.com/liveness/gray"
	"example.com/liveness/reconcile"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestSummarise(t *testing.T) {
	var samples []sample
	for i := range 100 {
		samples = append(samples, sample{began: epoch, took: time.Duration(i+1) * time.Millisecond})
	}
	samples = append(samples, sample{took: time.Hour, stalled: true})
	l := summarise(samples, 91*time.Millisecond)
	assert.Equal(t, latency{Searches: 100, P50: 0.05, P99: 0.099, Slow: 0.1, Stalled: 1}, l)
	assert.Equal(t, "p50   50 ms   p99   99 ms   slow  10 % of 100 searches (1 left out)", l.String())
	assert.Equal(t, latency{}, summarise(nil, time.Second))
}

func TestQuantile(t *testing.T) {
	assert.Zero(t, quantile(nil, 0.5))
	assert.Equal(t, 7*time.Second, quantile([]time.Duration{7 * time.Second}, 0.99))
	four := []time.Duration{1, 2, 3, 4}
	for q, want := range map[float64]time.Duration{0: 1, 0.25: 1, 0.5: 2, 0.51: 3, 0.99: 4, 1: 4} {
		assert.Equal(t, want, quantile(four, q), q)
	}
}

func TestFiguresInWords(t *testing.T) {
	assert.Equal(t, "16 ms", seconds(0.0163).String())
	assert.Equal(t, "1.25 s", seconds(1.25).String())
	assert.Equal(t, "0 %", percentage(0).String())
	assert.Equal(t, "0.5 %", percentage(0.005).String())
	assert.Equal(t, "67 %", percentage(0.667).String())
	assert.Zero(t, percent(1, 0))
}

func TestAfter(t *testing.T) {
	samples := []sample{{began: epoch}, {began: epoch.Add(1)}, {began: epoch.Add(2)}}
	assert.Len(t, after(samples, epoch), 3)
	assert.Len(t, after(samples, epoch.Add(1)), 2)
	assert.Empty(t, after(samples, epoch.Add(3)))
}

func TestClock(t *testing.T) {
	c := newClock(judged)
	was := c.now()
	assert.Equal(t, judged, c.tick().Sub(was))
	assert.Equal(t, judged, c.now().Sub(was))
}

// The rate does not depend on how long searches take.
func TestLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoad(t.Context(), 100*time.Millisecond, func(context.Context) (time.Duration, error) {
			time.Sleep(time.Second)
			return time.Second, nil
		})
		time.Sleep(950 * time.Millisecond)
		samples, err := l.end()
		require.NoError(t, err)
		assert.Len(t, samples, 10, "those under way are waited for")
		assert.Equal(t, 900*time.Millisecond, samples[9].began.Sub(samples[0].began))
		assert.Zero(t, l.skipped)
	})
}

func TestLoadThatIsTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := startLoad(t.Context(), time.Millisecond, func(context.Context) (time.Duration, error) {
			time.Sleep(time.Second)
			return 0, errors.New("no")
		})
		time.Sleep(99*time.Millisecond + time.Microsecond)
		samples, err := l.end()
		assert.EqualError(t, err, "no")
		assert.Empty(t, samples)
		assert.Equal(t, 100-maxInFlight, l.skipped)
	})
}

func TestStalls(t *testing.T) {
	var w stalls
	w.woke(epoch, epoch.Add(stalledFrom-1))
	assert.Empty(t, w.seen)
	w.woke(epoch, epoch.Add(stalledFrom))
	for began, want := range map[time.Duration]bool{-20 * time.Millisecond: false, -5 * time.Millisecond: true, stalledFrom - 1: true, stalledFrom: false} {
		assert.Equal(t, want, w.overlap(sample{began: epoch.Add(began), took: 10 * time.Millisecond}), began)
	}
}

func TestDependency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &dependency{limit: 20 * time.Millisecond}
		assert.NoError(t, d.check(t.Context()))
		d.extra.Store(int64(20 * time.Millisecond))
		assert.NoError(t, d.check(t.Context()))
		d.extra.Store(int64(time.Hour))
		began := time.Now()
		assert.ErrorIs(t, d.check(t.Context()), errDependency)
		assert.Equal(t, d.limit, time.Since(began), "it does not wait for the answer")
	})
}

// The deep check asks the dependency, the health check does not.
func TestChecks(t *testing.T) {
	d := &dependency{limit: time.Nanosecond}
	d.extra.Store(int64(time.Hour))
	s := &server{dependency: d}
	w := httptest.NewRecorder()
	s.health(w, httptest.NewRequest(http.MethodGet, "/health", nil))
	assert.Equal(t, http.StatusOK, w.Code)
	w = httptest.NewRecorder()
	s.ready(w, httptest.NewRequest(http.MethodGet, "/ready", nil))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
}

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

func newTestCluster(t *testing.T, n int) *cluster {
	c, err := startCluster(n, time.Microsecond, time.Second)
	require.NoError(t, err)
	t.Cleanup(c.close)
	return c
}

func TestMarks(t *testing.T) {
	var p picture
	p.mark(1, "page")
	p.mark(1.1, "alert")
	p.mark(3, "over")
	assert.Equal(t, []mark{{1, "page, alert"}, {3, "over"}}, p.marks)
}

func TestWrap(t *testing.T) {
	assert.Equal(t, "all well", wrap("all well"))
	assert.Equal(t, "stragglers", wrap("stragglers"))
	assert.Equal(t, "one slow,\nno copy", wrap("one slow, no copy"))
	assert.Equal(t, "a wide\ncity", wrap("a wide city"))
}

func TestEveryFive(t *testing.T) {
	ticks := everyFive(-0.3, 12)
	require.Len(t, ticks, 3)
	assert.Equal(t, []string{"0", "", "10"}, []string{ticks[0].Label, ticks[1].Label, ticks[2].Label})
}

func TestDraw(t *testing.T) {
	p := picture{
		servers: 200, threshold: 8, last: 10,
		bands:   []band{{from: 0, to: 4, chapter: 1, label: "all well", p50: 0.02, p99: 0.03}, {from: 5, to: 10, chapter: 4, label: "x"}},
		fast:    plotter.XYs{{X: 1, Y: 20}},
		late:    plotter.XYs{{X: 6, Y: 500}},
		stalled: plotter.XYs{{X: 7, Y: 900}},
		marks:   []mark{{9.99, "over"}},
		phi:     plotter.XYs{{X: 0, Y: 0.1}, {X: 10, Y: 1e300}},
		peers:   plotter.XYs{{X: 0, Y: 0.1}, {X: 10, Y: 0.2}},
	}
	name := filepath.Join(t.TempDir(), "case.PNG")
	require.NoError(t, p.drawTo(name))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	image, err := png.DecodeConfig(file)
	require.NoError(t, err)
	assert.Equal(t, 12*dotsPerInch, image.Width)
}
