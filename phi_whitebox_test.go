package liveness

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
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
		never := *slow.settings
		never.surely = math.Inf(-1)
		slow.settings = &never
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

// TestPhiSize keeps a detector with a window of 100 within an allocation of 1024
// bytes, of which the allocator has 8.
func TestPhiSize(t *testing.T) {
	if size := unsafe.Sizeof(Phi{}); size > 216 {
		t.Errorf("a Phi takes %d bytes beside its window, want at most 216", size)
	}
}

// TestPlaces has detectors of every small window, in one piece or in two, learn
// the same as one in two pieces, while the collector runs.
func TestPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	one := 0
	for window := 1; window <= 300; window++ {
		d, err := NewPhi(PhiConfig{Distribution: Gaussian{}, WindowSize: window})
		if err != nil {
			t.Fatal(err)
		}
		apart := &Phi{settings: d.settings, window: makeWindow(window)}
		apart.outages = d.outages
		apart.forget()
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 2*window + 1 {
			at = at.Add(time.Second + time.Duration(1e8*rng.NormFloat64()))
			d.Heartbeat(at)
			apart.Heartbeat(at)
		}
		if window%50 == 0 {
			runtime.GC()
		}
		if d.window.Cap() != window || d.Stats() != apart.Stats() || !slices.Equal(slices.Collect(d.window.All()), slices.Collect(apart.window.All())) {
			t.Fatalf("window %d: learnt %+v, and %+v in two pieces", window, d.Stats(), apart.Stats())
		}
		if p, ok := together.Load(window); ok && p.(piece).Type != nil {
			one++
		}
	}
	if one == 0 || one == 300 { // how many depends on the allocator
		t.Errorf("%d of 300 in one piece, want both kinds", one)
	}
}

// TestSharedSettings has equal detectors share what they were told, and others not.
func TestSharedSettings(t *testing.T) {
	first, err := NewPhi(PhiConfig{Distribution: Gaussian{}, Threshold: 5.5})
	if err != nil {
		t.Fatal(err)
	}
	for threshold := 1.0; threshold < 300; threshold++ {
		other, err := NewPhi(PhiConfig{Distribution: Gaussian{}, Threshold: threshold})
		if err != nil {
			t.Fatal(err)
		}
		if other.Threshold() != threshold {
			t.Fatalf("the threshold is %v, want %v", other.Threshold(), threshold)
		}
	}
	second, third := must(NewPhi(PhiConfig{Distribution: Gaussian{}, Threshold: 5.5})), must(NewPhi(PhiConfig{Distribution: Gaussian{}, Threshold: 5.5}))
	if first.Threshold() != 5.5 || second.settings != third.settings {
		t.Error("equal settings are kept twice")
	}
}

func must(d *Phi, err error) *Phi {
	if err != nil {
		panic(err)
	}
	return d
}

func TestZeroValues(t *testing.T) {
	now := time.Now()
	if d := (&Phi{}); d.Threshold() != 0 || d.Stats() != (Stats{}) || d.Evidence() != 0 {
		t.Error("a zero Phi has a threshold, or knows of gaps")
	}
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
