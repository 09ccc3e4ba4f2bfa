package fence

import (
	"errors"
	"math"
	"sync/atomic"
)

// A Token says when its holder was put in charge: the larger, the later. 0 is
// no token.
type Token uint64

// ErrExhausted is returned by an [Issuer] that has given out the largest token.
var ErrExhausted = errors.New("fence: the largest token has been given out")

// An Issuer gives out tokens, each larger than all before. It is safe for
// concurrent use. The zero value is usable, and begins with 1.
type Issuer struct {
	last atomic.Uint64
}

// NewIssuer returns an issuer that begins after last, the largest token that
// may ever have been given out. An issuer that is to survive its process must
// have stored a token durably before it is used; to store one far ahead and to
// begin after that one is right too, since tokens may have gaps.
func NewIssuer(last Token) *Issuer {
	i := new(Issuer)
	i.last.Store(uint64(last))
	return i
}

// Next returns a token that is larger than all before. It returns 0 and
// ErrExhausted after the largest: at a million a second, after half a million
// years.
func (i *Issuer) Next() (Token, error) {
	for {
		last := i.last.Load()
		if last == math.MaxUint64 {
			return 0, ErrExhausted
		}
		if i.last.CompareAndSwap(last, last+1) {
			return Token(last + 1), nil
		}
	}
}

// Last returns the token given out last, or what NewIssuer was told.
func (i *Issuer) Last() Token { return Token(i.last.Load()) }
