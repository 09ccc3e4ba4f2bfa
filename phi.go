package liveness

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const (
	defaultThreshold = 8
	defaultWindow    = 1000
	defaultInterval  = time.Second
	defaultWeight    = 2
	defaultMinStdDev = 10 * time.Millisecond
	defaultMinRel    = 0.4

	// priorSpread is the prior's standard deviation as a share of its mean.
	priorSpread = 0.25
	// outageLevel is the least level at which a gap is taken for an outage.
	outageLevel = 8
	// deathFactor times the wait is a silence that means the process died.
	deathFactor = 10
	// outagesInARow is the count from which outages are the new normal.
	outagesInARow = 3
)

// PhiConfig configures a [Phi]. The zero value is usable: each field says what
// its zero means.
type PhiConfig struct {
	// Threshold is the φ from which the process is suspected, above 0 and at
	// most 1e12. A calibrated law makes one mistake in 10^Threshold
	// heartbeats. Higher is slower and surer. Zero means 8.
	Threshold float64

	// Distribution names the law of the gaps; the fitted parameters of the
	// value given do not matter. Thresholds do not carry over from one law
	// to another: after 1000 gaps of 1 s, at 2 s of silence, an Exponential
	// says 0.87 and a Gaussian with StdDev 0.1 says 23. Nil means Gaussian.
	Distribution Distribution

	// WindowSize is the number of gaps the law is fitted to, from 1 to
	// 1048576. Larger is steadier and slower to follow. It costs 8 bytes a
	// gap. Zero means 1000.
	WindowSize int

	// ExpectedInterval is the gap expected before any was seen: the prior.
	// It stands for PriorWeight gaps with this mean and a quarter of it as
	// their standard deviation, and fades as gaps arrive, to nothing when
	// the window is full. Set it to the interval at which the process
	// sends. Zero means 1 s.
	ExpectedInterval time.Duration

	// PriorWeight is how many gaps the prior is worth at the start, from
	// 1e-100, which is as good as nothing once there is a gap, to 1e6. Zero
	// means 2.
	PriorWeight float64

	// MinStdDev and MinRelStdDev are the floor of the standard deviation:
	// the larger of MinStdDev and MinRelStdDev times the mean. Without one,
	// regular heartbeats would make a delay of a millisecond damning.
	//
	// If both are zero they mean 10 ms and 0.4, at which, with a Gaussian
	// and a Threshold of 8, a process may be silent for 3.2 intervals
	// however regular it has been. If one is set, the zero of the other
	// means none. MinRelStdDev is at most 100. An Exponential has no use for
	// either.
	MinStdDev    time.Duration
	MinRelStdDev float64

	// AcceptablePause is added to every gap: φ is that of the silence less
	// this pause. It is for pauses that are known and rare, such as garbage
	// collections, and it is paid in full at every detection. Zero means
	// none.
	AcceptablePause time.Duration
}

// Phi is the φ accrual detector of Hayashibara et al. (SRDS 2004). Its level is
//
//	φ(now) = −log10 P(X + AcceptablePause > now − last)
//
// with X the gap between two heartbeats, of the configured [Distribution]
// fitted to the mean and the standard deviation of the latest gaps, and last
// the arrival of the last heartbeat. It has no unit; 3 means that one
// heartbeat in a thousand is later than this, as far as the law is right.
// At last itself and before, the level is exactly 0.
//
// # What a gap teaches
//
// A gap teaches the law its length, with these exceptions:
//
//   - A gap of 0, or a heartbeat before the last one, teaches nothing.
//   - An outage, a gap that outlasted the deadline, is learnt only up to that
//     deadline, as it stood before. So one outage of ten minutes leaves the
//     detection time about where it was. The deadline meant is that of the
//     level 8, or of Threshold if that is higher: a consumer who wants to hear
//     early must not make the detector deaf to ordinary delays.
//   - The third outage in a row, and those that follow it, are learnt up to ten
//     times as long: a process that became slower is followed within a window.
//   - An outage ten times as long as the wait was a death. If the first gap
//     after it is an outage too, but no death, this is another process than
//     before: the window starts again with that gap, and the prior with it.
//
// A Phi is safe for concurrent use. A heartbeat and a query cost O(1) and
// allocate nothing, foreign laws aside. It must be made by [NewPhi].
type Phi struct {
	threshold float64
	family    Distribution // only for foreign laws
	kind      kind

	prior      Stats   // Count is not used
	fade       float64 // the prior's weight for each free place in the window
	minStdDev  float64 // seconds
	minRel     float64
	pause      int64 // nanoseconds
	outageUnit float64
	surely     float64 // below surely times the mean gap plus pause a gap is no outage

	// due is the deadline of the threshold as an offset, so that Suspected
	// needs no lock; unknownDue when it has to be computed.
	due atomic.Int64

	mu      sync.Mutex // protects what follows
	arrival arrival
	window  Window
	fitted  bool
	law     law
	outages int  // in a row
	died    bool // the last gap was a death
	asked   [2]answer
}

// answer remembers a deadline: of the threshold, and of the last other level.
type answer struct {
	level    float64
	unit     float64
	count    uint64 // arrival.count for which deadline and due hold
	deadline time.Time
	due      int64
}

const unknownDue = math.MinInt64

// NewPhi returns a φ detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewPhi(cfg PhiConfig) (*Phi, error) {
	if unset(cfg.Threshold) {
		cfg.Threshold = defaultThreshold
	}
	if cfg.WindowSize == 0 {
		cfg.WindowSize = defaultWindow
	}
	if cfg.ExpectedInterval == 0 {
		cfg.ExpectedInterval = defaultInterval
	}
	if unset(cfg.PriorWeight) {
		cfg.PriorWeight = defaultWeight
	}
	if cfg.MinStdDev == 0 && unset(cfg.MinRelStdDev) {
		cfg.MinStdDev, cfg.MinRelStdDev = defaultMinStdDev, defaultMinRel
	}
	if err := cfg.check(); err != nil {
		return nil, err
	}
	mean := cfg.ExpectedInterval.Seconds()
	d := &Phi{
		threshold: cfg.Threshold,
		kind:      kindOf(cfg.Distribution),
		prior:     Stats{Mean: mean, StdDev: priorSpread * mean},
		fade:      cfg.PriorWeight / float64(cfg.WindowSize),
		minStdDev: cfg.MinStdDev.Seconds(),
		minRel:    cfg.MinRelStdDev,
		pause:     int64(cfg.AcceptablePause),
		window:    makeWindow(cfg.WindowSize),
	}
	if d.kind == foreign {
		d.family = cfg.Distribution
	}
	d.outageUnit = d.kind.unit(max(outageLevel, cfg.Threshold))
	d.surely = d.surelyNoOutage()
	d.asked[0] = answer{level: cfg.Threshold, unit: d.kind.unit(cfg.Threshold)}
	d.due.Store(unknownDue)
	return d, nil
}

func (cfg *PhiConfig) check() error {
	if err := checkPositive("Threshold", cfg.Threshold, maxLevel); err != nil {
		return err
	}
	if err := checkInt("WindowSize", cfg.WindowSize, 1, maxWindow); err != nil {
		return err
	}
	if err := checkDuration("ExpectedInterval", cfg.ExpectedInterval); err != nil {
		return err
	}
	w := cfg.PriorWeight
	if err := check(w >= minWeight && w <= maxWeight, "PriorWeight", w, "a number from %v to %v", minWeight, maxWeight); err != nil {
		return err
	}
	if cfg.MinStdDev != 0 {
		if err := checkDuration("MinStdDev", cfg.MinStdDev); err != nil {
			return err
		}
	}
	if !unset(cfg.MinRelStdDev) {
		if err := checkPositive("MinRelStdDev", cfg.MinRelStdDev, 100); err != nil {
			return err
		}
	}
	if cfg.AcceptablePause != 0 {
		return checkDuration("AcceptablePause", cfg.AcceptablePause)
	}
	return nil
}

// surelyNoOutage returns a factor f such that a gap up to f·mean + pause has
// not broken the deadline of the outage level, whatever the gaps learnt: it
// saves fitting the law on nearly every heartbeat.
func (d *Phi) surelyNoOutage() float64 {
	z := d.outageUnit
	switch d.kind {
	case gaussian: // mean + z·σ, and σ ≥ minRel·mean
		return 1 + z*d.minRel
	case exponential: // z·mean
		return z
	case logNormal:
		// mean·e^(z·s − s²/2), and s² = ln(1 + σ²/mean²). The exponent is
		// concave in s, so it is least at an end: at the relative floor, or
		// at the most that the weights and the absolute floor allow.
		exponent := func(ratio2 float64) float64 {
			s := math.Sqrt(math.Log1p(ratio2))
			return z*s - s*s/2
		}
		least := d.minRel * d.minRel
		absolute := d.minStdDev * nanos // the mean is at least 1 ns
		most := max(least, (1+d.fade)*float64(d.window.Cap()), absolute*absolute)
		return math.Exp(min(exponent(least), exponent(most)))
	}
	return 2 // as documented for a foreign law
}

// Heartbeat records that a heartbeat arrived at the given time and learns from
// the gap since the last one, by the rules in the type's comment. A heartbeat
// before the last one is taken as delivered out of order and changes nothing,
// unless it is the second in a row that lies further back than the detector
// would have waited: then the clock was set back, and it is the last one.
func (d *Phi) Heartbeat(at time.Time) {
	off := offset(at)
	d.mu.Lock()
	for {
		count := d.arrival.count
		gap := minus(off, d.arrival.off)
		wait := int64(never)
		if count > 0 && d.mayBeOutage(gap) {
			if wait = d.wait(); d.arrival.count != count {
				continue // another heartbeat came while a foreign law was asked
			}
		}
		d.arrive(at, off, gap, wait)
		break
	}
	d.mu.Unlock()
}

// mayBeOutage reports whether gap has to be compared with the deadline. It requires mu.
func (d *Phi) mayBeOutage(gap int64) bool {
	// gap − pause ≤ surely · mean, without a division: see priorShare.
	n := d.window.Len()
	w := d.fade * float64(d.window.Cap()-n)
	usual := w*d.prior.Mean*nanos + d.window.sums.Float()
	return gap < 0 || float64(minus(gap, d.pause))*(w+float64(n)) > d.surely*usual
}

// arrive takes the heartbeat in. wait is how long the detector would have
// waited for it, or more where the gap is surely no outage. It requires mu.
func (d *Phi) arrive(at time.Time, off, gap, wait int64) {
	d.arrival.count++
	switch {
	case d.arrival.count == 1:
		d.arrival.set(at, off)
	case gap < 0:
		if !d.arrival.rewind(at, off, wait) {
			return // neither the law nor the last arrival has changed
		}
	default:
		d.arrival.set(at, off)
		if gap > 0 {
			d.learn(gap, wait)
		}
	}
	if d.due.Load() != unknownDue {
		d.due.Store(unknownDue)
	}
}

// learn is the rule for what a gap teaches. It requires mu.
func (d *Phi) learn(gap, wait int64) {
	if gap <= wait {
		d.outages, d.died = 0, false
		d.window.Add(time.Duration(gap))
		d.fitted = false
		return
	}
	d.outages++
	death := gap/deathFactor >= wait
	switch {
	case d.died && !death:
		d.window.Reset()
		d.outages, death = 0, false
	case d.outages < outagesInARow:
		gap = wait
	case death:
		gap = deathFactor * wait
	}
	d.died = death
	d.window.Add(time.Duration(gap))
	d.fitted = false
}

// wait returns how long a silence may last without being an outage. It requires
// mu, and gives it up while it asks a foreign law.
func (d *Phi) wait() int64 {
	l := d.fit()
	var ns int64
	if d.kind == foreign {
		d.mu.Unlock()
		ns = toNanoseconds(d.kind.at(l, d.outageUnit))
		d.mu.Lock()
	} else {
		ns = toNanoseconds(d.kind.at(l, d.outageUnit))
	}
	return plus(max(ns, 1), d.pause)
}

// priorShare returns the share that the prior has beside n gaps of the window.
func (d *Phi) priorShare(n int) float64 {
	w := d.fade * float64(d.window.Cap()-n)
	return w / (w + float64(n))
}

// stats returns what the law is fitted to. It requires mu.
func (d *Phi) stats() Stats {
	n := d.window.Len()
	if n == 0 {
		return d.floored(d.prior)
	}
	mean, variance := d.window.sums.Moments(n, nanos)
	if n < d.window.Cap() {
		// The moments of the mixture of prior and window.
		w := d.priorShare(n)
		apart := mean - d.prior.Mean
		mean = w*d.prior.Mean + (1-w)*mean
		variance = w*d.prior.StdDev*d.prior.StdDev + (1-w)*variance + w*(1-w)*apart*apart
	}
	return d.floored(Stats{Count: n, Mean: mean, StdDev: math.Sqrt(variance)})
}

func (d *Phi) floored(s Stats) Stats {
	s.StdDev = max(s.StdDev, d.minStdDev, d.minRel*s.Mean)
	return s
}

// fit returns the law fitted to the present gaps. It requires mu, and gives it
// up while a foreign law is fitted; nothing here is deferred, so that mu is
// free if a foreign law panics.
func (d *Phi) fit() law {
	for !d.fitted {
		s := d.stats()
		if d.kind != foreign {
			d.law, d.fitted = d.kind.fit(s), true
			break
		}
		count := d.arrival.count
		d.mu.Unlock()
		other := d.family.Fit(s)
		d.mu.Lock()
		if d.arrival.count == count {
			d.law, d.fitted = law{other: other}, true
		}
	}
	return d.law
}

// level returns φ after a silence of elapsed nanoseconds.
func (d *Phi) level(l law, elapsed int64) float64 {
	if elapsed <= 0 {
		return 0
	}
	return d.kind.phi(l, float64(elapsed-d.pause)/nanos)
}

// Suspicion returns φ at now. See [Phi] for the formula.
func (d *Phi) Suspicion(now time.Time) float64 {
	off := offset(now)
	d.mu.Lock()
	if d.arrival.count == 0 {
		d.mu.Unlock()
		return 0
	}
	if !d.fitted {
		d.fit()
	}
	l := d.law
	elapsed := minus(off, d.arrival.off)
	d.mu.Unlock()
	return d.level(l, elapsed)
}

// Deadline returns the first instant at which φ reaches level if no heartbeat
// arrives. It agrees with [Phi.Suspicion] to the nanosecond: the level is
// reached at that instant and not one nanosecond earlier.
func (d *Phi) Deadline(level float64) time.Time {
	deadline, _ := d.deadline(level)
	return deadline
}

// deadline also returns the deadline as an offset, never before the first heartbeat.
func (d *Phi) deadline(level float64) (time.Time, int64) {
	if math.IsNaN(level) {
		level = math.Inf(1) // equal to itself, and as much out of reach
	}
	d.mu.Lock()
	for {
		if d.arrival.count == 0 {
			d.mu.Unlock()
			return time.Time{}, never
		}
		slot := d.answerFor(level)
		if slot.count == d.arrival.count {
			deadline, due := slot.deadline, slot.due
			d.mu.Unlock()
			return deadline, due
		}
		unit, count := slot.unit, d.arrival.count
		l := d.fit()
		var elapsed int64
		if d.kind == foreign {
			d.mu.Unlock()
			elapsed = d.reach(l, level, unit)
			d.mu.Lock()
		} else {
			elapsed = d.reach(l, level, unit)
		}
		if d.arrival.count != count {
			continue
		}
		slot = d.answerFor(level)
		slot.count = count
		slot.deadline, slot.due = d.arrival.after(elapsed)
		if level == d.threshold {
			d.due.Store(slot.due)
		}
	}
}

// answerFor returns the place of the answer for level. It requires mu.
func (d *Phi) answerFor(level float64) *answer {
	if level == d.threshold {
		return &d.asked[0]
	}
	slot := &d.asked[1]
	if level != slot.level {
		*slot = answer{level: level, unit: d.kind.unit(level)}
	}
	return slot
}

// reach returns the smallest silence, in nanoseconds, at which φ is at least level.
func (d *Phi) reach(l law, level, unit float64) int64 {
	if level <= 0 {
		return 0
	}
	guess := plus(max(toNanoseconds(d.kind.at(l, unit)), -d.pause), d.pause)
	return first(guess, func(elapsed int64) bool { return d.level(l, elapsed) >= level })
}

// Suspected reports whether φ has reached the threshold at now. Between two
// heartbeats it takes no lock and costs one comparison; the first call after a
// heartbeat computes the deadline.
func (d *Phi) Suspected(now time.Time) bool {
	due := d.due.Load()
	if due == unknownDue {
		_, due = d.deadline(d.threshold)
	}
	return isDue(due, now)
}

// Threshold returns the φ from which the process is suspected.
func (d *Phi) Threshold() float64 { return d.threshold }

// Stats returns what has been learnt: the mean and the standard deviation to
// which the law is fitted, prior and floor included. Count is 0, and the rest
// is the prior, until the second heartbeat.
func (d *Phi) Stats() Stats {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.stats()
}
