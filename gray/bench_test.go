package gray_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"example.com/liveness/gray"
	"example.com/liveness/internal/pernow"
)

// Every benchmark reports, beside ns/op, what an operation costs as a multiple
// of time.Now() measured in the same run ("x-now"): the caller has to read the
// clock anyway. What the script takes to make up its arguments is measured in the
// same run, too, and taken off that multiple, not off ns/op.

var (
	sinkBool bool
	sinkSpan time.Duration
	sinkText string
)

// attempts is an endless script of latencies, clients and servers.
type attempts struct {
	latencies [4096]time.Duration
	clients   [4096]string
	servers   [4096]string
	i         uint
}

func newAttempts(clients, servers int) *attempts {
	a := new(attempts)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range a.latencies {
		a.latencies[i] = time.Duration(20e6 * math.Exp(rng.NormFloat64()))
		a.clients[i], a.servers[i] = fmt.Sprintf("10.0.0.%d:443", rng.IntN(clients)), name(rng.IntN(servers))
	}
	return a
}

func (a *attempts) next() (client, server string, latency time.Duration) {
	a.i = (a.i + 1) % uint(len(a.latencies))
	return a.clients[a.i], a.servers[a.i], a.latencies[a.i]
}

func BenchmarkRecord(b *testing.B) {
	for _, size := range []struct{ clients, servers int }{{1, 1}, {1, 10}, {1, 200}, {20, 200}} {
		for _, o := range []gray.Outcome{gray.OK, gray.HedgedAway, gray.Error} {
			b.Run(fmt.Sprintf("clients=%d/servers=%d/outcome=%v", size.clients, size.servers, o), func(b *testing.B) {
				m := newMonitor(b, gray.Config{}, size.servers)
				a := newAttempts(size.clients, size.servers)
				for range len(a.latencies) {
					c, s, l := a.next()
					m.Record(c, s, o, l)
				}
				pernow.Bench(b, func() {
					c, s, l := a.next()
					m.Record(c, s, o, l)
				}, func() { _, sinkText, sinkSpan = a.next() })
			})
		}
	}
}

// BenchmarkRecordContended has all cores record on one path, and on many.
func BenchmarkRecordContended(b *testing.B) {
	for _, servers := range []int{1, 200} {
		b.Run(fmt.Sprintf("servers=%d", servers), func(b *testing.B) {
			m := newMonitor(b, gray.Config{}, servers)
			now := pernow.Clock()
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				a := newAttempts(1, servers)
				for pb.Next() {
					c, s, l := a.next()
					m.Record(c, s, gray.OK, l)
				}
			})
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/now, "x-now")
			b.ReportAllocs()
		})
	}
}

func BenchmarkAdmit(b *testing.B) {
	m := newMonitor(b, gray.Config{}, 200)
	a := newAttempts(1, 200)
	pernow.Bench(b, func() {
		_, s, _ := a.next()
		sinkBool = m.Admit(s, t0)
	}, func() { _, sinkText, sinkSpan = a.next() })
}

// BenchmarkAdvance is one decision on a group that was recorded in full before.
func BenchmarkAdvance(b *testing.B) {
	for _, size := range []struct{ clients, servers int }{{1, 10}, {1, 200}, {20, 200}} {
		b.Run(fmt.Sprintf("clients=%d/servers=%d", size.clients, size.servers), func(b *testing.B) {
			m := newMonitor(b, gray.Config{}, size.servers)
			a := newAttempts(size.clients, size.servers)
			now := t0
			for b.Loop() {
				b.StopTimer()
				for range 500 * size.servers {
					c, s, l := a.next()
					m.Record(c, s, gray.OK, l)
				}
				now = now.Add(10 * time.Second)
				b.StartTimer()
				m.Advance(now)
			}
			b.ReportAllocs()
		})
	}
}

// BenchmarkMemory reports what a path takes when its latencies have been
// recorded over an interval, and judged.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	perPath := 0.0
	for b.Loop() {
		const servers = 500
		m := newMonitor(b, gray.Config{}, servers)
		a := newAttempts(1, servers)
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 500 * servers {
			c, s, l := a.next()
			m.Record(c, s, gray.OK, l)
		}
		m.Advance(t0)
		runtime.GC()
		runtime.ReadMemStats(&after)
		perPath = float64(after.HeapAlloc-before.HeapAlloc) / servers
		runtime.KeepAlive(m)
	}
	b.ReportMetric(perPath, "B/path")
}

// Recording neither allocates nor depends on how much was recorded before.
func TestRecordDoesNotAllocate(t *testing.T) {
	m := newMonitor(t, gray.Config{}, 5)
	server := name(1)
	record := func() {
		for o := gray.OK; o <= gray.HedgedAway; o++ {
			m.Record("c", server, o, 20*ms)
		}
		m.Admit(server, t0)
	}
	record()
	if n := testing.AllocsPerRun(1000, record); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
