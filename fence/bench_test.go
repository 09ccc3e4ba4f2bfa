package fence_test

import (
	"testing"

	"example.com/liveness/fence"
	"example.com/liveness/internal/pernow"
)

func BenchmarkAdmit(b *testing.B) {
	b.Run("current", func(b *testing.B) {
		g := fence.NewGuard(7)
		pernow.Bench(b, func() { g.Admit(7) }, nil)
	})
	b.Run("takeover", func(b *testing.B) {
		var g fence.Guard
		token := fence.Token(0)
		pernow.Bench(b, func() {
			token++
			g.Admit(token)
		}, nil)
	})
	b.Run("stale", func(b *testing.B) {
		g := fence.NewGuard(7)
		pernow.Bench(b, func() { g.Admit(6) }, nil)
	})
}

func BenchmarkDo(b *testing.B) {
	g := fence.NewGuard(7)
	n := 0
	pernow.Bench(b, func() { g.Do(7, func() error { n++; return nil }) }, nil)
}

func BenchmarkNext(b *testing.B) {
	var i fence.Issuer
	pernow.Bench(b, func() { i.Next() }, nil)
}
