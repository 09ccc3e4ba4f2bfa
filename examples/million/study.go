package main

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// study is all that is measured.
type study struct {
	o       options
	read    time.Duration // a random read of memory
	ours    []point       // rising in peers, the last one with all
	bare    []point       // the same, or nothing
	obvious []point       // the same, or nothing
}

// point is one design with one number of peers.
type point struct {
	peers     int
	bytes     float64       // a peer
	beat      time.Duration // time of a core for one heartbeat, in batches
	single    time.Duration // the same, one by one
	allocs    float64       // for one heartbeat
	idle      float64       // cores that the watch takes while nothing happens
	lag       []time.Duration
	missed    int     // deaths not found
	wrong     int     // live peers suspected
	stalls    int     // times that the watch found itself stalled
	rate      float64 // heartbeats a second that came while the lag was measured
	busy      float64 // cores that this took, with bringing the heartbeats
	hasMeters bool    // bytes and what follows were measured
}

// newStudy measures. It takes minutes.
func newStudy(o options, progress func(format string, args ...any)) (*study, error) {
	s := &study{o: o, read: randomRead(o.seed)}
	var sizes []int
	for n := 1000; n < o.peers; n *= 10 {
		sizes = append(sizes, n)
	}
	sizes = append(sizes, o.peers)
	for _, design := range []struct {
		name   string
		create func(options) (registry, error)
		points *[]point
	}{{"peers", newOurs, &s.ours}, {"locked maps", newBare, &s.bare}, {"the obvious design", newObvious, &s.obvious}} {
		if o.alone && design.points != &s.ours {
			break
		}
		for _, n := range sizes {
			progress("%s: %d peers", design.name, n)
			sized := o
			sized.peers = n
			p, err := measure(sized, design.create, n == o.peers && design.points != &s.bare)
			if err != nil {
				return nil, err
			}
			*design.points = append(*design.points, p)
		}
	}
	return s, nil
}

// randomRead returns how long a core waits for a line of memory that is in no
// cache: each read says where the next one is.
func randomRead(seed uint64) time.Duration {
	const lines, ints, reads = 1 << 21, 16, 1 << 20 // 128 MB
	memory := make([]int32, lines*ints)
	order := rand.New(rand.NewPCG(seed, 3)).Perm(lines)
	for i, line := range order {
		memory[line*ints] = int32(order[(i+1)%lines] * ints)
	}
	m, at := start(1), int32(0)
	for range reads {
		at = memory[at]
	}
	cpu, _, _ := m.stop()
	runtime.KeepAlive(at)
	return cpu / reads
}

// meter reads what is spent.
type meter struct {
	wall    time.Time
	cpu     time.Duration
	mallocs uint64
	cores   int // in use, where nobody counts their time
}

func start(cores int) meter {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	cpu, _ := cpuTime()
	return meter{time.Now(), cpu, stats.Mallocs, min(cores, runtime.GOMAXPROCS(0))}
}

// stop returns what was spent since start: of the cores' time, of real time, and allocations.
func (m meter) stop() (cpu, wall time.Duration, mallocs uint64) {
	now, ok := cpuTime()
	wall = time.Since(m.wall)
	if cpu = now - m.cpu; !ok {
		cpu = wall * time.Duration(m.cores)
	}
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return cpu, wall, stats.Mallocs - m.mallocs
}

func heapInUse() float64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

// measure builds a registry, fills the windows with heartbeats of the past,
// counts what those cost that come when the windows are full, and then, if it is
// to be the whole, lets time go on and peers die.
func measure(o options, create func(options) (registry, error), whole bool) (point, error) {
	p := point{peers: o.peers, hasMeters: whole}
	before := heapInUse()
	r, err := create(o)
	if err != nil {
		return p, err
	}
	rounds := o.window + 1
	measured := max(1, 200_000/o.peers)
	now := time.Now().Add(-time.Duration(rounds+2*passes*measured) * o.interval)
	for key := range uint32(o.peers) {
		if err := r.register(key, now); err != nil {
			return p, err
		}
	}
	if whole {
		p.idle = idle(r)
	}
	order := shuffled(o)
	fill(o, r, order, now, rounds)
	now = now.Add(time.Duration(rounds) * o.interval)
	r.drain()
	p.bytes = (heapInUse() - before - float64(4*o.peers)) / float64(o.peers)
	p.beat, p.single, p.allocs = cost(o, r, order, now, measured)
	if whole {
		r.settle(time.Now())
		live(o, r, order, &p)
	}
	runtime.KeepAlive(r)
	return p, nil
}

// passes is how often a cost is measured; the median counts.
const passes = 5

// cost returns what heartbeats of the past cost, in batches and one by one in
// turn, of a core's time and in allocations, with the same number of rounds each.
func cost(o options, r registry, order []uint32, now time.Time, rounds int) (batched, single time.Duration, allocs float64) {
	var times [2][]time.Duration
	n, batches := float64(rounds*o.peers), []int{o.batch, 1}
	for range passes {
		for i, batch := range batches {
			o.batch = batch
			m := start(o.senders)
			past(o, r, order, now, rounds)
			cpu, _, mallocs := m.stop()
			times[i] = append(times[i], cpu/time.Duration(n))
			allocs = max(allocs, (float64(mallocs)-float64(16*o.senders))/n) // starting the goroutines takes some
			now = now.Add(time.Duration(rounds) * o.interval)
		}
	}
	for _, t := range times {
		slices.Sort(t)
	}
	return times[0][passes/2], times[1][passes/2], allocs
}

// shuffled returns the peers in random order.
func shuffled(o options) []uint32 {
	order := make([]uint32, o.peers)
	for i := range order {
		order[i] = uint32(i)
	}
	rng := rand.New(rand.NewPCG(o.seed, 1))
	rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// part returns the share of sender i.
func part(order []uint32, i, senders int) []uint32 {
	return order[len(order)*i/senders : len(order)*(i+1)/senders]
}

// fill gives every peer so many heartbeats of the past, one interval apart and a
// tenth of it sooner or later: one peer after the other, which is quick.
func fill(o options, r registry, order []uint32, from time.Time, rounds int) {
	share(o, order, func(keys []uint32, j *jitter) {
		s := r.sender(1)
		for _, key := range keys {
			for round := range rounds {
				s.heartbeat(key, from.Add(time.Duration(round)*o.interval+j.next()))
			}
		}
	})
}

// past does the same with all peers in turn, as they come from a network.
func past(o options, r registry, order []uint32, from time.Time, rounds int) {
	share(o, order, func(keys []uint32, j *jitter) {
		s := r.sender(o.batch)
		for round := range rounds {
			at := from.Add(time.Duration(round) * o.interval)
			for _, key := range keys {
				s.heartbeat(key, at.Add(j.next()))
			}
		}
		s.flush()
	})
}

// share divides the peers among the senders, and waits for them.
func share(o options, order []uint32, send func(keys []uint32, j *jitter)) {
	var wg sync.WaitGroup
	for i := range o.senders {
		wg.Go(func() {
			send(part(order, i, o.senders), &jitter{uint64(i + 1), uint64(1)<<uint(math.Log2(float64(o.interval)/10)) - 1})
		})
	}
	wg.Wait()
}

// jitter is a quick source of durations below a power of two.
type jitter struct{ state, mask uint64 }

func (j *jitter) next() time.Duration {
	j.state ^= j.state << 13
	j.state ^= j.state >> 7
	j.state ^= j.state << 17
	return time.Duration(j.state & j.mask)
}

// idle returns how many cores the watch takes while no heartbeat comes and
// nothing is due.
func idle(r registry) float64 {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	runtime.GC() // so that none is under way
	m := start(1)
	r.watch(ctx, func(found) {})
	cpu, wall, _ := m.stop()
	return cpu.Seconds() / wall.Seconds()
}

// live has every peer beat once an interval, by the real clock, and some fall
// silent for ever.
func live(o options, r registry, order []uint32, p *point) {
	dead := make([]atomic.Bool, o.peers)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var mu sync.Mutex // protects what the watch reports
	var wg sync.WaitGroup
	suspected := make(map[uint32]bool)
	remaining, done := o.deaths, make(chan struct{})
	wg.Go(func() {
		r.watch(ctx, func(f found) {
			mu.Lock()
			defer mu.Unlock()
			switch {
			case !dead[f.key].Load():
				p.wrong++
			case !suspected[f.key]:
				suspected[f.key] = true
				p.lag = append(p.lag, f.at.Sub(f.due))
				if remaining--; remaining == 0 {
					close(done)
				}
			}
		})
	})
	var sent atomic.Int64
	for i := range o.senders {
		wg.Go(func() { send(ctx, o, r, part(order, i, o.senders), dead, &sent) })
	}
	// All silence counts from the first round, so all peers are due at once some
	// four intervals later, and only then as they beat.
	wait(ctx, 6*o.interval)
	m, first, stalls := start(o.senders), sent.Load(), r.stalls()
	rng := rand.New(rand.NewPCG(o.seed, 2))
	for range o.deaths {
		wait(ctx, o.duration/time.Duration(o.deaths))
		for {
			if key := rng.IntN(o.peers); dead[key].CompareAndSwap(false, true) {
				break
			}
		}
	}
	cpu, wall, _ := m.stop()
	p.rate = float64(sent.Load()-first) / wall.Seconds()
	p.busy = cpu.Seconds() / wall.Seconds()
	select {
	case <-done:
	case <-time.After(20*o.interval + 10*time.Second):
	}
	p.stalls = r.stalls() - stalls
	cancel()
	wg.Wait()
	p.missed = remaining
	slices.Sort(p.lag)
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// send has peers beat once an interval, in turn, those that are dead excepted.
// As a server does that reads many heartbeats from a socket in one go, it reads
// the clock once for each batch.
func send(ctx context.Context, o options, r registry, keys []uint32, dead []atomic.Bool, sent *atomic.Int64) {
	const batches = 1000 // an interval
	s := r.sender(o.batch)
	for next := time.Now(); ctx.Err() == nil; {
		for b := range batches {
			batch := keys[len(keys)*b/batches : len(keys)*(b+1)/batches]
			at := time.Now()
			n := 0
			for _, key := range batch {
				if !dead[key].Load() {
					s.heartbeat(key, at)
					n++
				}
			}
			s.flush()
			sent.Add(int64(n))
			next = next.Add(o.interval / batches)
			if d := time.Until(next); d > time.Millisecond {
				wait(ctx, d)
			}
		}
	}
}

// late returns the q-quantile of the lag, and false if so many deaths were not
// found that there is none.
func (p *point) late(q float64) (time.Duration, bool) {
	i := int(q * float64(len(p.lag)+p.missed))
	if i >= len(p.lag) {
		return 0, false
	}
	return p.lag[i], true
}
