package reconcile_test

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/reconcile"
)

func TestRecorder(t *testing.T) {
	r := reconcile.NewRecorder(monday)
	p := r.Part("Seattle")
	assert.Equal(t, reconcile.Run{Day: monday, Parts: map[string]reconcile.Part{"Seattle": {Fields: map[string]reconcile.Field{}}}}, r.Run())
	p.Record(monday.Add(-time.Hour))
	p.Record(monday.Add(-2 * time.Hour))
	p.Record(time.Time{})
	p.Records(10, monday.Add(-30*time.Minute))
	p.Records(-5, time.Time{})
	for _, s := range []string{"12.5", "", "n/a", "7"} {
		v, err := strconv.ParseFloat(s, 64)
		if got := reconcile.Coerce(r.Part("Seattle"), "price", v, err); err != nil {
			assert.Zero(t, got)
		} else {
			assert.Equal(t, v, got)
		}
	}
	run := r.Run()
	assert.Equal(t, map[string]reconcile.Part{"Seattle": {
		Count: 13, Newest: monday.Add(-30 * time.Minute), Fields: map[string]reconcile.Field{"price": {Values: 4, Nothing: 2}},
	}}, run.Parts)
	p.Value("price", false)
	assert.Equal(t, 2, run.Parts["Seattle"].Fields["price"].Nothing, "a run does not change")
	assert.Equal(t, monday, r.Day())
	p.Records(math.MaxInt, monday)
	p.Records(math.MaxInt, monday)
	assert.Equal(t, math.MaxInt, r.Run().Parts["Seattle"].Count, "more than can be counted is not empty")

	assert.Zero(t, reconcile.Coerce(p, "price", math.NaN(), errors.New("no number")))
}

// strconv.ParseFloat reads "NaN" without an error.
func TestCoerceNaN(t *testing.T) {
	r := reconcile.NewRecorder(monday)
	p := r.Part("a")
	assert.Zero(t, reconcile.Coerce(p, "price", math.NaN(), nil))
	assert.Zero(t, reconcile.Coerce(p, "price", float32(math.NaN()), nil))
	assert.Equal(t, reconcile.Field{Values: 2, Nothing: 2}, r.Run().Parts["a"].Fields["price"])
}

func TestConcurrentUse(t *testing.T) {
	r := reconcile.NewRecorder(monday)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 1000 {
				p := r.Part(fmt.Sprint((i + j) % 3))
				p.Record(monday.Add(-time.Duration(i*1000+j+60) * time.Second))
				p.Value("price", j%10 != 0)
				if j%100 == 0 {
					r.Run()
				}
			}
		})
	}
	wg.Wait()
	checker := newChecker(t, reconcile.Config{Keys: []string{"0", "1", "2"}, MaxNothing: 0.11})
	run := r.Run()
	for range 4 {
		wg.Go(func() {
			report := checker.Judge(run, &run, monday)
			assert.NoError(t, report.Err())
			assert.Equal(t, 8000, report.Records)
			assert.Equal(t, 800, report.Nothing)
			assert.Equal(t, 3, report.Present)
		})
	}
	wg.Wait()
}
