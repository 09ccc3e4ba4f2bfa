package liveness

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unsafe"
)

// TestSurelyNoOutage runs detectors beside twins that compare every gap with
// the deadline: what saves the comparison must never change what is learnt.
func TestSurelyNoOutage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	saved, gaps := 0, 0
	own := []Distribution{
		Gaussian{}, Exponential{}, LogNormal{}, Logistic{}, StudentT{}, LogStudentT{}, Lomax{}, ShiftedExponential{},
	}
	for range 600 {
		cfg := PhiConfig{
			Distribution:     own[rng.IntN(len(own))],
			Threshold:        math.Pow(10, 4*rng.Float64()-2),
			WindowSize:       1 + rng.IntN(200),
			ExpectedInterval: time.Duration(math.Pow(10, 3+8*rng.Float64())),
			PriorWeight:      math.Pow(10, 106*rng.Float64()-100),
		}
		if rng.IntN(3) > 0 {
			cfg.MinStdDev = time.Duration(math.Pow(10, 3+8*rng.Float64()))
		}
		if rng.IntN(3) > 0 {
			cfg.MinRelStdDev = math.Pow(10, 4*rng.Float64()-2)
		}
		if rng.IntN(2) > 0 {
			cfg.AcceptablePause = time.Duration(math.Pow(10, 3+8*rng.Float64()))
		}
		fast, err := NewPhi(cfg)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := NewPhi(cfg)
		if err != nil {
			t.Fatal(err)
		}
		slow.surely = math.Inf(-1)
		if slow.more != nil {
			slow.more.surely = math.Inf(-1)
		}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		scale, sigma := float64(cfg.ExpectedInterval), 3*rng.Float64()
		for range 600 {
			at = at.Add(time.Duration(scale * math.Exp(sigma*rng.NormFloat64())))
			fast.mu.Lock()
			if gaps++; !fast.mayBeOutage(minus(offset(at), fast.arrival.off)) {
				saved++
			}
			fast.mu.Unlock()
			fast.Heartbeat(at)
			slow.Heartbeat(at)
			if fast.Stats() != slow.Stats() {
				t.Fatalf("%+v: learnt %+v, and %+v where every gap is compared", cfg, fast.Stats(), slow.Stats())
			}
		}
	}
	if share := float64(saved) / float64(gaps); share < 0.5 {
		t.Errorf("only %.2f of the comparisons were saved", share)
	} else {
		t.Logf("%.2f of the comparisons were saved", share)
	}
}

// TestPhiSize keeps a detector within an allocation class of 320 bytes.
func TestPhiSize(t *testing.T) {
	if size := unsafe.Sizeof(Phi{}); size > 320 {
		t.Errorf("a Phi takes %d bytes beside its window, want at most 320", size)
	}
}

func TestZeroValues(t *testing.T) {
	now := time.Now()
	for _, d := range []Detector{&Phi{}, &FixedTimeout{}, &Chen{}} {
		for range 2 { // a recovered panic must leave no lock behind
			func() {
				defer func() {
					if s, ok := recover().(string); !ok || !strings.Contains(s, "not made by New") {
						t.Errorf("%T: Heartbeat panicked with %q", d, s)
					}
				}()
				d.Heartbeat(now)
			}()
			if d.Suspicion(now) != 0 || Suspected(d, now) || !d.Deadline(1).IsZero() {
				t.Errorf("%T: the zero value is not unknown", d)
			}
		}
	}
}
