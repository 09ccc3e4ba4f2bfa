package tiers

import (
	"math"
	"math/rand/v2"
	"testing"
)

func newPromise() *promise {
	p := &promise{}
	p.reset()
	return p
}

func TestPromiseAtFirst(t *testing.T) {
	p := newPromise()
	for phi := 0.0; phi < 3; phi += 0.37 {
		if p.ofLaw(phi) != phi || math.Abs(p.kept(phi)-phi) > 1e-15*phi {
			t.Errorf("ofLaw(%v) = %v, kept = %v, want no correction", phi, p.ofLaw(phi), p.kept(phi))
		}
	}
	for phi := 4.0; phi < 20; phi += 0.37 {
		if math.Abs(p.ofLaw(phi)-phi-0.5) > 1e-14 || math.Abs(p.kept(phi+0.5)-phi) > 1e-14 {
			t.Errorf("ofLaw(%v) = %v, want half a decade more", phi, p.ofLaw(phi))
		}
	}
}

// Whatever was learnt, the corrected level rises with that of the law, and both
// ways are inverse.
func FuzzPromise(f *testing.F) {
	f.Add([]byte{0, 255, 40, 40, 40})
	f.Fuzz(func(t *testing.T, data []byte) {
		p := newPromise()
		for _, b := range data {
			for range 1 + b%16*20 {
				p.learn(float64(b) / 40)
			}
		}
		last := -1.0
		for phi := 0.0; phi < 9; phi += 0.0501 {
			asked := p.ofLaw(phi)
			if !(asked > last) || math.Abs(p.kept(asked)-phi) > 1e-12 {
				t.Fatalf("ofLaw(%v) = %v after %v, kept(%v) = %v, of %v", phi, asked, last, asked, p.kept(asked), p.shift)
			}
			last = asked
		}
	})
}

// A law that is wrong by half a decade at every level is put right.
func TestPromiseOfAWrongLaw(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, wrong := range []float64{-0.5, 0, 0.5} {
		p := newPromise()
		var late [knots]float64
		const n = 1_000_000
		for range n {
			// The true φ of a gap has mean 1/ln 10; the law says so much more.
			reached := max(rng.ExpFloat64()/math.Ln10+wrong, 0)
			for i := range late {
				if reached >= p.asked[i+1] {
					late[i]++
				}
			}
			p.learn(reached)
		}
		for i, k := range late {
			// The bounds of shift leave a little of half a decade.
			if off := math.Log10(k / (n * math.Pow(10, -float64(i+1)))); math.Abs(off) > 0.1 {
				t.Errorf("a law wrong by %v: log10 off by %.3f at %d", wrong, off, i+1)
			}
		}
	}
}
