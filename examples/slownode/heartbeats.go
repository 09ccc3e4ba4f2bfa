package main

import (
	"context"
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
