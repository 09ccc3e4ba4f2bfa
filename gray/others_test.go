package gray_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

// The rules of systems that this package does not imitate, as their published
// decisions describe them, and beside them what the guard here does: so that the
// difference is on record.

// zone is the state of a zone and the evictions a second in Kubernetes.
func zone(ready, notReady int, allFull bool) (state string, rate float64) {
	n := ready + notReady
	switch {
	case ready == 0 && notReady > 0:
		if allFull {
			return "FullDisruption", 0
		}
		return "FullDisruption", 0.1
	case notReady > 2 && 100*notReady >= 55*n:
		if n > 50 {
			return "PartialDisruption", 0.01
		}
		return "PartialDisruption", 0
	}
	return "Normal", 0.1
}

func TestOthersMassFailure(t *testing.T) {
	for _, v := range readVectors(t).MassFailure {
		t.Run(v.ID, func(t *testing.T) {
			switch {
			case v.Zones != nil:
				allFull := true
				for _, z := range v.Zones {
					allFull = allFull && z.Ready == 0
				}
				total, bad := 0, 0
				for name, z := range v.Zones {
					state, rate := zone(z.Ready, z.Notready, allFull)
					assert.Equal(t, v.State[name], state)
					if want, ok := v.Rate[name]; ok {
						assert.Equal(t, want, rate)
					}
					total += z.Ready + z.Notready
					bad += z.Notready
				}
				// Here one rule serves all sizes: above 20 % nobody is evicted.
				// Kubernetes would go on in K5, K7 and, slowly, K9.
				assert.Equal(t, bad > 0, newGuard(t, gray.GuardConfig{}).Look(t0, census(total, bad)).Open)
			case v.N != nil:
				for i, n := range v.N {
					limit := n - n*85/100
					missing := 0
					for 2*(n-missing-1) > 2*n*85/100 {
						missing++
					}
					assert.Equal(t, v.EvictionLimit[i], limit, "%d", n)
					assert.Equal(t, v.MissingAllowed[i], missing, "%d", n)
					// Eureka compares twice, with two results. Here one comparison
					// decides both, and it is the careful one.
					g := newGuard(t, gray.GuardConfig{MaxPercent: 15})
					r := g.Look(t0, census(n, gray.MaxEjected(n, 15)))
					assert.False(t, r.Open)
					assert.LessOrEqual(t, r.Limit, limit)
					assert.True(t, g.Look(t0, census(n, r.Limit+1)).Open)
				}
			default:
				for _, row := range v.Rows {
					panicRow(t, row)
				}
			}
		})
	}
}

// panicRow checks Envoy's panic with two priorities, which concerns routing and
// has no counterpart here: health · 1.4 is what a priority can take, and below
// 50 % healthy it is in panic unless all together can take everything.
func panicRow(t *testing.T, row []any) {
	health := [2]float64{row[0].(float64), row[1].(float64)}
	able := [2]float64{min(math.Floor(health[0]*1.4), 100), min(math.Floor(health[1]*1.4), 100)}
	total := min(able[0]+able[1], 100)
	for p := range health {
		assert.Equal(t, row[3+p].(bool), total < 100 && health[p] < 50, "%v", row)
	}
	traffic := math.Floor(able[0] * 100 / total)
	switch health[0] {
	case 25, 50:
		if health[1] != 25 {
			// The published table has the plain percentage in these two rows, where
			// its own formula gives 70 and 35.
			assert.Equal(t, health[0], row[2].(float64))
			return
		}
	}
	assert.Equal(t, row[2].(float64), traffic, "%v", row)
}

// TiKV's slow score: multiplied by up to 2 with the share of timeouts, and
// lowered by time alone. Here only evidence counts, in both directions.
func TestOthersSlowScore(t *testing.T) {
	for _, v := range readVectors(t).SlowScore {
		score := v.Start
		for _, s := range v.Steps {
			if share := float64(s.Timeouts) / float64(s.Total); share > 0 {
				score *= min(1+share/v.Thresh, 2)
			} else {
				score = max(score-99/v.MinTTR*s.Dt, 1)
			}
			assert.InDelta(t, s.Score, score, 0.06, "%s %+v", v.ID, s)
		}
	}
}

// Finagle's success rate as a moving average over requests.
func TestOthersFinagle(t *testing.T) {
	deadOn := func(window float64, good int) int {
		rate, n := 1.0, 0
		add := func(x float64) {
			rate = x + (rate-x)*math.Exp(-1/window)
			n++
		}
		for range good {
			add(1)
		}
		for k := 1; ; k++ {
			add(0)
			if float64(n) >= window && rate < 0.5 {
				return k
			}
		}
	}
	got := map[string]int{"F-E1": deadOn(100, 100), "F-E2": deadOn(5, 0)}
	for _, v := range readVectors(t).Consecutive {
		if v.DeadOnFailure > 0 {
			assert.Equal(t, v.DeadOnFailure, got[v.ID], v.ID)
		}
	}
}

// PD lets a store go when its score has been low for 1800 s. Here it takes
// probes and a slow start, and what has been ejected often is away for longer.
func TestOthersRecovery(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	s.eject(3)
	n := 0
	for ; s.State("s003") != gray.Active; n++ {
		s.all(500, 20*ms, 3)
		if s.State("s003") != gray.Ejected {
			s.send(3, 100, gray.OK, 20*ms)
		}
		s.tick()
	}
	assert.Equal(t, 8, n, "30 s with jitter, one interval of probes, 30 s of slow start: %s", fmt.Sprint(n))
}

// What etcd's data corruption decisions are about is package reconcile: see
// TestVectorsDataValidation there.
func TestOthersAreElsewhere(t *testing.T) {
	assert.Len(t, readVectors(t).DataValidation, 3)
}

// The cases that gRPC was measured with: five servers, one slow or some failing.
func TestAgainstGRPC(t *testing.T) {
	for _, c := range []struct {
		what     string
		latency  func(s int) time.Duration
		errors   func(s int) int // of 700
		ejected  []string
		page     bool
		degraded bool
	}{
		{"one is slow", func(s int) time.Duration { return []time.Duration{ms, ms, ms, ms, 100 * ms}[s] }, func(int) int { return 0 }, []string{name(4)}, false, false},
		{"one fails", func(int) time.Duration { return ms }, func(s int) int { return []int{0, 0, 0, 0, 700}[s] }, []string{name(4)}, false, false},
		{"three fail", func(int) time.Duration { return ms }, func(s int) int { return []int{0, 0, 700, 700, 700}[s] }, nil, true, true},
		{"one fails in three of ten", func(int) time.Duration { return ms }, func(s int) int { return []int{0, 0, 0, 0, 210}[s] }, []string{name(4)}, false, false},
		{"all fail", func(int) time.Duration { return ms }, func(int) int { return 700 }, nil, true, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := begin(t, gray.Config{}, 5)
			var d gray.Decision
			for range 3 {
				for i := range 5 {
					s.send(i, c.errors(i), gray.Error, ms)
					s.send(i, 700-c.errors(i), gray.OK, c.latency(i))
				}
				d = s.tick()
			}
			assert.Equal(t, c.ejected, d.Ejections())
			assert.Equal(t, c.page, d.Guard.Page)
			assert.Equal(t, c.degraded, d.Group.Degraded)
		})
	}
}
