package gray_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// A slow server that is called by one slow client only is excused, as is one
// that has a single slow path.
func TestExcuses(t *testing.T) {
	clients := func(s *script, n int, latency func(client, server int) time.Duration) {
		for c := range 6 {
			for i := range 10 {
				for range n {
					s.Record(fmt.Sprintf("c%d", c), name(i), gray.OK, latency(c, i))
				}
			}
		}
	}
	t.Run("path", func(t *testing.T) {
		s := begin(t, gray.Config{}, 10)
		for range 5 {
			clients(s, 100, func(c, i int) time.Duration {
				if c == 1 && i == 3 {
					return 300 * ms
				}
				return 20 * ms
			})
			s.verdict(s.tick(), 3, gray.Suppressed, gray.PathFault)
		}
		assert.EqualValues(t, 5, s.Counters().Suppressed[gray.PathFault])
		require.Len(t, s.Table().Faults(), 1)
		assert.Equal(t, gray.FaultPath, s.Table().Faults()[0].Kind)
	})
	t.Run("client", func(t *testing.T) {
		s := begin(t, gray.Config{}, 10)
		for range 5 {
			clients(s, 60, func(c, i int) time.Duration {
				if c == 1 {
					return 300 * ms
				}
				return 20 * ms
			})
			// The slow client calls server 3 only so often that it shows.
			for c := range 6 {
				for i := range 10 {
					for range 5000 {
						if c != 1 {
							s.Record(fmt.Sprintf("c%d", c), name(i), gray.OK, 20*ms)
						} else if i == 3 {
							s.Record("c1", name(i), gray.OK, 300*ms)
						}
					}
				}
			}
			s.verdict(s.tick(), 3, gray.Suppressed, gray.ClientFault)
		}
	})
	t.Run("server", func(t *testing.T) {
		s := begin(t, gray.Config{}, 10)
		var d gray.Decision
		for range 3 {
			clients(s, 100, func(c, i int) time.Duration {
				if i == 3 {
					return 300 * ms
				}
				return 20 * ms
			})
			d = s.tick()
		}
		s.verdict(d, 3, gray.Eject, gray.None)
	})
}

// Whose slowness is excused by a path, and who fails besides, counts under the cap.
func TestExcusedThatFailCount(t *testing.T) {
	s := begin(t, gray.Config{Failures: -1}, 10)
	for range 4 {
		for i := range 10 {
			for c := range 4 {
				client, latency := fmt.Sprint("c", c), 20*ms
				if i < 4 && c == i {
					latency = time.Second
				}
				for range 200 {
					s.Record(client, name(i), gray.OK, latency)
				}
				if i < 4 {
					for range 300 {
						s.Record(client, name(i), gray.Error, ms)
					}
				}
			}
		}
		d := s.tick()
		assert.Empty(t, d.Ejections())
		assert.Equal(t, 4, d.Guard.Unhealthy)
		assert.True(t, d.Guard.Open)
	}
}
