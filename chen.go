package liveness

import (
	"cmp"
	"time"
)

const defaultChenWindow = 32

// ChenConfig configures a [Chen].
type ChenConfig struct {
	// Interval is the period η at which the process sends heartbeats, from
	// 1 µs to 100 days. It is required.
	Interval time.Duration

	// Margin is the safety margin α added to the expected arrival, from 1 µs
	// to 100 days. Larger is slower and surer: if the delay has mean E(D),
	// a crash is detected within Interval + Margin + E(D). To survive k lost
	// heartbeats in a row, set it to k intervals and the spread of the delay.
	// It is required.
	Margin time.Duration

	// WindowSize is the number n of arrivals the expected arrival is
	// estimated from, from 1 to 1048576, at 8 bytes each. Larger is steadier,
	// and less tolerant of an Interval that is not the sender's. Zero means
	// 32, as in the paper.
	WindowSize int
}

// Chen is the detector NFD-E of Chen, Toueg and Aguilera ("On the Quality of
// Service of Failure Detectors", IEEE Transactions on Computers 51(5), May
// 2002), for senders and monitors whose clocks are not synchronised. From the
// latest n heartbeats with sequence numbers sᵢ and arrivals Aᵢ it expects the
// one after the highest number l at
//
//	EA = 1/n Σ (Aᵢ − η sᵢ) + (l + 1) η
//
// to the nearest nanosecond, and suspects the process from the freshness point
// EA + α on. The level grows from 0 at EA through 1 at the freshness point:
//
//	max(0, now − EA) / α   after the last heartbeat, 0 until then
//
// and its threshold is 1. Because arrivals are normalised by their sequence
// numbers, a lost heartbeat does not shift the estimate, and because deadlines
// follow the sending times, a late heartbeat does not delay the next deadline.
//
// A heartbeat whose sequence number is not above all before it is old or
// repeated, and is ignored. So is one that is more than a thousand numbers ahead
// of twice as many as intervals have gone by, unless the next one goes on from
// there, by no more than a thousand. A sequence that starts again, as after a
// restart of the process, needs a new detector: see [Chen.Ignored].
//
// An arrival that is η + α or more away from what the window says is no delay
// but a shift: the sender was paused, the clock was set, the numbers jumped. The
// window starts again with it, and also with one that would be suspected at once
// because an old sample that was very late has left the window. So a heartbeat
// that is taken in is never answered with suspicion at once. A clock set back is
// believed at the second heartbeat in a row that lies further back than η + α.
//
// # How exact must the interval be
//
// EA lags behind a sender whose period differs from η by half a window of such
// differences. So keep α well above n/2 times the error of η: with the default
// n of 32 and a period 1 % off, above 0.16 η. A sender that works and then
// sleeps for η has a longer period than η; one that uses a ticker has not.
//
// A Chen is safe for concurrent use. Each call costs O(1) and allocates
// nothing. It starts no goroutine and no timer. It must be made by [NewChen];
// the zero value panics at its first heartbeat.
type Chen struct{ sequence }

// NewChen returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewChen(cfg ChenConfig) (*Chen, error) {
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultChenWindow)
	if err := cmp.Or(
		checkDuration("Interval", cfg.Interval),
		checkDuration("Margin", cfg.Margin),
		checkWindowSize("WindowSize", cfg.WindowSize),
	); err != nil {
		return nil, err
	}
	return &Chen{sequence{
		interval: int64(cfg.Interval),
		margin:   int64(cfg.Margin),
		window:   makeWindow(cfg.WindowSize),
	}}, nil
}
