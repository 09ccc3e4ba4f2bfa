package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A server searches its shard, and that of its neighbour if asked to.
type server struct {
	name, url  string
	base       time.Duration // of a search
	dependency *dependency
	http       *http.Server

	slower     atomic.Bool   // by slowFactor: the gray failure
	stragglers atomic.Uint64 // the share of searches that are as slow, by chance, as Float64bits
	asked      atomic.Uint64 // searches
	city       city
	lost       atomic.Bool // its data, and nobody noticed
}

// slowFactor is how many times slower the slow one is.
const slowFactor = 100

// startServer listens on loopback.
func startServer(name string, base time.Duration, shared *dependency, c city) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{name: name, url: "http://" + l.Addr().String(), base: base, dependency: shared, city: c}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /search", s.search)
	mux.HandleFunc("GET /health", s.health)
	mux.HandleFunc("GET /ready", s.ready)
	mux.HandleFunc("GET /offers", s.offers)
	s.http = &http.Server{Handler: mux}
	go s.http.Serve(l) // ends with Close
	return s, nil
}

func (s *server) search(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	took := time.Duration(float64(s.base) * (0.9 + 0.2*rand.Float64()))
	if s.slower.Load() || rand.Float64() < math.Float64frombits(s.stragglers.Load()) {
		took *= slowFactor
	}
	if !pause(r.Context(), took) || !pause(r.Context(), s.dependency.delay()) {
		return // nobody waits for it any more
	}
	fmt.Fprintln(w, "found")
}

// health is the health check that most have: it says that the process lives.
func (s *server) health(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "well") }

// ready is a deep check: it asks what the server depends on.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.dependency.check(r.Context()); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ready")
}

// offers answers 200 whatever it has.
func (s *server) offers(w http.ResponseWriter, _ *http.Request) {
	offers := []offer{}
	if !s.lost.Load() {
		offers = s.city.offers()
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(offers) // a client that has gone is no concern
}

// A dependency is what all servers share: a database, a name service, a disk.
type dependency struct {
	limit time.Duration // of deep checks
	extra atomic.Int64  // what it adds to every search
}

var errDependency = errors.New("the dependency takes too long")

func (d *dependency) delay() time.Duration { return time.Duration(d.extra.Load()) }

// check compares before it waits: a busy machine is no slow dependency.
func (d *dependency) check(ctx context.Context) error {
	delay := d.delay()
	pause(ctx, min(delay, d.limit))
	if delay > d.limit {
		return errDependency
	}
	return nil
}

// pause reports whether ctx lasted for so long.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
