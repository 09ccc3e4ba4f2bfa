package peers_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// A death is found at its detector's deadline to the nanosecond, however long the
// detector was not asked, and no peer that lives is suspected on the way.
func TestExact(t *testing.T) {
	exact(t, func(int) float64 { return 1 },
		func() (liveness.Detector, error) { return liveness.NewFixedTimeout(3 * time.Second) },
		func() (liveness.Detector, error) {
			return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, WindowSize: 30})
		},
		func() (liveness.Detector, error) { return liveness.NewPhi(liveness.PhiConfig{}) },
		func() (liveness.Detector, error) {
			return liveness.NewChen(liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
		},
		func() (liveness.Detector, error) {
			return liveness.NewQuantile(liveness.QuantileConfig{})
		},
	)
}

// The detectors of peers that begin to beat five times as fast are asked in time,
// where their windows are long.
func TestExactWhenGapsChange(t *testing.T) {
	exact(t, func(i int) float64 {
		if i/20%2 == 0 {
			return 2
		}
		return 0.4
	}, func() (liveness.Detector, error) {
		return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Exponential{}, WindowSize: 100})
	})
}

// exact lets peers beat with gaps of so many seconds, by the number of the heartbeat,
// and die.
func exact(t *testing.T, gap func(i int) float64, create ...func() (liveness.Detector, error)) {
	const n, life = 300, 60
	detectors := map[string]liveness.Detector{}
	s := begin(t, peers.Config[string]{NewDetector: func(key string) (liveness.Detector, error) {
		d, err := create[len(detectors)%len(create)]()
		detectors[key] = d
		return d, err
	}})
	rng := rand.New(rand.NewPCG(1, 1))
	type beat struct {
		at  float64
		key string
	}
	var beats []beat
	for i := range n {
		key := fmt.Sprint(i)
		s.register(key)
		number := 0
		for sent, death := rng.Float64(), 5+(life-5)*rng.Float64(); sent < death; sent += gap(number) {
			number++
			delay := 0.1 * rng.Float64()
			if rng.IntN(5) == 0 {
				delay = 0.8
			}
			beats = append(beats, beat{sent + delay, key})
		}
	}
	slices.SortFunc(beats, func(a, b beat) int { return cmp.Compare(a.at, b.at) })
	last := map[string]float64{}
	for _, b := range beats {
		last[b.key] = b.at
	}
	want := map[string]time.Time{}
	check := func() {
		for {
			e, ok := s.sub.TryNext()
			if !ok {
				return
			}
			if e.Kind == peers.Suspected {
				deadline, dead := want[e.Key]
				require.True(t, dead, "%s lives", e.Key)
				assert.Equal(t, deadline, e.At, "%s, a %T", e.Key, detectors[e.Key])
				delete(want, e.Key)
			}
		}
	}
	for _, b := range beats {
		s.to(b.at)
		check()
		s.beat(b.key)
		if d := detectors[b.key]; b.at == last[b.key] {
			want[b.key] = d.Deadline(d.Threshold())
		}
	}
	s.to(10 * life)
	check()
	assert.Empty(t, want, "deaths not found")
}
