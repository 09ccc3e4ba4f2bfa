package livenesstest

import (
	"errors"
	"fmt"
	"sync"
)

// report collects violations, a few of each kind.
type report struct {
	errs  []error
	count map[string]int
}

const perRule = 3

// check notes a violation of rule unless ok.
func (r *report) check(ok bool, rule, format string, args ...any) {
	if ok {
		return
	}
	if r.count == nil {
		r.count = make(map[string]int)
	}
	if r.count[rule]++; r.count[rule] <= perRule {
		r.errs = append(r.errs, fmt.Errorf("%s: %s", rule, fmt.Sprintf(format, args...)))
	}
}

// run runs one group of checks; a panic in it is a violation.
func (r *report) run(name string, f func(*report)) {
	defer func() {
		p := recover()
		r.check(p == nil, "no panic", "%s: %v", name, p)
	}()
	f(r)
}

// concurrently runs f in n goroutines, with their numbers.
func (r *report) concurrently(n int, f func(i int)) {
	panics := make([]any, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			defer func() { panics[i] = recover() }()
			f(i)
		})
	}
	wg.Wait()
	for _, p := range panics {
		r.check(p == nil, "no panic", "in concurrent use: %v", p)
	}
}

func (r *report) err() error { return errors.Join(r.errs...) }
