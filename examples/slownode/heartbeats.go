package main

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"example.com/liveness"
)

// heartbeats asks each server for its health at regular times, and takes each
// answer for a heartbeat.
type heartbeats struct {
	cluster   *cluster
	every     time.Duration
	threshold float64
	stop      context.CancelFunc
	done      sync.WaitGroup

	mu   sync.Mutex
	seen map[string][]beat
}

// A beat is an answer to a health check.
type beat struct {
	at    time.Time
	phi   float64 // just before it came: the highest since the last one
	green bool
}

func startHeartbeats(ctx context.Context, c *cluster, every time.Duration) (*heartbeats, error) {
	ctx, stop := context.WithCancel(ctx)
	h := &heartbeats{cluster: c, every: every, stop: stop, seen: map[string][]beat{}}
	for i, s := range c.servers {
		d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: every})
		if err != nil {
			stop()
			return nil, err
		}
		h.threshold = d.Threshold()
		// Not all at once.
		offset := every * time.Duration(i) / time.Duration(len(c.servers))
		h.done.Go(func() {
			if pause(ctx, offset) {
				h.watch(ctx, s, d)
			}
		})
	}
	return h, nil
}

func (h *heartbeats) watch(ctx context.Context, s *server, d liveness.Detector) {
	t := time.NewTicker(h.every)
	defer t.Stop()
	for ctx.Err() == nil {
		_, err := h.cluster.get(ctx, s.url+"/health")
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		b := beat{at: now, phi: d.Suspicion(now), green: err == nil}
		if b.green {
			d.Heartbeat(now)
		}
		h.mu.Lock()
		h.seen[s.name] = append(h.seen[s.name], b)
		h.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-t.C:
		}
	}
}

func (h *heartbeats) end() {
	h.stop()
	h.done.Wait()
}

// of returns what came of a server from one time to another.
func (h *heartbeats) of(name string, from, to time.Time) []beat {
	h.mu.Lock()
	defer h.mu.Unlock()
	var beats []beat
	for _, b := range h.seen[name] {
		if !b.at.Before(from) && b.at.Before(to) {
			beats = append(beats, b)
		}
	}
	return beats
}

// highest returns the highest φ, and how many were green.
func highest(beats []beat) (phi float64, green int) {
	for _, b := range beats {
		phi = max(phi, b.phi)
		if b.green {
			green++
		}
	}
	return phi, green
}

// heartbeat is what heartbeats say of the slow server.
type heartbeat struct {
	Checks    int
	Green     int
	Phi       float64 // the highest of the slow server
	Higher    int     // peers whose highest is as high at least
	Threshold float64
	PerSecond float64
}

// heartbeats looks at what they said meanwhile.
func (s *story) heartbeats(context.Context) error {
	st := s.stages[len(s.stages)-1]
	f := &s.figures.Beats
	var peers []float64
	all := 0
	for _, name := range s.cluster.names() {
		beats := s.beats.of(name, st.from, st.to)
		phi, green := highest(beats)
		all += len(beats)
		if name == s.sick().name {
			f.Checks, f.Green, f.Phi = len(beats), green, phi
		} else {
			peers = append(peers, phi)
		}
	}
	slices.Sort(peers)
	higher, _ := slices.BinarySearch(peers, f.Phi)
	f.Higher = len(peers) - higher
	f.Threshold = s.beats.threshold
	f.PerSecond = float64(all) / st.to.Sub(st.from).Seconds()
	s.say("\n2. HEARTBEATS SEE NOTHING")
	s.say("   its health check: %d of %d green. φ at most %.2f, as high or higher for %d of its %d peers; suspected from %.0f on",
		f.Green, f.Checks, f.Phi, f.Higher, len(peers), f.Threshold)
	return cmp.Or(
		claim(f.Checks > 0 && f.Green == f.Checks, "%d of %d health checks of the slow server were green", f.Green, f.Checks),
		// Where this machine is held up, all are silent, and that is no sight of one.
		claim(f.Phi < f.Threshold || f.Higher*10 >= len(peers), "φ of the slow server reached %.1f, and of %d peers only", f.Phi, f.Higher),
	)
}
