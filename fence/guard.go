package fence

import (
	"errors"
	"fmt"
	"sync"
)

// ErrStale is wrapped by the refusals of a [Guard].
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
	order sync.Mutex // held from the admission of a token to the end of its write
	mu    sync.Mutex // protects stats
	stats GuardStats
}

// NewGuard returns a guard that has seen the token highest. A resource that
// survives its process stores Highest with its data, in the same transaction, that
// is, in the write of [Guard.Do]: a guard that forgets lets the old ones in.
func NewGuard(highest Token) *Guard {
	return &Guard{stats: GuardStats{Highest: highest}}
}

// Do admits t and runs write as one step: no other Do or Admit comes in between,
// so no write follows one with a larger token. It returns a *[StaleError] without
// running write if t is refused, see [Guard.Admit], and what write returns
// otherwise. A write that fails, or panics, has shown its token all the same.
//
// Do and Admit wait while write runs, so a write that calls them waits for ever;
// Highest, which is t then, and Stats do not wait. A write ends before it returns,
// and leaves nothing behind, such as a goroutine, that writes later.
func (g *Guard) Do(t Token, write func() error) error {
	g.order.Lock()
	defer g.order.Unlock()
	if err := g.admit(t); err != nil {
		return err
	}
	return write()
}

// Admit returns nil if t is at least as large as every token before, and a
// *[StaleError] if not, or if t is 0. From then on all smaller ones are refused,
// and what they write by [Guard.Do] has been written. So a new leader may show its
// token before it has anything to write, and then rely on being alone. Admit stores
// nothing: if the resource survives its process, show the token by a Do whose write
// stores it.
//
// On its own Admit makes no later write safe: between its answer and the write
// another leader may come and write. Write by Do, or call Admit under the lock
// that every write takes. And a token from an unknown hand can be too large, and
// shuts everyone else out: the guard believes what it is shown.
func (g *Guard) Admit(t Token) error {
	g.order.Lock()
	defer g.order.Unlock()
	return g.admit(t)
}

// admit requires order.
func (g *Guard) admit(t Token) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case t == 0 || t < g.stats.Highest:
		g.stats.Refusals++
		return &StaleError{Token: t, Highest: g.stats.Highest}
	case t > g.stats.Highest:
		g.stats.Takeovers++
		g.stats.Highest = t
	}
	return nil
}

// Highest returns the largest token seen, 0 for none. It does not wait for a write.
func (g *Guard) Highest() Token { return g.Stats().Highest }

// GuardStats counts what a guard did.
type GuardStats struct {
	Highest   Token  // the largest seen, 0 for none
	Refusals  uint64 // tokens refused: writes that would have been wrong
	Takeovers uint64 // tokens that were larger than all before
}

// Stats returns the counters. It does not wait for a write.
func (g *Guard) Stats() GuardStats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stats
}
