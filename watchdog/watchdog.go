package watchdog

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// minTimeout catches a number without its unit: 500 is 500 ns.
	minTimeout = time.Microsecond
	maxTimeout = 100 * 24 * time.Hour
)

// Config configures a [Watchdog].
type Config struct {
	// OnMiss is called when a part has missed its deadline: once in the life
	// of the watchdog, by the goroutine that noticed, with no lock held. It
	// must be set; [Kill] is the one for which this package is named.
	OnMiss func(Miss)

	// WallClock has silences measured by the wall clock too, and the longer
	// one counts. On Linux, among others, the monotonic clock stands still
	// while the machine is suspended or its snapshot is stored, and leases
	// given out by others do not. The price: a wall clock that is set forward
	// by more than a timeout is a miss.
	WallClock bool
}

// A Watchdog watches parts of a program, all of which must be well. The first
// deadline that passes is a miss, and for good: see [Part.Kick].
//
// Pass it instants as [time.Now] returns them. Methods such as UTC, In and Round
// strip the monotonic reading, and without it instants are compared by the wall
// clock, with its steps: one set forward by a timeout is a miss. If it is set back
// by more than a timeout, the next kick of a part is taken all the same, and starts
// its timeout anew; but a part that does not kick is not missed until the clock
// has caught up, and beside Run, which has the monotonic clock, the step is a miss.
//
// A Watchdog is safe for concurrent use. It must be made by [New]; the zero
// value panics.
type Watchdog struct {
	onMiss    func(Miss)
	wallClock bool

	missed atomic.Pointer[Miss]
	parts  atomic.Pointer[[]*Part] // replaced, never changed: readers take no lock
	mu     sync.Mutex              // held by who replaces parts
	added  chan struct{}           // tells Run, so that it looks at the new deadline
}

// New returns a watchdog without parts, which is well. It returns an error that
// names the field, the value and the bound if cfg is out of range.
func New(cfg Config) (*Watchdog, error) {
	if cfg.OnMiss == nil {
		return nil, check(false, "OnMiss", "nil", "a function, such as watchdog.Kill")
	}
	w := &Watchdog{onMiss: cfg.OnMiss, wallClock: cfg.WallClock, added: make(chan struct{}, 1)}
	w.parts.Store(new([]*Part))
	return w, nil
}

// Add adds a part, and counts as its first kick. Its name, not empty, is one
// that no other part has. From then on less than timeout, from 1 µs to 100 days,
// may pass between two kicks. It returns no part but an error that names the
// argument, the value and the bound if one is out of range.
//
// A miss is no error here: after one the part is added all the same, and its
// first kick returns false, as all do.
func (w *Watchdog) Add(name string, timeout time.Duration, now time.Time) (*Part, error) {
	if err := check(minTimeout <= timeout && timeout <= maxTimeout, "timeout", timeout, "a duration from 1µs to 100 days"); err != nil {
		return nil, err
	}
	p := &Part{dog: w, name: name, timeout: timeout}
	p.kicked.Store(offset(now))
	p.wallKicked.Store(wallOffset(now))
	w.mu.Lock()
	defer w.mu.Unlock()
	parts := *w.parts.Load()
	taken := slices.ContainsFunc(parts, func(other *Part) bool { return other.name == name })
	if err := check(name != "" && !taken, "name", fmt.Sprintf("%q", name), "one that is not empty and not in use"); err != nil {
		return nil, err
	}
	parts = append(slices.Clip(parts), p)
	w.parts.Store(&parts)
	select {
	case w.added <- struct{}{}:
	default: // Run has not looked since the last one
	}
	return p, nil
}

// Check reports whether every part is well, and none has ever missed its
// deadline. A part that is overdue at now is a miss. Ask right before what only
// a process that is alive may do; but between the answer and the deed there is
// always room for a pause, so whoever must be sure fences the resource.
func (w *Watchdog) Check(now time.Time) bool {
	if w.missed.Load() != nil {
		return false
	}
	off, wall := offset(now), int64(0)
	if w.wallClock {
		wall = wallOffset(now)
	}
	var latest *Part
	var lateness time.Duration
	for _, p := range *w.parts.Load() {
		if late := p.silence(off, wall) - p.timeout; late >= 0 && (latest == nil || late > lateness) {
			latest, lateness = p, late
		}
	}
	if latest == nil {
		return true
	}
	miss := Miss{Part: latest.name, Timeout: latest.timeout, Silence: latest.timeout + lateness, At: now}
	if w.missed.CompareAndSwap(nil, &miss) {
		w.onMiss(miss)
	}
	return false
}

// Missed returns the miss, if there was one.
func (w *Watchdog) Missed() (Miss, bool) {
	if m := w.missed.Load(); m != nil {
		return *m, true
	}
	return Miss{}, false
}

// Deadline returns the first instant at which Check reports a miss if nobody
// kicks, by the monotonic clock. It is the zero Time if there is no part.
func (w *Watchdog) Deadline() time.Time {
	var first time.Time
	for _, p := range *w.parts.Load() {
		if due := p.deadline(); first.IsZero() || due.Before(first) {
			first = due
		}
	}
	return first
}

// remove takes p out, if it is still in.
func (w *Watchdog) remove(p *Part) {
	w.mu.Lock()
	defer w.mu.Unlock()
	parts := slices.DeleteFunc(slices.Clone(*w.parts.Load()), func(other *Part) bool { return other == p })
	w.parts.Store(&parts)
}

// check returns an error that names the field, its value and the bound, unless ok.
func check(ok bool, field string, value any, want string) error {
	if ok {
		return nil
	}
	return fmt.Errorf("watchdog: %s is %v, want %s", field, value, want)
}
