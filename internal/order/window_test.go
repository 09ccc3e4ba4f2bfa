package order

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// model is a window that sorts whenever it is asked.
type model struct {
	latest   []int64
	capacity int
}

func (m *model) add(x int64) {
	m.latest = append(m.latest, x)
	m.latest = m.latest[max(0, len(m.latest)-m.capacity):]
}

// compare asks the window all that the model can answer.
func compare(t *testing.T, w *Window, m *model) {
	t.Helper()
	sorted := slices.Sorted(slices.Values(m.latest))
	if w.Len() != len(sorted) || w.Cap() != m.capacity {
		t.Fatalf("Len = %d of %d, want %d of %d", w.Len(), w.Cap(), len(sorted), m.capacity)
	}
	if latest := slices.Collect(w.All()); !slices.Equal(latest, m.latest) {
		t.Fatalf("All = %d, want %d", latest, m.latest)
	}
	for k, want := range sorted {
		if got := w.At(k); got != want {
			t.Fatalf("At(%d) = %d, want %d", k, got, want)
		}
		for _, x := range []int64{want - 1, want, want + 1} {
			above := 0
			for _, y := range sorted {
				if y > x {
					above++
				}
			}
			if got := w.Above(x); got != above {
				t.Fatalf("Above(%d) = %d, want %d", x, got, above)
			}
		}
	}
}

func TestWindow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, capacity := range []int{1, 2, 3, 10, 100} {
		for _, kinds := range []int64{1, 3, math.MaxInt64} { // from all equal to all different
			w, m := New(capacity), &model{capacity: capacity}
			for i := range 5 * capacity {
				x := rng.Int64N(kinds)
				if i == capacity*3/2 {
					w.Reset()
					m.latest = nil
				}
				w.Add(x)
				m.add(x)
				compare(t, &w, m)
			}
		}
	}
}

func TestEmpty(t *testing.T) {
	w := New(3)
	if w.Len() != 0 || w.Above(math.MinInt64) != 0 {
		t.Errorf("an empty window has %d samples, %d of them above the least", w.Len(), w.Above(math.MinInt64))
	}
}

// TestDepth: rising, falling and equal samples, which degrade a plain search tree.
func TestDepth(t *testing.T) {
	const capacity = 1 << 14
	for name, sample := range map[string]func(i int64) int64{
		"rising":  func(i int64) int64 { return i },
		"falling": func(i int64) int64 { return -i },
		"equal":   func(int64) int64 { return 7 },
		"saw":     func(i int64) int64 { return i % 100 },
	} {
		w := New(capacity)
		for i := range int64(3 * capacity) {
			w.Add(sample(i))
		}
		if depth := w.depth(w.root); depth > 60 { // 2 ln n is 19 on average
			t.Errorf("%s: %d samples are %d deep", name, capacity, depth)
		}
	}
}

func (w *Window) depth(root uint32) int {
	if root == 0 {
		return 0
	}
	return 1 + max(w.depth(w.nodes[root].left), w.depth(w.nodes[root].right))
}

func TestAllocations(t *testing.T) {
	w := New(100)
	x := int64(0)
	if n := testing.AllocsPerRun(1000, func() {
		x = x*6364136223846793005 + 1442695040888963407
		w.Add(x)
		w.Above(w.At(w.Len() / 2))
	}); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzWindow(f *testing.F) {
	f.Add(uint8(3), []byte{1, 2, 3, 2, 1, 0, 255, 255})
	f.Add(uint8(0), []byte{9, 8, 7})
	f.Fuzz(func(t *testing.T, capacity uint8, samples []byte) {
		w, m := New(int(capacity)+1), &model{capacity: int(capacity) + 1}
		for _, b := range samples {
			x := int64(int8(b)) * (math.MaxInt64 / 128) // near the extremes as well
			if b == 200 {
				w.Reset()
				m.latest = nil
			}
			w.Add(x)
			m.add(x)
		}
		compare(t, &w, m)
	})
}

var sink int64

func BenchmarkWindow(b *testing.B) {
	for _, size := range []int{100, 1000, 10_000, 100_000} {
		rng := rand.New(rand.NewPCG(1, 1))
		samples := make([]int64, 1<<16)
		for i := range samples {
			samples[i] = int64(1e9 + 1e8*rng.NormFloat64())
		}
		w := New(size)
		for i := range 2 * size {
			w.Add(samples[i%len(samples)])
		}
		i := 0
		b.Run(fmt.Sprintf("op=add/size=%d", size), func(b *testing.B) {
			for b.Loop() {
				i++
				w.Add(samples[i%len(samples)])
			}
		})
		b.Run(fmt.Sprintf("op=at/size=%d", size), func(b *testing.B) {
			for b.Loop() {
				i++
				sink = w.At(i % size)
			}
		})
		b.Run(fmt.Sprintf("op=above/size=%d", size), func(b *testing.B) {
			for b.Loop() {
				i++
				sink = int64(w.Above(samples[i%len(samples)]))
			}
		})
	}
}
