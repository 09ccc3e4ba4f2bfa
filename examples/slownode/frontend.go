package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"example.com/liveness/gray"
	"example.com/liveness/hedge"
	"example.com/liveness/integrations/failsafe"
)

// frontendName is what the monitor knows this process by.
const frontendName = "frontend"

// A frontend answers searches: each goes to all shards, and is as slow as the
// slowest. Shard i lives on server i, and a copy of it on the next one.
type frontend struct {
	cluster *cluster
	clock   *clock
	pinned  int // the shard that has no copy, or −1

	monitor *gray.Monitor // told of every attempt; may be nil
	enforce bool          // and asked before each
	hedger  *hedge.Hedger // may be nil

	copies  atomic.Uint64 // probes, whose answers nobody waits for
	probing sync.WaitGroup
}

// search returns how long it took.
func (f *frontend) search(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	// In no fixed order: whoever is asked last would be the slowest.
	shards := rand.Perm(len(f.cluster.servers))
	errs := make([]error, len(shards))
	var wg sync.WaitGroup
	for _, shard := range shards {
		wg.Go(func() { errs[shard] = f.ask(ctx, shard) })
	}
	wg.Wait()
	took := time.Since(began)
	for shard, err := range errs {
		if err != nil {
			return took, fmt.Errorf("shard %d: %w", shard, err)
		}
	}
	return took, nil
}

// ask gets the answer for one shard.
func (f *frontend) ask(ctx context.Context, shard int) error {
	servers := f.route(ctx, shard)
	if f.hedger == nil {
		return f.send(ctx, servers[0], shard)
	}
	_, err := failsafe.Do(ctx, f.hedger, servers, func(ctx context.Context, server string) (struct{}, error) {
		began := time.Now()
		err := f.send(ctx, server, shard)
		// Of the first attempt that lost, the hedger tells.
		if err != nil && ctx.Err() != nil && server != servers[0] {
			f.record(server, gray.Cancelled, time.Since(began))
		}
		return struct{}{}, err
	}, func(l hedge.Loss) {
		if !l.Failed {
			f.record(l.Server, gray.HedgedAway, l.Elapsed)
		}
	})
	return err
}

// route returns the servers for a shard, the preferred one first.
func (f *frontend) route(ctx context.Context, shard int) []string {
	owner := f.cluster.servers[shard].name
	if shard == f.pinned {
		return []string{owner}
	}
	other := f.cluster.servers[(shard+1)%len(f.cluster.servers)].name
	if !f.enforce {
		return []string{owner, other}
	}
	state := f.monitor.State(owner)
	admitted := f.monitor.Admit(owner, f.clock.now())
	if state == gray.Probation && admitted {
		// It gets a copy of the request, so that no search waits for it.
		f.copies.Add(1)
		f.probing.Go(func() { f.send(context.WithoutCancel(ctx), owner, shard) })
	}
	if admitted && state != gray.Probation {
		return []string{owner, other}
	}
	return []string{other}
}

// send asks one server, and tells the monitor how it went, unless the request was
// given up.
func (f *frontend) send(ctx context.Context, name string, shard int) error {
	began := time.Now()
	_, err := f.cluster.get(ctx, fmt.Sprintf("%s/search?shard=%d", f.cluster.byName[name].url, shard))
	switch {
	case err == nil:
		f.record(name, gray.OK, time.Since(began))
	case ctx.Err() == nil:
		f.record(name, gray.Unreachable, time.Since(began))
	}
	return err
}

func (f *frontend) record(name string, o gray.Outcome, took time.Duration) {
	if f.monitor != nil {
		f.monitor.Record(frontendName, name, o, took)
	}
}
