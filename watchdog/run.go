package watchdog

import (
	"context"
	"time"
)

// Run watches until a deadline passes or ctx ends, and returns the [Miss] or the
// cause of the end. It is what notices that a part has stopped kicking; that a
// part kicks too late is noticed by its kick. It sleeps until the next deadline,
// and wakes at most once a timeout, however often the parts kick.
func (w *Watchdog) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-timer.C:
		case <-w.added:
		}
		if !w.Check(time.Now()) {
			return *w.missed.Load()
		}
		// Without a part there is no deadline, and adding one will wake it.
		if due := w.Deadline(); !due.IsZero() {
			timer.Reset(time.Until(due))
		}
	}
}
