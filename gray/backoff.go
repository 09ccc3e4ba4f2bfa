package gray

import (
	"cmp"
	"hash/fnv"
	"math/bits"
	"time"
)

// Backoff is how long a server stays ejected: n times Base at its n-th ejection,
// or 2^(n−1) times with Double, and at most Max; then a random part of up to
// Jitter more. The zero value is usable: each field says what its zero means.
type Backoff struct {
	// Base is the first time, from 1 µs to 100 days. Zero means 30 s.
	Base time.Duration

	// Max is the longest time without the jitter, from Base to 100 days. Zero
	// means 300 s, or Base if that is longer.
	Max time.Duration

	// Jitter is the most that is added, so that servers that were ejected
	// together do not come back together. Zero means a tenth of Base,
	// negative means none.
	Jitter time.Duration

	// Double lets the time double instead of growing by Base.
	Double bool
}

func (b *Backoff) setDefaults() {
	orElse(&b.Base, 30*time.Second)
	orElse(&b.Max, max(300*time.Second, b.Base))
	orElse(&b.Jitter, max(b.Base/10, minDuration))
}

func (b Backoff) check() error {
	return cmp.Or(
		checkDuration("Backoff.Base", b.Base),
		checkDuration("Backoff.Max", b.Max),
		check(b.Max >= b.Base, "Backoff.Max", b.Max, "at least Backoff.Base, which is %v", b.Base),
		checkDurationOrOff("Backoff.Jitter", b.Jitter),
	)
}

// NewBackoff returns b with its defaults filled in, or an error that names the
// field, the value and the bound.
func NewBackoff(b Backoff) (Backoff, error) {
	b.setDefaults()
	return b, b.check()
}

// Time returns how long the n-th ejection lasts, without the jitter: from Base
// to Max whatever n is. Zero fields mean their defaults here, too; others must
// have passed [NewBackoff].
func (b Backoff) Time(n int) time.Duration {
	b.setDefaults()
	n = min(max(n, 1), b.Limit())
	if b.Double {
		if n-1 >= bits.Len64(uint64(b.Max/b.Base)) {
			return b.Max
		}
		return min(b.Base<<(n-1), b.Max)
	}
	return min(b.Base*time.Duration(n), b.Max) // n is limited first, so this cannot overflow
}

// Limit returns the number of ejections from which on the time does not grow
// any more. Counting further would only make the way back longer.
func (b Backoff) Limit() int {
	b.setDefaults()
	quotient := uint64((b.Max + b.Base - 1) / b.Base)
	if b.Double {
		return bits.Len64(quotient-1) + 1
	}
	return int(min(quotient, maxCount))
}

// extra returns the jitter for a random number.
func (b Backoff) extra(random uint64) time.Duration {
	if b.Jitter <= 0 {
		return 0
	}
	return time.Duration(jitter(random, uint64(b.Jitter)))
}

// jitter returns a number from 0 to most, as Envoy does it.
func jitter(random, most uint64) uint64 { return random % (most + 1) }

// randomFor returns a number that depends on the seed, the server and how often
// it was ejected, and on nothing else: so the order of ejections does not matter.
func randomFor(seed uint64, server string, n uint64) uint64 {
	h := fnv.New64a()
	h.Write([]byte(server))
	x := h.Sum64() ^ seed*0x9e3779b97f4a7c15 ^ n*0xbf58476d1ce4e5b9
	// The finishing steps of MurmurHash3, which mix every bit into every other.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}
