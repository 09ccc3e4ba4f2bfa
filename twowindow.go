package liveness

import (
	"cmp"
	"time"
)

const defaultShortWindow = 1

// TwoWindowConfig configures a [TwoWindow].
type TwoWindowConfig struct {
	// Interval is the period η at which the process sends heartbeats, from
	// 1 µs to 100 days. It is required.
	Interval time.Duration

	// Margin is the safety margin α added to the expected arrival, from 1 µs
	// to 100 days, as for a [Chen]. It is required.
	Margin time.Duration

	// ShortWindow is the number n₁ of arrivals that tell of the present, from
	// 1 to WindowSize. Zero means 1, as in the paper.
	ShortWindow int

	// WindowSize is the number n₂ of arrivals that tell of the usual, from 1
	// to 1048576. Each takes 8 bytes, and so does each of the short window.
	// Zero means 1000, as in the paper.
	WindowSize int
}

// TwoWindow is the detector 2W-FD of Tomsic, Sens, Garcia, Arantes and Sopena
// ("2W-FD: A Failure Detector Algorithm with QoS", IPDPS 2015): a [Chen] that
// expects the next heartbeat at the later one of two estimates. From the latest
// n₁ and the latest n₂ heartbeats, with sequence numbers sᵢ and arrivals Aᵢ, it
// expects the one after the highest number l at
//
//	EA(n) = 1/n Σ (Aᵢ − η sᵢ) + (l + 1) η
//	EA    = max(EA(n₁), EA(n₂))
//
// each to the nearest nanosecond, and suspects the process from the freshness
// point EA + α on. The short window follows delays that grow, from one heartbeat
// to the next; the long one does not fall for a few that were early. The level
// grows from 0 at EA through 1 at the freshness point:
//
//	max(0, now − EA) / α   after the last heartbeat, 0 until then
//
// and its threshold is 1. What is ignored, and when both windows start again, is
// described at Chen; what the window says is there what the long one says. With
// n₁ = 1, a heartbeat that was late delays the next deadline by as much, and none
// after that.
//
// A TwoWindow is safe for concurrent use. Each call costs O(1) and allocates
// nothing. It starts no goroutine and no timer. It must be made by
// [NewTwoWindow]; the zero value panics at its first heartbeat.
type TwoWindow struct{ sequence }

// NewTwoWindow returns a detector that has heard nothing yet. It returns an
// error that names the field, the value and the bound if cfg is out of range.
func NewTwoWindow(cfg TwoWindowConfig) (*TwoWindow, error) {
	cfg.ShortWindow = cmp.Or(cfg.ShortWindow, defaultShortWindow)
	cfg.WindowSize = cmp.Or(cfg.WindowSize, defaultWindow)
	if err := cmp.Or(
		checkDuration("Interval", cfg.Interval),
		checkDuration("Margin", cfg.Margin),
		checkWindowSize("WindowSize", cfg.WindowSize),
		check(1 <= cfg.ShortWindow && cfg.ShortWindow <= cfg.WindowSize, "ShortWindow", cfg.ShortWindow,
			"a number from 1 to WindowSize, %d", cfg.WindowSize),
	); err != nil {
		return nil, err
	}
	short := makeWindow(cfg.ShortWindow)
	return &TwoWindow{sequence{
		interval: int64(cfg.Interval),
		margin:   int64(cfg.Margin),
		window:   makeWindow(cfg.WindowSize),
		short:    &short,
	}}, nil
}
