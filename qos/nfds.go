package qos

import (
	"cmp"
	"fmt"
	"math"
	"sync"
	"time"
)

// NFDSConfig configures an [NFDS].
type NFDSConfig struct {
	// Start is σ₀, when the heartbeat number 0 is or would have been sent, on
	// the clock that sender and monitor share. It is required.
	Start time.Time

	// Interval is the period η at which heartbeats are sent, from 1 µs to 10
	// years. It is required.
	Interval time.Duration

	// Margin is δ, how long after it was sent a heartbeat has to be there,
	// from 1 µs to 10 years. It is required. Start, Interval and Margin together must
	// lie within the 292 years that a Duration can hold.
	Margin time.Duration
}

// NFDS is the detector NFD-S of Chen, Toueg and Aguilera, for a sender and a
// monitor with synchronised clocks. Heartbeat i is sent at σᵢ = Start + i η; from
// the freshness point τᵢ = σᵢ + δ on, the process is trusted only if heartbeat i
// or a later one has arrived. So with l the highest number so far, it is
// suspected from τₗ₊₁ on. The level
//
//	max(0, now − σₗ₊₁) / δ
//
// reaches the threshold 1 there. A crash is detected within η + δ, always, and
// no detector that sends as often and promises this is right more often.
//
// Use it where clocks are synchronised to well below δ: within one machine, in a
// simulation, with PTP. Elsewhere, [liveness.Chen] (NFD-E) learns when
// heartbeats are due and does nearly as well. An error of the clocks is an error
// of δ.
//
// A heartbeat later than the next freshness point leaves the process suspected.
// One that a higher number has overtaken is ignored. As a [liveness.Detector], an
// NFDS suspects nothing before the first heartbeat.
//
// An NFDS is safe for concurrent use, costs O(1) a call and allocates nothing.
// It must be made by [NewNFDS].
type NFDS struct {
	start            time.Time
	interval, margin int64

	mu      sync.Mutex // protects what follows
	heard   bool
	highest uint64
	last    time.Time // when it arrived
}

// NewNFDS returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewNFDS(cfg NFDSConfig) (*NFDS, error) {
	if cfg.Start.IsZero() {
		return nil, fmt.Errorf("qos: Start is the zero Time, want when heartbeat 0 is sent")
	}
	if err := cmp.Or(demandPeriod("Interval", cfg.Interval), demandPeriod("Margin", cfg.Margin)); err != nil {
		return nil, err
	}
	return &NFDS{start: cfg.Start, interval: int64(cfg.Interval), margin: int64(cfg.Margin)}, nil
}

// HeartbeatSeq records the arrival of heartbeat seq.
func (d *NFDS) HeartbeatSeq(seq uint64, at time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.heard || seq > d.highest {
		d.heard, d.highest, d.last = true, seq, at
	}
}

// Heartbeat records the arrival of a heartbeat that carries no sequence number.
// It is taken for the latest one sent by then, which is right where no delay is
// longer than the interval.
func (d *NFDS) Heartbeat(at time.Time) {
	d.HeartbeatSeq(uint64(max(at.Sub(d.start), 0))/uint64(d.interval), at)
}

// due returns when the heartbeat expected next is sent, σₗ₊₁, as an offset from Start. It requires mu.
func (d *NFDS) due() int64 {
	if d.highest >= uint64(math.MaxInt64/d.interval)-1 {
		return math.MaxInt64
	}
	return int64(d.highest+1) * d.interval
}

// Suspicion returns max(0, now − σₗ₊₁)/δ.
func (d *NFDS) Suspicion(now time.Time) float64 {
	d.mu.Lock()
	heard, last, due := d.heard, d.last, d.due()
	d.mu.Unlock()
	if late := int64(now.Sub(d.start)); heard && !now.Before(last) && late > due {
		return float64(late-due) / float64(d.margin)
	}
	return 0
}

// Deadline returns σₗ₊₁ + level·δ, or the last heartbeat if that is later: the
// freshness point for level 1. It is exact to the nanosecond up to a level·δ of
// 2⁵³ ns, 104 days, and to 1 in 2⁵³ beyond.
func (d *NFDS) Deadline(level float64) time.Time {
	d.mu.Lock()
	heard, last, due := d.heard, d.last, d.due()
	d.mu.Unlock()
	if !heard {
		return time.Time{}
	}
	if level <= 0 {
		return last
	}
	wait := math.Ceil(level * float64(d.margin))
	if (wait-1)/float64(d.margin) >= level { // rounding
		wait--
	} else if wait/float64(d.margin) < level {
		wait++
	}
	if !(wait < float64(math.MaxInt64-due)) {
		return d.start.Add(math.MaxInt64)
	}
	deadline := d.start.Add(time.Duration(due + int64(wait)))
	if deadline.Before(last) {
		return last
	}
	return deadline
}

// Threshold returns 1.
func (d *NFDS) Threshold() float64 { return 1 }
