package qos

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// A Draw gives random values, in seconds. The laws of gonum's distuv are Draws.
type Draw interface{ Rand() float64 }

// A Law makes a Draw that takes its randomness from src, so that a simulation
// can be repeated:
//
//	func(src rand.Source) qos.Draw { return distuv.Exponential{Rate: 50, Src: src} }
type Law func(src rand.Source) Draw

// A Simulation is a model of a sender, a network and two clocks, for those who
// have no trace.
type Simulation struct {
	// Phases follow each other, under load and without, before and after a
	// restart. At least one is required.
	Phases []Phase

	// Seed chooses one of the streams that the model allows. The same
	// simulation gives the same stream each time.
	Seed uint64

	// Start is when the first phase begins. The zero Time means the Unix epoch.
	Start time.Time

	// Drift is how much faster the monitor's clock is than the sender's,
	// above −1 and at most 1: 1e-6 is a microsecond a second. The delays and
	// the arrivals are on the monitor's clock, all else is on the sender's,
	// and at Start they agree.
	Drift float64
}

// A Phase is a time in which sender and network do not change.
type Phase struct {
	// Beats is how many heartbeats are sent, lost ones included. 0 means
	// without end.
	Beats int

	// Interval is the period η of the sender, from 1 µs to a year. Heartbeats
	// are sent at once, when the phase begins, and then every Interval. Zero
	// means 1 s.
	Interval time.Duration

	// Delay is the law of the time a heartbeat takes, in seconds. A value
	// below 0 or beyond a year ends the stream with an error. Nil means
	// none.
	Delay Law

	// Loss is the share of heartbeats lost, from 0 to below 1.
	Loss float64

	// Burst is how many heartbeats are lost in a row in the mean, at least
	// 1: the losses are those of Gilbert's model, a chain that goes from
	// "lost" to "not lost" with probability r = 1/Burst at each heartbeat,
	// and back with p = r·Loss/(1−Loss), which must be at most 1. Zero means
	// independent losses, which is 1/(1−Loss).
	Burst float64

	// Pauses is the probability, from 0 to 1, that the sender stands still
	// when a heartbeat is due, for a time with the law Pause, in seconds,
	// which is required then. That heartbeat is sent at the end of the pause.
	// Others that fell due in it are never sent and have no number, as with a
	// time.Ticker.
	Pauses float64
	Pause  Law

	// Silence is how long the sender sends nothing before the phase begins,
	// counted from when the next heartbeat of the phase before was due.
	Silence time.Duration

	// Restart says that the process died before this phase: its heartbeats
	// are numbered from 1 again, and [Beat.Life] is one more.
	Restart bool
}

const (
	longest = 365 * 24 * time.Hour // of what happens at one heartbeat
	// theEnd is half of what a Duration holds: with the greatest Drift the
	// monitor's clock runs twice as fast.
	theEnd = 145 * 365 * 24 * time.Hour
)

// Beats returns the heartbeats in order of arrival; lost ones come when they
// were sent. A model out of range ends the stream, at once, with an error
// that names the field, the value and the bound.
func (s Simulation) Beats() Beats {
	return func(yield func(Beat, error) bool) {
		if err := s.check(); err != nil {
			yield(Beat{}, err)
			return
		}
		if s.Start.IsZero() {
			s.Start = unix(0)
		}
		sim := &simulator{Simulation: s, rng: rand.New(rand.NewPCG(s.Seed, 0x6c6976656e657373)), yield: yield}
		for _, p := range s.Phases {
			if !sim.phase(p) {
				return
			}
		}
		sim.deliver(math.MaxInt64)
	}
}

func (s Simulation) check() error {
	if len(s.Phases) == 0 {
		return fmt.Errorf("qos: Phases is empty, want at least one")
	}
	if !(s.Drift > -1 && s.Drift <= 1) {
		return fmt.Errorf("qos: Drift is %v, want a number above -1, at most 1", s.Drift)
	}
	for i, p := range s.Phases {
		if err := p.check(fmt.Sprintf("Phases[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

func (p Phase) check(name string) error {
	leave := 1 / p.Burst
	switch {
	case p.Beats < 0:
		return fmt.Errorf("qos: %s.Beats is %d, want a number from 1, or 0 for no end", name, p.Beats)
	case p.Interval != 0 && (p.Interval < minPeriod || p.Interval > longest):
		return fmt.Errorf("qos: %s.Interval is %v, want a duration from %v to %v", name, p.Interval, minPeriod, longest)
	case !(p.Loss >= 0 && p.Loss < 1):
		return fmt.Errorf("qos: %s.Loss is %v, want a number from 0 to below 1", name, p.Loss)
	case p.Burst != 0 && !(p.Burst >= 1 && leave > 0):
		return fmt.Errorf("qos: %s.Burst is %v, want a finite number from 1, or 0 for independent losses", name, p.Burst)
	case p.Burst != 0 && leave*p.Loss > 1-p.Loss:
		return fmt.Errorf("qos: %s.Burst is %v, want at least %v with a Loss of %v", name, p.Burst, p.Loss/(1-p.Loss), p.Loss)
	case !(p.Pauses >= 0 && p.Pauses <= 1):
		return fmt.Errorf("qos: %s.Pauses is %v, want a probability", name, p.Pauses)
	case p.Pauses > 0 && p.Pause == nil:
		return fmt.Errorf("qos: %s.Pause is nil, want a law with Pauses of %v", name, p.Pauses)
	case p.Silence < 0 || p.Silence > longest:
		return fmt.Errorf("qos: %s.Silence is %v, want a duration from 0 to %v", name, p.Silence, longest)
	}
	return nil
}

// A simulator is a simulation under way. Instants are nanoseconds since Start.
type simulator struct {
	Simulation
	rng   *rand.Rand
	yield func(Beat, error) bool

	due    int64 // when the next heartbeat is due, on the sender's clock
	seq    uint64
	life   int
	flying inFlight
}

// phase sends the heartbeats of a phase and reports whether to go on.
func (s *simulator) phase(p Phase) bool {
	if p.Interval == 0 {
		p.Interval = time.Second
	}
	interval := int64(p.Interval)
	var delay, pause Draw
	if p.Delay != nil {
		delay = p.Delay(s.rng)
	}
	if p.Pauses > 0 {
		pause = p.Pause(s.rng)
	}
	s.due += int64(p.Silence)
	if p.Restart {
		s.life++
		s.seq = 0
	}
	enter, stay := p.Loss, p.Loss
	if p.Burst != 0 {
		stay = 1 - 1/p.Burst
		enter = (1 - stay) * p.Loss / (1 - p.Loss)
	}
	lost := s.rng.Float64() < p.Loss // the chain begins in equilibrium
	for n := 0; p.Beats == 0 || n < p.Beats; n++ {
		sent := s.due
		if pause != nil && s.rng.Float64() < p.Pauses {
			length, err := duration("Pause", pause.Rand())
			if err != nil {
				return s.fail(err)
			}
			sent += length
		}
		s.due += (sent-s.due)/interval*interval + interval
		if s.due > int64(theEnd) {
			return s.fail(fmt.Errorf("qos: the simulation has come to its end after %v", time.Duration(sent)))
		}
		s.seq++
		here := int64(math.Round(float64(sent)*s.Drift)) + sent
		b := Beat{Seq: s.seq, Sent: s.Start.Add(time.Duration(sent)), Life: s.life}
		// What is sent from now on arrives from now on.
		if !s.deliver(here) {
			return false
		}
		var took int64
		if delay != nil {
			var err error
			if took, err = duration("Delay", delay.Rand()); err != nil {
				return s.fail(err)
			}
		}
		if !lost {
			b.At = s.Start.Add(time.Duration(here + took))
			heap.Push(&s.flying, flight{b, here + took})
		} else if !s.yield(b, nil) {
			return false
		}
		next := enter
		if lost {
			next = stay
		}
		lost = s.rng.Float64() < next
	}
	return true
}

func (s *simulator) fail(err error) bool {
	if s.deliver(math.MaxInt64) {
		s.yield(Beat{}, err)
	}
	return false
}

// duration returns a value drawn in nanoseconds.
func duration(field string, seconds float64) (int64, error) {
	if !(seconds >= 0 && seconds <= longest.Seconds()) {
		return 0, fmt.Errorf("qos: %s drew %v, want seconds from 0 to %v", field, seconds, longest.Seconds())
	}
	return int64(math.Round(seconds * nanos)), nil
}

// deliver yields what has arrived by now and reports whether to go on.
func (s *simulator) deliver(now int64) bool {
	for len(s.flying) > 0 && s.flying[0].at <= now {
		if !s.yield(heap.Pop(&s.flying).(flight).Beat, nil) {
			return false
		}
	}
	return true
}

// flight is a heartbeat on its way.
type flight struct {
	Beat
	at int64
}

// inFlight is a heap of what is on its way, the next to arrive first.
type inFlight []flight

func (h inFlight) Len() int { return len(h) }
func (h inFlight) Less(i, k int) bool {
	a, b := h[i], h[k]
	return a.at < b.at || a.at == b.at && (a.Life < b.Life || a.Life == b.Life && a.Seq < b.Seq)
}
func (h inFlight) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *inFlight) Push(x any)   { *h = append(*h, x.(flight)) }
func (h *inFlight) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
