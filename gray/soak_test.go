package gray_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// All at once, for the race detector: nothing is lost, and nothing breaks.
func TestSoak(t *testing.T) {
	m := newMonitor(t, gray.Config{Backoff: gray.Backoff{Base: 20 * time.Second}}, 20)
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	var stop atomic.Bool
	var recorded atomic.Int64
	var group sync.WaitGroup
	for g := range 4 {
		group.Go(func() {
			for i := 0; !stop.Load(); i++ {
				server := name(i % 20)
				if !m.Admit(server, t0) && i%7 > 0 {
					continue
				}
				latency := 20 * ms
				if i%20 == 3 {
					latency = 300 * ms
				}
				m.Record(fmt.Sprintf("c%d", (i/20+g)%9), server, gray.Outcome(max(0, i%50-42)), latency)
				recorded.Add(1)
			}
		})
	}
	group.Go(func() {
		for i := 0; !stop.Load(); i++ {
			m.Add("guest")
			m.Record("c", "guest", gray.OK, ms)
			m.Remove("guest")
			m.SetSilent(name(i%20), i%40 == 0)
			m.SetFailing(name(i%20), false)
			m.Weight(name(i%20), t0)
			m.Restore(name(7))
			m.Counters()
			_ = m.Table().String()
		}
	})
	now, requests := t0, int64(0)
	for range rounds {
		now = now.Add(10 * time.Second)
		m.Evaluate(now)
		for _, j := range m.Advance(now).Servers {
			requests += int64(j.Figures.Requests)
			assert.GreaterOrEqual(t, j.Figures.Requests, j.Figures.Failures)
		}
		runtime.Gosched() // lets the others run on few cores
	}
	stop.Store(true)
	group.Wait()
	assert.NotZero(t, requests)
	assert.NotZero(t, m.Counters().Detected[gray.SlowTail]+m.Counters().Detected[gray.SlowMedian]+m.Counters().Intervals)
}

// What is recorded while decisions are made is counted in one interval or the next.
func TestNothingIsLost(t *testing.T) {
	m := newMonitor(t, gray.Config{}, 5)
	var group sync.WaitGroup
	const each = 20_000
	for g := range 4 {
		group.Go(func() {
			for i := range each {
				m.Record(fmt.Sprintf("c%d", g), name(i%5), gray.OK, 20*ms)
			}
		})
	}
	now, total := t0, 0
	advance := func() {
		now = now.Add(10 * time.Second)
		for _, j := range m.Advance(now).Servers {
			total += j.Figures.Requests
		}
	}
	for range 50 { // after 60 idle intervals a client is forgotten
		advance()
	}
	group.Wait()
	advance()
	assert.Equal(t, 4*each, total)
}
