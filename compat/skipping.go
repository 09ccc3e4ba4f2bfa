package compat

import (
	"math"
	"sync"
	"time"

	"example.com/liveness"
)

// skipping is a Phi to which gaps above a limit teach nothing. The Phi lives on a
// clock that stands still during such a gap: to it the gap is 0, which teaches
// nothing either.
type skipping struct {
	phi   *liveness.Phi
	limit time.Duration

	mu      sync.Mutex
	skipped time.Duration // how far the clock of phi is behind
}

func (d *skipping) Heartbeat(at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at = at.Add(-d.skipped)
	if last := d.phi.Deadline(0); !last.IsZero() {
		if gap := at.Sub(last); gap > d.limit && d.skipped <= math.MaxInt64-gap {
			d.skipped += gap
			at = at.Add(-gap)
		}
	}
	d.phi.Heartbeat(at)
}

func (d *skipping) Suspicion(now time.Time) float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.phi.Suspicion(now.Add(-d.skipped))
}

func (d *skipping) Deadline(level float64) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := d.phi.Deadline(level)
	if at.IsZero() {
		return at
	}
	return at.Add(d.skipped)
}

func (d *skipping) Threshold() float64 { return d.phi.Threshold() }

// AppendBinary appends what was learnt: see Restarts in package liveness. How far
// the clock is behind is of no use to another process.
func (d *skipping) AppendBinary(b []byte) ([]byte, error) { return d.phi.AppendBinary(b) }

func (d *skipping) MarshalBinary() ([]byte, error) { return d.phi.MarshalBinary() }

func (d *skipping) UnmarshalBinary(data []byte) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.phi.UnmarshalBinary(data); err != nil {
		return err
	}
	d.skipped = 0
	return nil
}
