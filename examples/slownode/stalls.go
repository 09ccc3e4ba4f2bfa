package main

import (
	"context"
	"sync"
	"time"
)

const (
	pulseEvery = 10 * time.Millisecond
	// A program that wakes so late cannot tell whether somebody else was slow.
	stalledFrom = 100 * time.Millisecond
)

// stalls notes when this program did not run, since the machine had other things
// to do: an observer that was held up doubts itself.
type stalls struct {
	stop context.CancelFunc
	done sync.WaitGroup

	mu   sync.Mutex
	seen []stall // in order
}

// A stall lasts from when the program should have run to when it did.
type stall struct{ from, to time.Time }

func watchStalls(ctx context.Context) *stalls {
	ctx, stop := context.WithCancel(ctx)
	w := &stalls{stop: stop}
	w.done.Go(func() {
		for {
			due := time.Now().Add(pulseEvery)
			if !pause(ctx, pulseEvery) {
				return
			}
			w.woke(due, time.Now())
		}
	})
	return w
}

func (w *stalls) woke(due, now time.Time) {
	if now.Sub(due) < stalledFrom {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, stall{due, now})
}

func (w *stalls) end() {
	w.stop()
	w.done.Wait()
}

// overlap reports whether a search met a stall.
func (w *stalls) overlap(x sample) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	ended := x.began.Add(x.took)
	for _, s := range w.seen {
		if s.from.Before(ended) && s.to.After(x.began) {
			return true
		}
	}
	return false
}
