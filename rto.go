package liveness

import (
	"cmp"
	"math"
	"time"
)

const (
	// rttGain and varGain are α and β of RFC 6298.
	rttGain = 1.0 / 8
	varGain = 1.0 / 4
	// granularityShare is the default of Granularity as a share of the expected interval.
	granularityShare = 10
)

// RTOConfig configures an [RTO]. The zero value is usable: each field says what
// its zero means.
type RTOConfig struct {
	// ExpectedInterval is the gap expected before any was seen, from 1 µs to
	// 100 days. Zero means 1 s.
	ExpectedInterval time.Duration

	// Deviations is K, the number of mean deviations in the timeout, above 0
	// and at most 100. Zero means 4.
	Deviations float64

	// Granularity is G, from 1 µs to 100 days: the timeout is longer than the
	// mean gap by at least this, however regular the gaps are. In RFC 6298 it
	// is that of the clock; here it is also what a timer, a scheduler and a
	// collection may take. Zero means a tenth of ExpectedInterval, but no
	// less than 1 µs.
	Granularity time.Duration

	// MinTimeout is the least timeout, from 1 µs to 100 days. Zero means 2.5
	// times ExpectedInterval, or MaxTimeout if that is lower: a lost heartbeat
	// is no mistake, with half an interval to spare. RFC 6298 asks for 1 s,
	// which is many round trips, but not many gaps between heartbeats.
	MinTimeout time.Duration

	// MaxTimeout is the longest timeout, from MinTimeout to 100 days. RFC
	// 6298 allows 60 s and more. Zero means 100 days.
	MaxTimeout time.Duration
}

// RTO suspects a process after a silence as long as the retransmission timeout
// of TCP would be, if the gaps between heartbeats were round trips (RFC 6298,
// after Jacobson and Karels, "Congestion Avoidance and Control", SIGCOMM 1988).
// After the first gap R
//
//	SRTT = R,  RTTVAR = R/2
//
// and after each further gap R
//
//	RTTVAR = ¾ RTTVAR + ¼ |SRTT − R|
//	SRTT   = ⅞ SRTT + ⅛ R
//	RTO    = SRTT + max(G, K RTTVAR), within MinTimeout and MaxTimeout
//
// to the nearest nanosecond. The level is the silence as a multiple of it,
//
//	(now − last) / RTO
//
// with last the arrival of the last heartbeat, and its threshold is 1. So it
// needs no interval and no numbers; where there are, a [Bertier] is the same idea
// with lost heartbeats told from late ones.
//
// It forgets fast: what it knows is some ten gaps. So it follows a process whose
// pace changes sooner than detectors with a window, and knows nothing of
// what happens once in a hundred heartbeats.
//
// What differs from TCP:
//
//   - Nothing is sent again, so there is no back-off and no ambiguous sample.
//   - Before the first gap, ExpectedInterval stands for it: RTO is three times that.
//   - A gap of RTO or more is an outage, and learnt only up to it. With the
//     default K one outage makes RTO longer by less than 90 %, whatever its
//     length; a regular process that became five times slower is followed after
//     three false suspicions. If the first gap is an outage, it does not replace
//     ExpectedInterval but is added to it as any further one.
//   - A gap of 0, or a heartbeat before the last one, teaches nothing.
//
// An RTO is safe for concurrent use. Each call costs O(1) and allocates nothing,
// and there is no window to keep. It must be made by [NewRTO]; the zero value
// panics at its first heartbeat.
type RTO struct {
	countdown

	granularity, deviations float64
	least, most             float64
	expected                float64 // the prior

	// Protected by mu, in nanoseconds.
	phase        rtoPhase
	srtt, rttvar float64
}

// rtoPhase is how far an RTO has come. The values are part of the format of its state.
type rtoPhase byte

const (
	rtoUntaught rtoPhase = iota // there is only the prior
	rtoBegun                    // there were outages
	rtoLearnt                   // a gap has replaced the prior
)

// NewRTO returns a detector that has heard nothing yet. It returns an error
// that names the field, the value and the bound if cfg is out of range.
func NewRTO(cfg RTOConfig) (*RTO, error) {
	cfg.setDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	d := &RTO{
		granularity: float64(cfg.Granularity),
		deviations:  cfg.Deviations,
		least:       float64(cfg.MinTimeout),
		most:        float64(cfg.MaxTimeout),
		expected:    float64(cfg.ExpectedInterval),
	}
	d.begin(d.expected)
	return d, nil
}

func (cfg *RTOConfig) setDefaults() {
	cfg.ExpectedInterval = cmp.Or(cfg.ExpectedInterval, defaultInterval)
	cfg.Deviations = or(cfg.Deviations, defaultDeviations)
	cfg.Granularity = cmp.Or(cfg.Granularity, max(cfg.ExpectedInterval/granularityShare, minDuration))
	cfg.MaxTimeout = cmp.Or(cfg.MaxTimeout, maxDuration)
	// ExpectedInterval may be out of range yet, but its error comes first.
	cfg.MinTimeout = cmp.Or(cfg.MinTimeout, min(cfg.ExpectedInterval/2*5, cfg.MaxTimeout))
}

func (cfg *RTOConfig) check() error {
	return cmp.Or(
		checkDuration("ExpectedInterval", cfg.ExpectedInterval),
		checkFactor("Deviations", cfg.Deviations),
		checkDuration("Granularity", cfg.Granularity),
		checkDuration("MaxTimeout", cfg.MaxTimeout),
		checkDuration("MinTimeout", cfg.MinTimeout),
		check(cfg.MinTimeout <= cfg.MaxTimeout, "MaxTimeout", cfg.MaxTimeout, "at least MinTimeout, %v", cfg.MinTimeout),
	)
}

// Heartbeat records that a heartbeat arrived, and learns from the gap since the
// last one. One before the last is taken as delivered out of order and changes
// nothing, unless it is the second in a row that lies further back than the
// timeout: then the clock was set back, and it is the last one.
func (d *RTO) Heartbeat(at time.Time) {
	if d.deviations == 0 {
		panic("liveness: RTO not made by NewRTO")
	}
	off := offset(at)
	d.mu.Lock()
	defer d.mu.Unlock()
	gap, moved := d.arrival.next(at, off, d.timeout)
	if gap > 0 {
		d.learn(gap)
	}
	if moved {
		d.due.store(plus(off, d.timeout))
	}
}

// learn takes in a gap above 0. It requires mu.
func (d *RTO) learn(gap int64) {
	if d.phase < rtoLearnt && gap < d.timeout {
		d.phase = rtoLearnt
		d.begin(float64(gap))
		return
	}
	d.phase = max(d.phase, rtoBegun)
	r := float64(min(gap, d.timeout))
	d.rttvar += varGain * (math.Abs(d.srtt-r) - d.rttvar)
	d.srtt += rttGain * (r - d.srtt)
	d.settle()
}

// begin sets the estimates after a first gap. It requires mu.
func (d *RTO) begin(gap float64) {
	d.srtt, d.rttvar = gap, gap/2
	d.settle()
}

// settle computes the timeout. It requires mu.
func (d *RTO) settle() {
	rto := d.srtt + max(d.granularity, d.deviations*d.rttvar)
	d.timeout = int64(math.Round(min(max(rto, d.least), d.most)))
}

// Estimates returns what has been learnt, to the nearest nanosecond: the
// smoothed gap SRTT and its mean deviation RTTVAR.
func (d *RTO) Estimates() (srtt, rttvar time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Duration(math.Round(d.srtt)), time.Duration(math.Round(d.rttvar))
}
