package qos

import (
	"math"
	"time"

	"example.com/liveness"
)

// KnownLaw is a network of which the loss and the law of the delay are known,
// between clocks that are synchronised: for the detector NFD-S.
type KnownLaw struct {
	// Loss is the probability p that a heartbeat is lost, from 0 to below 1.
	Loss float64

	// Survival returns P(D > x), the probability that the delay of a
	// heartbeat that is not lost is above x seconds. It must not rise with
	// x, and have no jump where P(D < x) matters. It is asked for x > 0
	// only. The laws of gonum's distuv have it as a method; for those of
	// package liveness see [Survival].
	Survival func(x float64) float64
}

// KnownMoments is a network of which the loss and two moments of the delay are
// known, between clocks that are synchronised: for the detector NFD-S. What
// follows from it holds for every law with these moments.
type KnownMoments struct {
	Loss   float64 // as in [KnownLaw]
	Mean   float64 // E(D), seconds
	StdDev float64 // √V(D), seconds
}

// KnownSpread is a network of which the loss and the standard deviation of the
// delay are known. Clocks need not be synchronised, as their offset cancels in
// a variance: for the detectors NFD-U and NFD-E, which is [liveness.Chen]. What
// follows from it holds for every law with this standard deviation.
//
// Detection times are counted without the mean delay E(D), which nobody can
// know without synchronised clocks: it comes to them.
type KnownSpread struct {
	Loss   float64 // as in [KnownLaw]
	StdDev float64 // √V(D), seconds
}

// Survival returns the survival function of a law of package liveness,
//
//	P(D > x) = 10^−φ(x)
//
// as [KnownLaw] takes it.
func Survival(law liveness.Distribution) func(x float64) float64 {
	return func(x float64) float64 { return math.Pow(10, -law.Phi(x)) }
}

// maxBeats is the most heartbeats that may be due within a margin: each costs
// time in every product, and who needs as many needs another network.
const maxBeats = 10_000

// A network is one of the three.
type network interface{ link() (*link, error) }

// A link is what the three networks have in common. Delays are counted from
// mean, in seconds.
type link struct {
	loss     float64
	mean     float64
	survival func(x float64) float64 // P(D > mean + x), or what it is at most
	exact    bool                    // survival is the law itself
	fault    error                   // the first answer of survival that is no probability
}

func (n KnownLaw) link() (*link, error) {
	if err := checkLoss(n.Loss); err != nil {
		return nil, err
	}
	if n.Survival == nil {
		return nil, demand(false, "Survival", "nil", "a function")
	}
	return &link{loss: n.Loss, survival: n.Survival, exact: true}, nil
}

func (n KnownMoments) link() (*link, error) {
	if err := checkMoment("Mean", n.Mean); err != nil {
		return nil, err
	}
	l, err := KnownSpread{n.Loss, n.StdDev}.link()
	if err != nil {
		return nil, err
	}
	l.mean = n.Mean
	return l, nil
}

func (n KnownSpread) link() (*link, error) {
	if err := checkLoss(n.Loss); err != nil {
		return nil, err
	}
	if err := checkMoment("StdDev", n.StdDev); err != nil {
		return nil, err
	}
	// Cantelli's inequality: P(D > E(D) + x) ≤ V/(V + x²).
	cantelli := func(x float64) float64 {
		z := x / n.StdDev
		return 1 / (1 + z*z)
	}
	return &link{loss: n.Loss, survival: cantelli}, nil
}

func checkLoss(p float64) error {
	return demand(0 <= p && p < 1, "Loss", p, "a number from 0 to below 1")
}

func checkMoment(field string, seconds float64) error {
	return demand(0 <= seconds && seconds <= maxPeriod.Seconds(), field, seconds,
		"seconds from 0 to %v", maxPeriod.Seconds())
}

// late returns the probability that a heartbeat has not come x seconds, less
// the mean, after it was sent: p + (1 − p) P(D > x).
func (l *link) late(x float64) float64 {
	if !(x > 0) {
		return 1
	}
	s := l.survival(x)
	if !(0 <= s && s <= 1) {
		if l.fault == nil {
			l.fault = demand(false, "Survival", s, "a probability at %v s", x)
		}
		return 1
	}
	return l.loss + (1-l.loss)*s
}

// missed returns the probability that of heartbeats sent every interval, the
// first of them margin before, none has come x seconds later: the product of
// late(margin + x − j·interval) over j = 0, 1, … It never falls as interval
// grows and margin + interval stays, since each factor has then less time. The
// product ends early once it is down to enough.
func (l *link) missed(interval, margin time.Duration, x, enough float64) float64 {
	product := 1.0
	// Counted in integers: a heartbeat due at this very instant is not in it.
	for rest := margin; product > enough; rest -= interval {
		y := rest.Seconds() - l.mean + x
		if !(y > 0) {
			break
		}
		product *= l.late(y)
	}
	return product
}

// onTime returns q₀, the probability that a heartbeat comes within limit: at
// least that, where only moments are known.
func (l *link) onTime(limit time.Duration) float64 {
	x := limit.Seconds() - l.mean
	if !(x > 0) {
		return 0
	}
	return 1 - l.late(x) // P(D < x): the event itself, no tail
}
