package liveness

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestSilenceNeverFalls: nanosecond by nanosecond where the formula changes, and
// at random in between, for laws of all kinds.
func TestSilenceNeverFalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	tries := 5000
	if testing.Short() {
		tries = 500
	}
	for range tries {
		interval := int64(math.Pow(10, 3+12*rng.Float64()))
		scale := func() float64 { return float64(interval) / nanos * math.Pow(10, -4+5*rng.Float64()) }
		beyond := scale()
		s := silence{
			interval: interval,
			begins:   math.Pow(10, -6*rng.Float64()) * 0.999,
			stays:    1 - math.Pow(10, -2.3*rng.Float64()) + 1e-4,
			origin:   (2*rng.Float64() - 1) * float64(interval) / nanos,
			beyond:   fitLogNormal(beyond, beyond*math.Pow(10, -2+3*rng.Float64())),
		}
		s.fit()
		origin := int64(s.origin * nanos)
		for _, x := range []int64{
			-interval, 0, origin, origin + interval, origin + int64(beyond*nanos), interval, 2 * interval,
			int64(rng.Float64() * float64(interval)), int64(5 * rng.Float64() * float64(interval)), rng.Int64N(1 << 61),
		} {
			before := 0.0
			for off := x - 20; off < x+20; off++ {
				level := s.phi(off)
				if !(level >= before && level <= math.MaxFloat64) {
					t.Fatalf("%+v: %v at %d, and %v a nanosecond before", s, level, off, before)
				}
				before = level
			}
		}
	}
}

// TestLossesChain: the chain is counted as its states are passed.
func TestLossesChain(t *testing.T) {
	l := losses{keep: 1, window: 1000}
	for range 97 {
		l.learn(0, false, 1, 8)
	}
	l.learn(3, false, 4, 8) // + + − − −: 98 after one that arrived, 3 after one that did not
	l.learn(0, true, 2, 8)
	l.learn(0, false, 1, 8)
	if l.arrived != 99 || l.begun != 2 {
		t.Errorf("%v of %v bursts begun, want 2 of 99", l.begun, l.arrived)
	}
	gone := (1*burstKeep+1)*burstKeep + 1
	if want := gone*burstKeep + 1; math.Abs(l.gone-want) > 1e-15 {
		t.Errorf("%v went missing, want %v", l.gone, want)
	}
	if want := (1*burstKeep + 1) * burstKeep * burstKeep; math.Abs(l.continued-want) > 1e-15 {
		t.Errorf("%v bursts went on, want %v", l.continued, want)
	}
}

// TestLossAwareReach: the search for a deadline begins near it.
func TestLossAwareReach(t *testing.T) {
	d, err := NewLossAware(LossAwareConfig{Interval: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	asked, evaluated := 0, 0
	for seq := range 5000 {
		if seq%64 == 5 {
			continue
		}
		at := time.Unix(int64(seq), int64(0.05*nanos*rng.ExpFloat64()))
		d.HeartbeatSeq(uint64(seq), at)
		if seq < 1000 {
			continue
		}
		d.fit()
		for level := 0.25; level < 12; level += 0.25 {
			wait := d.reach(level)
			target := level + d.before
			about := toNanoseconds(d.law.reach(target))
			about = toNanoseconds(d.law.reach(max(2*target-d.law.phi(about), 0)))
			guess := minus(plus(d.expected, about), d.arrival.off)
			again := first(guess, func(elapsed int64) bool { evaluated++; return d.level(elapsed) >= level })
			if asked++; again != wait {
				t.Fatalf("%d and %d", wait, again)
			}
		}
	}
	if mean := float64(evaluated) / float64(asked); mean > 20 {
		t.Errorf("%.1f evaluations a deadline, want fewer than 20", mean)
	} else {
		t.Logf("%.1f evaluations a deadline", mean)
	}
}
