package main

import (
	"context"
	"slices"
	"sync"
	"time"
)

// maxInFlight is how many searches may wait at once. More of them mean that this
// machine cannot keep up.
const maxInFlight = 24

// A sample is one search.
type sample struct {
	began   time.Time
	took    time.Duration
	stalled bool // this program was held up meanwhile, so it says nothing
}

// A load sends searches at a constant rate, however long they take: one that
// waited for answers would send fewer to those who are slow, and flatter them.
type load struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu       sync.Mutex
	samples  []sample
	inFlight int
	sent     int
	skipped  int   // for maxInFlight
	err      error // the first one
}

// startLoad calls search every so often until it is ended.
func startLoad(ctx context.Context, every time.Duration, search func(context.Context) (time.Duration, error)) *load {
	ctx, stop := context.WithCancel(ctx)
	l := &load{stop: stop}
	l.done.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			if l.begin() {
				// Those that have begun are finished.
				l.done.Go(func() { l.one(context.WithoutCancel(ctx), search) })
			}
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
		}
	})
	return l
}

func (l *load) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if l.inFlight >= maxInFlight {
		l.skipped++
		return false
	}
	l.inFlight++
	return true
}

func (l *load) one(ctx context.Context, search func(context.Context) (time.Duration, error)) {
	began := time.Now()
	took, err := search(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
	if err != nil {
		if l.err == nil {
			l.err = err
		}
		return
	}
	l.samples = append(l.samples, sample{began: began, took: took})
}

// end waits for the last search, and returns all by the time they began.
func (l *load) end() ([]sample, error) {
	l.stop()
	l.done.Wait()
	slices.SortFunc(l.samples, func(a, b sample) int { return a.began.Compare(b.began) })
	return l.samples, l.err
}
