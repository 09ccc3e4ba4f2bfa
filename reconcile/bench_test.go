package reconcile_test

import (
	"fmt"
	"testing"

	"example.com/liveness/internal/pernow"
	"example.com/liveness/reconcile"
)

func BenchmarkRecord(b *testing.B) {
	p := reconcile.NewRecorder(monday).Part("Seattle")
	pernow.Bench(b, func() { p.Record(monday) }, nil)
}

func BenchmarkCoerce(b *testing.B) {
	p := reconcile.NewRecorder(monday).Part("Seattle")
	pernow.Bench(b, func() { reconcile.Coerce(p, "price", 1.5, nil) }, nil)
}

func BenchmarkJudge(b *testing.B) {
	keys := make([]string, 200)
	of := make(map[string]int)
	for i := range keys {
		keys[i] = fmt.Sprint(i)
		of[keys[i]] = 1000
	}
	checker := newChecker(b, reconcile.Config{Keys: keys})
	run := counts(monday, of)
	pernow.Bench(b, func() { checker.Judge(run, &run, monday) }, nil)
}
