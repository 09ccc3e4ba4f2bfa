package liveness

import "time"

// FixedTimeout suspects a process after a constant silence. Its level is
//
//	(now − last) / timeout
//
// with last the arrival of the last heartbeat, so that 1 is the timeout and 2
// twice the timeout; its threshold is 1. It learns nothing: it is for links
// whose worst case is known, and the yardstick for the detectors that learn. To
// let a process that sends every interval pause for a while, set the timeout to
// the sum of both.
//
// A FixedTimeout is safe for concurrent use. It must be made by
// [NewFixedTimeout]; the zero value panics at its first heartbeat.
type FixedTimeout struct{ countdown }

// NewFixedTimeout returns a detector with the given timeout, from 1 µs to 100 days.
func NewFixedTimeout(timeout time.Duration) (*FixedTimeout, error) {
	if err := checkDuration("timeout", timeout); err != nil {
		return nil, err
	}
	return &FixedTimeout{countdown{timeout: int64(timeout)}}, nil
}

// Heartbeat records that a heartbeat arrived. One before the last is taken as
// delivered out of order and changes nothing, unless it is the second in a row
// that lies further back than the timeout: then the clock was set back, and it
// is the last one.
func (d *FixedTimeout) Heartbeat(at time.Time) {
	if d.timeout == 0 {
		panic("liveness: FixedTimeout not made by NewFixedTimeout")
	}
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, moved := d.arrival.next(at, off, d.timeout); moved {
		d.due.store(plus(off, d.timeout))
	}
}
