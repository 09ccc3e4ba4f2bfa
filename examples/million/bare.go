package main

import (
	"context"
	"sync"
	"time"

	"example.com/liveness"
)

// bare is as little as can take heartbeats: locked maps, a detector a peer. It
// finds nobody: it is here to tell what the rest costs.
type bare struct {
	o     options
	parts [256]section
}

type section struct {
	mu    sync.Mutex
	peers map[uint32]liveness.Detector
	_     [48]byte // keeps the locks of two parts apart
}

func newBare(o options) (registry, error) {
	r := &bare{o: o}
	for i := range r.parts {
		r.parts[i].peers = make(map[uint32]liveness.Detector)
	}
	return r, nil
}

func (r *bare) register(key uint32, _ time.Time) error {
	d, err := newDetector(r.o)
	p := &r.parts[key%256]
	p.mu.Lock()
	defer p.mu.Unlock()
	p.peers[key] = d
	return err
}

func (r *bare) sender(int) sender { return r }

func (r *bare) heartbeat(key uint32, at time.Time) {
	p := &r.parts[key%256]
	p.mu.Lock()
	defer p.mu.Unlock()
	if d := p.peers[key]; d != nil {
		d.Heartbeat(at)
	}
}

func (r *bare) flush()                             {}
func (r *bare) drain()                             {}
func (r *bare) settle(time.Time)                   {}
func (r *bare) stalls() int                        { return 0 }
func (r *bare) watch(context.Context, func(found)) {}
