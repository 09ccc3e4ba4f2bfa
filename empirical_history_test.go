package liveness_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"example.com/liveness"
)

// Histories that made the empirical law wait for hours.

// stream is a Phi that hears heartbeats with an exponential jitter of one hundredth.
type stream struct {
	d   *liveness.Phi
	at  time.Time
	rng *rand.Rand
}

func beating(t testing.TB, cfg liveness.PhiConfig) *stream {
	b := &stream{newPhi(t, cfg), t0, rand.New(rand.NewPCG(1, 2))}
	b.d.Heartbeat(b.at)
	return b
}

// beat adds n gaps.
func (b *stream) beat(n int, gap time.Duration) *stream {
	for range n {
		b.at = b.at.Add(gap + time.Duration(b.rng.ExpFloat64()*float64(gap)/100))
		b.d.Heartbeat(b.at)
	}
	return b
}

func (b *stream) wait(level float64) time.Duration { return b.d.Deadline(level).Sub(b.at) }

// Two heartbeats that come at once when a process connects say nothing of those
// that follow.
func TestEmpiricalAfterAShortFirstGap(t *testing.T) {
	for _, first := range []time.Duration{time.Microsecond, time.Millisecond, 10 * time.Millisecond} {
		for _, n := range []int{1, 60} {
			b := beating(t, liveness.PhiConfig{})
			b.beat(n, first)
			b.beat(300, time.Second)
			if w3, w8 := b.wait(3), b.wait(8); w3 > 10*time.Second || w8 > 30*time.Second {
				t.Errorf("%d first gaps of %v, then 300 of 1 s: φ = 3 after %v, 8 after %v", n, first, w3, w8)
			}
		}
	}
}

// Where the nine largest ratios are pauses and the tenth is none, the tail's index
// is that of the step between them, which must not be believed for long.
func TestEmpiricalOfRarePauses(t *testing.T) {
	for _, c := range []struct {
		pause time.Duration
		every int
	}{{3 * time.Second, 2000}, {30 * time.Second, 200}, {30 * time.Second, 2000}, {30 * time.Second, 5000}} {
		b := beating(t, liveness.PhiConfig{})
		var worst, sum time.Duration
		n := 0
		for i := range 100_000 {
			gap := time.Second
			if b.rng.IntN(c.every) == 0 {
				gap = c.pause
			}
			b.beat(1, gap)
			if i > 1000 && i%11 == 0 {
				w := b.wait(8)
				worst, sum, n = max(worst, w), sum+w, n+1
			}
		}
		if mean := sum / time.Duration(n); worst > 60*c.pause {
			t.Errorf("pauses of %v, one in %d: φ = 8 after %v at worst, %v in the mean", c.pause, c.every, worst, mean)
		}
	}
}

// Outages in a row are another length of the gaps, not ratios to that of before.
func TestEmpiricalOfASlowerProcess(t *testing.T) {
	for _, n := range []int{300, 5000} {
		b := beating(t, liveness.PhiConfig{})
		b.beat(3000, time.Second)
		b.beat(n, time.Millisecond)
		b.beat(10_000, time.Second)
		g := beating(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
		g.beat(3000, time.Second)
		g.beat(n, time.Millisecond)
		g.beat(10_000, time.Second)
		if w := b.wait(8); w > time.Minute {
			t.Errorf("%d gaps of 1 ms, then 10 000 of 1 s: φ = 8 after %v; of a Gaussian after %v", n, w, g.wait(8))
		}
	}
}

// What an outage teaches is at most the wait of now, not that of an outage long ago.
func TestEmpiricalAfterAnOldOutage(t *testing.T) {
	b := beating(t, liveness.PhiConfig{ExpectedInterval: 100 * time.Second})
	b.beat(1000, 100*time.Second)
	b.beat(1, time.Hour)
	b.beat(20_000, time.Millisecond)
	b.beat(1, 100*time.Millisecond) // an outage, which is learnt as several minutes
	before := b.wait(8)
	if mean := b.d.Stats().Mean; mean > 0.01 {
		t.Errorf("mean %v s after an outage of 0.1 s among gaps of 1 ms", mean)
	}
	b.beat(10, time.Millisecond)
	b.beat(1, 3*time.Second)
	if after := b.wait(8); after > 2*before {
		t.Errorf("one outage of 3 s: φ = 8 after %v, was %v", after, before)
	}
}

// Among equal gaps φ jumps at their length, and not half a step of float32 before.
func TestEmpiricalOfTies(t *testing.T) {
	d := newPhi(t, liveness.PhiConfig{MinStdDev: 10 * time.Millisecond})
	at := t0
	d.Heartbeat(at)
	for i := range 5502 {
		at = at.Add(time.Duration(2-i%2) * time.Second * 1)
		d.Heartbeat(at)
	}
	last := 0.0
	for ns := range 6000 {
		now := at.Add(2*time.Second + time.Duration(ns-3000))
		phi := d.Suspicion(now)
		if phi < last {
			t.Errorf("φ falls from %v to %v at %v", last, phi, now.Sub(at))
			level := (phi + last) / 2
			if due := d.Deadline(level); due.After(now.Add(-1)) {
				t.Errorf("Deadline(%v) = %v, but φ was %v after %v", level, due.Sub(at), last, now.Sub(at)-1)
			}
			return
		}
		last = phi
	}
}
