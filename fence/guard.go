package fence

import (
	"errors"
	"fmt"
	"sync/atomic"
)

// ErrStale is wrapped by what [Guard.Check] returns for a token it refuses.
var ErrStale = errors.New("fence: stale token")

// A StaleError is a refusal. It wraps [ErrStale].
type StaleError struct {
	Token   Token // what was shown; 0 for none
	Highest Token // what the guard has seen
}

func (e *StaleError) Error() string {
	if e.Token == 0 {
		return "fence: no token"
	}
	return fmt.Sprintf("fence: token %d is stale, %d has been seen", e.Token, e.Highest)
}

func (e *StaleError) Unwrap() error { return ErrStale }

// A Guard stands at a resource, and lets in whoever shows the largest token so
// far, or a larger one. It is safe for concurrent use. The zero value is usable,
// and has seen no token; a Guard must not be copied.
type Guard struct {
	highest   atomic.Uint64
	refusals  atomic.Uint64
	takeovers atomic.Uint64
}

// NewGuard returns a guard that has seen the token highest. A resource that
// survives its process stores Highest with its data, in the same transaction:
// a guard that forgets lets the old ones in.
func NewGuard(highest Token) *Guard {
	g := new(Guard)
	g.highest.Store(uint64(highest))
	return g
}

// Check returns nil if t is at least as large as every token before, and a
// *[StaleError] if not, or if t is 0. From then on all smaller ones are refused.
//
// The order of checks is the order of writes only if the caller makes it so:
// call Check under the lock, or in the transaction, that does the write. And a
// token from an unknown hand can be too large, and shuts everyone else out: the
// guard believes what it is shown.
//
// A token that is the largest already costs one load, and nothing is written that
// others would have to fetch again.
func (g *Guard) Check(t Token) error {
	for {
		highest := g.highest.Load()
		switch {
		case t == 0 || uint64(t) < highest:
			g.refusals.Add(1)
			return &StaleError{Token: t, Highest: Token(highest)}
		case uint64(t) == highest:
			return nil
		}
		if g.highest.CompareAndSwap(highest, uint64(t)) {
			g.takeovers.Add(1)
			return nil
		}
	}
}

// Highest returns the largest token seen, 0 for none.
func (g *Guard) Highest() Token { return Token(g.highest.Load()) }

// GuardStats counts what a guard did. Beside concurrent checks each number is
// right for itself.
type GuardStats struct {
	Highest   Token
	Refusals  uint64 // checks that returned an error: writes that would have been wrong
	Takeovers uint64 // tokens that were larger than all before
}

// Stats returns the counters.
func (g *Guard) Stats() GuardStats {
	return GuardStats{Highest: g.Highest(), Refusals: g.refusals.Load(), Takeovers: g.takeovers.Load()}
}
