package main

import (
	"context"
	"sync"
	"time"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// registry is a design for watching many peers.
type registry interface {
	register(key uint32, at time.Time) error
	sender(batch int) sender // for one goroutine
	drain()                  // forgets what was found so far
	settle(now time.Time)    // after heartbeats of the past, before those of the present
	stalls() int
	watch(ctx context.Context, found func(found)) // until ctx is done
}

// sender brings heartbeats.
type sender interface {
	heartbeat(key uint32, at time.Time)
	flush() // those that were kept back
}

// stalls returns how often the monitor found itself stalled.
func (r *ours) stalls() int { return int(r.m.Status(time.Now()).Stalls) }

func (r *obvious) stalls() int { return 0 } // it does not know

// found is a peer that has become suspected.
type found struct {
	key uint32
	due time.Time // when its deadline passed
	at  time.Time // when it was known
}

func newDetector(o options) (*liveness.Phi, error) {
	return liveness.NewPhi(liveness.PhiConfig{
		Distribution: liveness.Gaussian{}, WindowSize: o.window, ExpectedInterval: o.interval,
	})
}

// ours is package peers.
type ours struct {
	m   *peers.Monitor[uint32]
	sub *peers.Subscription[uint32]
}

func newOurs(o options) (registry, error) {
	m, err := peers.New(peers.Config[uint32]{
		NewDetector: func(uint32) (liveness.Detector, error) { return newDetector(o) },
		FirstBeat:   time.Hour,
		Resolution:  500 * time.Microsecond,
	})
	if err != nil {
		return nil, err
	}
	sub, err := m.Subscribe(peers.SubscriptionConfig{Buffer: 1 << 20})
	return &ours{m, sub}, err
}

func (r *ours) register(key uint32, at time.Time) error {
	return r.m.Register(key, at, peers.Registration{})
}

// sender brings heartbeats in batches of such a size, or one by one if it is 1.
func (r *ours) sender(batch int) sender {
	if batch == 1 {
		return single{r.m}
	}
	return &batches{r.m, make([]peers.Arrival[uint32], 0, batch)}
}

type single struct{ m *peers.Monitor[uint32] }

func (s single) heartbeat(key uint32, at time.Time) { s.m.Heartbeat(key, at) }
func (s single) flush()                             {}

type batches struct {
	m    *peers.Monitor[uint32]
	next []peers.Arrival[uint32]
}

func (s *batches) heartbeat(key uint32, at time.Time) {
	if s.next = append(s.next, peers.Arrival[uint32]{Key: key, At: at}); len(s.next) == cap(s.next) {
		s.flush()
	}
}

func (s *batches) flush() {
	s.m.HeartbeatBatch(s.next)
	s.next = s.next[:0]
}

func (r *ours) settle(now time.Time) {
	r.m.Advance(now)
	r.drain()
}

func (r *ours) drain() {
	for _, ok := r.sub.TryNext(); ok; _, ok = r.sub.TryNext() {
		continue // the first heartbeats
	}
}

func (r *ours) watch(ctx context.Context, report func(found)) {
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.m.Run(ctx) })
	for e := range r.sub.Events(ctx) {
		if e.Kind == peers.Suspected {
			report(found{e.Key, e.Deadline, time.Now()})
		}
	}
	wg.Wait()
}

// obvious is one lock around one map, all of which is looked at every 100 ms.
type obvious struct {
	o     options
	mu    sync.Mutex
	peers map[uint32]*watched
}

type watched struct {
	detector  liveness.Detector
	suspected bool
}

const pollInterval = 100 * time.Millisecond

func newObvious(o options) (registry, error) {
	return &obvious{o: o, peers: make(map[uint32]*watched)}, nil
}

func (r *obvious) register(key uint32, _ time.Time) error {
	d, err := newDetector(r.o)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.peers[key] = &watched{detector: d}
	return err
}

func (r *obvious) sender(int) sender { return r }

func (r *obvious) flush() {}

func (r *obvious) heartbeat(key uint32, at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.peers[key]; p != nil {
		p.detector.Heartbeat(at)
		p.suspected = false
	}
}

func (r *obvious) settle(time.Time) {}

func (r *obvious) drain() {}

func (r *obvious) watch(ctx context.Context, report func(found)) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		r.mu.Lock()
		now := time.Now()
		for key, p := range r.peers {
			if !p.suspected && liveness.Suspected(p.detector, now) {
				p.suspected = true
				report(found{key, p.detector.Deadline(p.detector.Threshold()), time.Now()})
			}
		}
		r.mu.Unlock()
	}
}
