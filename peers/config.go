package peers

import (
	"cmp"
	"fmt"
	"math/bits"
	"time"

	"example.com/liveness"
)

const (
	defaultFirstBeat  = 10 * time.Second
	defaultJump       = 1 << 57
	defaultShards     = 256
	maxShards         = 1 << 16
	defaultResolution = time.Millisecond

	minDuration = time.Microsecond
	maxDuration = 100 * 24 * time.Hour
)

// Config configures a [Monitor]. Only NewDetector is required; each other field
// says what its zero means.
type Config[K comparable] struct {
	// NewDetector returns a detector for one peer, which no other peer may
	// share, or the reason why there is none. It is called when a peer is
	// registered, restarted or reset, with no lock held, and possibly by
	// several goroutines at once.
	NewDetector func(key K) (liveness.Detector, error)

	// FirstBeat is how long a registered peer may be silent before its first
	// heartbeat, from 1 µs to 100 days: after that it is suspected. It runs
	// from the registration or, if that is later, from the first Advance. A
	// [Registration] may say otherwise. Zero means 10 s.
	FirstBeat time.Duration

	// AutoRegister registers the sender of a heartbeat that was never
	// registered. It needs MaxPeers: whoever can send heartbeats can
	// otherwise fill the memory. And a late heartbeat brings a removed peer
	// back. Without it such a heartbeat is refused and counted.
	AutoRegister bool

	// MaxPeers bounds the number of peers registered at once. Zero means no
	// bound.
	MaxPeers int

	// MaxJump is the most by which an incarnation may exceed the last one. A
	// greater one is refused as absurd: once believed, one corrupted
	// heartbeat would make every true one stale for ever. Zero means 2^57,
	// which is 4.5 years of incarnations taken from a clock in nanoseconds.
	MaxJump uint64

	// Shards is the number of parts, each with a lock of its own, that the
	// peers are divided into: a power of two up to 65536. Zero means 256.
	Shards int

	// Resolution is the least time between two rounds of [Monitor.Run], from
	// 1 µs to 1 s, and so the most that a suspicion waits for company. It is
	// also after how long a peer is looked at again whose heartbeat comes in
	// just then. Zero means 1 ms.
	Resolution time.Duration

	Doubt Doubt
	Guard Guard
}

// Registration is what is known of a peer when it is registered. The zero value
// is usable.
type Registration struct {
	// FirstBeat overrides [Config].FirstBeat for this peer unless it is zero,
	// until it is reset.
	FirstBeat time.Duration

	// Last is the newest heartbeat known of the peer, from before it was
	// removed perhaps, or in the view of another monitor. Only newer ones
	// are life.
	Last Beat
}

func (cfg *Config[K]) setDefaults() {
	cfg.FirstBeat = cmp.Or(cfg.FirstBeat, defaultFirstBeat)
	cfg.MaxJump = cmp.Or(cfg.MaxJump, defaultJump)
	cfg.Shards = cmp.Or(cfg.Shards, defaultShards)
	cfg.Resolution = cmp.Or(cfg.Resolution, defaultResolution)
	cfg.Doubt.setDefaults()
	cfg.Guard.setDefaults()
}

func (cfg *Config[K]) check() error {
	return cmp.Or(
		check(cfg.NewDetector != nil, "NewDetector", "nil", "a function"),
		checkDuration("FirstBeat", cfg.FirstBeat),
		check(cfg.MaxPeers >= 0, "MaxPeers", cfg.MaxPeers, "a number of at least 0"),
		check(cfg.MaxPeers > 0 || !cfg.AutoRegister, "MaxPeers", cfg.MaxPeers, "a number above 0 with AutoRegister"),
		check(cfg.Shards > 0 && cfg.Shards <= maxShards && bits.OnesCount(uint(cfg.Shards)) == 1, "Shards", cfg.Shards, "a power of two up to %d", maxShards),
		check(cfg.Resolution >= minDuration && cfg.Resolution <= time.Second, "Resolution", cfg.Resolution, "a duration from 1µs to 1s"),
		cfg.Doubt.check(),
		cfg.Guard.check(),
	)
}

// check returns an error that names the field, its value and the bound, unless ok.
func check(ok bool, field string, value any, want string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("peers: %s is %v, want %s", field, value, fmt.Sprintf(want, args...))
}

func checkDuration(field string, d time.Duration) error {
	return check(minDuration <= d && d <= maxDuration, field, d, "a duration from 1µs to 100 days")
}

func checkDurationOrZero(field string, d time.Duration) error {
	return check(d == 0 || minDuration <= d && d <= maxDuration, field, d, "0 or a duration from 1µs to 100 days")
}
