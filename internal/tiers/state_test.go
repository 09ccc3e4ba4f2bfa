package tiers

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"example.com/liveness/internal/state"
)

func saved(l *Law) []byte {
	e := state.Begin(nil, 't', 1)
	l.Append(&e)
	return e.Seal()
}

// A law that was saved and read goes on as the one that stayed.
func TestState(t *testing.T) {
	for name, draw := range draws {
		for _, n := range []int{0, 1, 2, 30, 150, 300, 5000, 40_000} {
			stayed := learnt(400, n, draw)
			data := saved(stayed)
			d := state.Open(data, 1)
			read := Read(d, 400)
			if err := d.Close(); err != nil {
				t.Fatalf("%s, %d gaps: %v", name, n, err)
			}
			if !bytes.Equal(saved(read), data) {
				t.Fatalf("%s, %d gaps: read, it is saved as something else", name, n)
			}
			rng := rand.New(rand.NewPCG(8, uint64(n)))
			for range 300 {
				gap := whole(draw(rng))
				stayed.Learn(gap-1, gap, false)
				read.Learn(gap-1, gap, false)
				if stayed.Ready() != read.Ready() {
					t.Fatalf("%s, %d gaps: one is ready, the other is not", name, n)
				}
				for phi := 0.3; phi < 9 && read.Ready(); phi++ {
					if a, b := stayed.Quantile(phi), read.Quantile(phi); a != b {
						t.Fatalf("%s, %d gaps: quantile(%v) = %v, want %v", name, n, phi, b, a)
					}
				}
			}
			if !bytes.Equal(saved(read), saved(stayed)) {
				t.Fatalf("%s, %d gaps: they differ in the end", name, n)
			}
		}
	}
}

// Nothing is kept of a law that is read for its errors alone.
func TestReadNothing(t *testing.T) {
	d := state.Open(saved(learnt(400, 5000, draws["pareto"])), 1)
	if l := Read(d, 0); l.tiers[0].len() > 0 || l.Size() > 0 {
		t.Error("there is something")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}
