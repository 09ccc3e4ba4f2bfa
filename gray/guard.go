package gray

import (
	"cmp"
	"sync"
	"time"
)

// A SmallGroup says what happens in a group too small for the cap to allow even
// one ejection: fewer than 5 servers with a cap of 20 %.
type SmallGroup uint8

const (
	// KeepAll ejects nobody: one of four is 25 %, which is above the cap.
	// One that fails pages, as in any group; one that is slow is found, and
	// pages, only if [Config].MinPeers is less than 4.
	KeepAll SmallGroup = iota

	// EjectOne allows one ejection down to three servers, never more.
	EjectOne
)

// GuardConfig configures a [Guard]. The zero value is usable: each field says
// what its zero means.
type GuardConfig struct {
	// MaxPercent is the cap: the share of the members that may be unhealthy,
	// from 1 to 100. Zero means 20.
	MaxPercent int

	// LeavePercent is the share at or below which the guard closes again, from
	// 0 to MaxPercent. Where that is less than one member, one may be unhealthy
	// all the same: a single bad one would hold the guard open for ever. Zero
	// means half of MaxPercent, rounded down; negative means that nobody may be
	// unhealthy.
	LeavePercent int

	// Dwell is how long the share must stay at or below LeavePercent before
	// the guard closes. Zero means 1 min, negative means none.
	Dwell time.Duration

	// PageAfter is at how many looks, since the guard opened, the share must
	// have been above the cap before the page goes out, from 1. The guard
	// itself opens at the first. Zero means 1.
	PageAfter int

	// SmallGroup is what happens where the cap does not allow even one.
	SmallGroup SmallGroup
}

func (c *GuardConfig) setDefaults() {
	orElse(&c.MaxPercent, 20)
	orElse(&c.LeavePercent, c.MaxPercent/2)
	orElse(&c.Dwell, time.Minute)
	orElse(&c.PageAfter, 1)
}

func (c GuardConfig) check() error {
	return cmp.Or(
		checkPercent("Guard.MaxPercent", c.MaxPercent, 1),
		check(c.LeavePercent <= c.MaxPercent, "Guard.LeavePercent", c.LeavePercent, "at most Guard.MaxPercent, which is %d", c.MaxPercent),
		checkDurationOrOff("Guard.Dwell", c.Dwell),
		checkCount("Guard.PageAfter", c.PageAfter, 1),
		check(c.SmallGroup <= EjectOne, "Guard.SmallGroup", uint8(c.SmallGroup), "KeepAll or EjectOne"),
	)
}

// MaxEjected returns how many of n may be ejected under a cap in percent:
// floor(n · percent / 100), computed in integers.
func MaxEjected(n, percent int) int {
	return int(int64(max(n, 0)) * int64(percent) / 100)
}

// limit returns how many of n may be unhealthy: never all of them.
func (c GuardConfig) limit(n int) int {
	k := min(MaxEjected(n, c.MaxPercent), max(n-1, 0))
	if k == 0 && c.SmallGroup == EjectOne && n >= 3 {
		return 1
	}
	return k
}

// leave returns how many of n may be unhealthy for the guard to close.
func (c GuardConfig) leave(n int) int {
	if c.LeavePercent < 0 {
		return 0
	}
	return min(max(MaxEjected(n, c.LeavePercent), 1), c.limit(n))
}

// A Census is who is unhealthy among the members of a group. Names that are no
// members are ignored, and one that is named twice counts once: so a member
// that is removed gives its place back, and nobody has to remember to count down.
type Census struct {
	Members []string
	Ejected []string // taken out already
	Failing []string // found bad by any test, of this library or not
	Silent  []string // not heard of
}

// count returns the number of members and of unhealthy ones.
func (c Census) count() (total, unhealthy int) {
	members := make(map[string]bool, len(c.Members))
	for _, name := range c.Members {
		members[name] = true
	}
	bad := map[string]bool{}
	for _, names := range [][]string{c.Ejected, c.Failing, c.Silent} {
		for _, name := range names {
			if members[name] {
				bad[name] = true
			}
		}
	}
	return len(members), len(bad)
}

// A Ruling is what the guard says at one look.
type Ruling struct {
	Open      bool // evict nobody: the fault is not that of single members
	Page      bool // wake someone; once for each time the guard opens
	Members   int
	Unhealthy int
	Limit     int // how many may be unhealthy
}

// A Guard decides whether anybody may be evicted at all. When more than 20 % of
// a group look bad, the cause is hardly in each of them: a shared dependency, the
// network, or the observer. Evicting them would move their load to the rest.
// So the guard opens: nobody is evicted, and someone is paged, once. It closes
// when the share has stayed at or below half the cap for a while. Those that are
// out already stay out until their time is over.
//
// One comparison, 100 · unhealthy ≤ MaxPercent · members, decides both whether
// an eviction is allowed and whether the guard opens.
//
// The way out where a group has shrunk for good is to remove the members that
// are gone, or [Guard.Override].
//
// A Guard is safe for concurrent use. It must be made by [NewGuard].
type Guard struct {
	cfg GuardConfig

	mu    sync.Mutex
	state guardState
}

// NewGuard returns a closed guard, or an error that names the field, the value
// and the bound.
func NewGuard(cfg GuardConfig) (*Guard, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	return &Guard{cfg: cfg}, nil
}

// Look counts who is unhealthy at now and rules. Failing must hold those who are
// about to be evicted.
func (g *Guard) Look(now time.Time, c Census) Ruling {
	total, unhealthy := c.count()
	g.mu.Lock()
	defer g.mu.Unlock()
	var r Ruling
	g.state, r = g.state.next(g.cfg, now, total, unhealthy)
	return r
}

// Override closes the guard, and keeps it closed until the given time: an
// operator says that those who look bad are bad.
func (g *Guard) Override(until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.state = guardState{override: until}
}

// guardState is a value, so that looking ahead changes nothing.
type guardState struct {
	open, paged bool
	over        int       // looks above the cap since it opened
	calm        time.Time // since when the share is low enough to leave; zero if it is not
	override    time.Time
}

func (s guardState) next(cfg GuardConfig, now time.Time, total, unhealthy int) (guardState, Ruling) {
	r := Ruling{Members: total, Unhealthy: unhealthy, Limit: cfg.limit(total)}
	if now.Before(s.override) {
		return s, r
	}
	if unhealthy > r.Limit {
		s.open, s.calm = true, time.Time{}
		s.over = min(s.over+1, maxCount)
	}
	if s.open && unhealthy <= cfg.leave(total) {
		if s.calm.IsZero() || now.Before(s.calm) {
			s.calm = now
		}
		if now.Sub(s.calm) >= cfg.Dwell {
			s = guardState{}
		}
	} else {
		s.calm = time.Time{}
	}
	if s.over >= cfg.PageAfter && !s.paged {
		s.paged, r.Page = true, true
	}
	r.Open = s.open
	return s, r
}
