package reconcile

import (
	"math"
	"sync"
	"time"
)

// A Recorder makes a [Run]. It is safe for concurrent use, and made by
// [NewRecorder].
type Recorder struct {
	day   time.Time
	mu    sync.Mutex
	parts map[string]*PartRecorder
}

// NewRecorder begins a run for the day, see [Run].
func NewRecorder(day time.Time) *Recorder {
	return &Recorder{day: day, parts: make(map[string]*PartRecorder)}
}

// Day returns the day of the run.
func (r *Recorder) Day() time.Time { return r.day }

// Part returns the part with that key, which is in the run from now on, with 0
// records.
func (r *Recorder) Part(key string) *PartRecorder {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.parts[key]
	if p == nil {
		p = new(PartRecorder)
		r.parts[key] = p
	}
	return p
}

// Run returns what was recorded so far.
func (r *Recorder) Run() Run {
	r.mu.Lock()
	defer r.mu.Unlock()
	run := Run{Day: r.day, Parts: make(map[string]Part, len(r.parts))}
	for key, p := range r.parts {
		run.Parts[key] = p.part()
	}
	return run
}

// A PartRecorder records one part. It is safe for concurrent use, and made by
// [Recorder.Part].
type PartRecorder struct {
	mu     sync.Mutex
	count  int
	newest time.Time
	fields map[string]*Field
}

// Record records one record, and when it is from. A zero time says nothing of
// that.
func (p *PartRecorder) Record(from time.Time) { p.Records(1, from) }

// Records records n records at once, of which newest is the newest. An n below 0
// counts as 0.
func (p *PartRecorder) Records(n int, newest time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count += min(max(n, 0), math.MaxInt-p.count) // too many are not none
	if newest.After(p.newest) {
		p.newest = newest
	}
}

// Value counts a value of a field, and, unless ok, that it became nothing.
func (p *PartRecorder) Value(field string, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.fields[field]
	if f == nil {
		if p.fields == nil {
			p.fields = make(map[string]*Field)
		}
		f = new(Field)
		p.fields[field] = f
	}
	f.Values++
	if !ok {
		f.Nothing++
	}
}

func (p *PartRecorder) part() Part {
	p.mu.Lock()
	defer p.mu.Unlock()
	part := Part{Count: p.count, Newest: p.newest, Fields: make(map[string]Field, len(p.fields))}
	for name, f := range p.fields {
		part.Fields[name] = *f
	}
	return part
}

// Coerce returns v and counts it as a value of the field. If err is not nil there
// is no value: it returns the zero value of T, and counts that as nothing, which is
// leniency, but not in silence. A float that is NaN is no value either:
// strconv.ParseFloat reads "NaN" without an error.
func Coerce[T any](p *PartRecorder, field string, v T, err error) T {
	ok := err == nil && !isNaN(v)
	p.Value(field, ok)
	if !ok {
		var nothing T
		return nothing
	}
	return v
}

func isNaN(v any) bool {
	switch x := v.(type) {
	case float64:
		return x != x
	case float32:
		return x != x
	}
	return false
}
