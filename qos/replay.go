package qos

import (
	"errors"
	"fmt"
	"math"
	"time"

	"example.com/liveness"
)

// ErrTooShort is what an error wraps that says that a stream ended within the warm-up.
var ErrTooShort = errors.New("qos: stream has too few heartbeats")

// DefaultWarmup is the number of heartbeats that a detector learns from before it is judged.
const DefaultWarmup = 200

// A Report says how a detector did at one level of suspicion.
type Report struct {
	// Level is the level from which the process counted as suspected.
	Level float64

	// Heartbeats is the number of heartbeats judged: those that arrived
	// after the warm-up.
	Heartbeats int

	// Lost is the number of heartbeats that were lost meanwhile, as far as
	// the stream knows.
	Lost int

	// Restarts is the number of times the process came back from the dead.
	Restarts int

	// Metrics are about the time from the end of the warm-up to the last
	// heartbeat, less that between the lives of the process.
	Metrics

	// AfterHeartbeat is the detection time of crashes just after a
	// heartbeat has arrived, one for each that was followed by a judged one
	// or by a death: the deadline less the arrival. It is the worst instant
	// to crash. Its mean is what is also called the mean timeout.
	AfterHeartbeat DetectionTime

	// AnyInstant is the detection time of crashes at an instant chosen
	// uniformly from the time observed.
	AnyInstant DetectionTime
}

// MistakesPerHeartbeat is the average mistake rate in mistakes per heartbeat
// judged: what a calibrated φ promises to be 10^−φ. NaN if none was judged.
func (r Report) MistakesPerHeartbeat() float64 {
	if r.Heartbeats == 0 {
		return math.NaN()
	}
	return float64(r.Mistakes) / float64(r.Heartbeats)
}

// Replay judges a detector at its own threshold on a stream of heartbeats. The
// first warmup heartbeats, and those of each new life of the process, are learnt
// but not judged; 0 means [DefaultWarmup].
//
// A detector with a method HeartbeatSeq(uint64, time.Time), such as
// [liveness.Chen], is given the sequence numbers of the heartbeats that carry one.
//
// It returns an error if the stream has one, is out of order, or holds no
// heartbeat to judge.
func Replay(beats Beats, newDetector Factory, warmup int) (Report, error) {
	curves, err := Sweep(beats, warmup, Candidate{New: newDetector})
	if err != nil {
		return Report{}, err
	}
	return curves[0].Points[0], nil
}

// A player feeds one detector and judges it at several levels.
type player struct {
	new    Factory
	warmup int
	judges []*judge   // one a level, or one at the detector's threshold
	gaps   *histogram // those judged; nil: not wanted

	detector liveness.Detector
	life     int
	heard    int       // in this life
	last     time.Time // the last arrival

	arrived, judged, lost, restarts int
}

// A judge compares the deadline of one level with what happens.
type judge struct {
	level     float64
	own       bool // the level is the detector's threshold
	meter     Meter
	crashes   detections
	deadline  time.Time
	suspected bool
	late      int // heartbeats after the deadline, whether or not it was a new mistake
}

func newPlayer(c Candidate, warmup int) (*player, error) {
	p := &player{new: c.New, warmup: warmup}
	for _, level := range c.Levels {
		if !(level > 0) || math.IsInf(level, 1) {
			return nil, fmt.Errorf("qos: Levels holds %v, want finite numbers above 0", level)
		}
		p.judges = append(p.judges, &judge{level: level, crashes: newDetections()})
	}
	if len(p.judges) == 0 {
		p.judges = []*judge{{own: true, crashes: newDetections()}}
	}
	return p, p.begin()
}

// begin makes the detector for a life of the process.
func (p *player) begin() error {
	if p.new == nil {
		return fmt.Errorf("qos: New is nil, want a function that makes a detector")
	}
	d, err := p.new()
	if err != nil {
		return err
	}
	if d == nil {
		return fmt.Errorf("qos: New returned nil, want a detector")
	}
	p.detector, p.heard = d, 0
	if p.judges[0].own {
		p.judges[0].level = d.Threshold()
	}
	return nil
}

// play takes in the next heartbeat of the stream.
func (p *player) play(b Beat) error {
	switch {
	case b.Life > p.life:
		if err := p.restart(b.Life); err != nil {
			return err
		}
	case b.Life < p.life:
		return nil // the detector is about another process by now
	}
	judging := p.heard >= p.warmup
	if b.Lost() {
		if judging {
			p.lost++
		}
		return nil
	}
	if b.At.Before(p.last) {
		return fmt.Errorf("qos: arrival is at %v, want one not before the last, %v", b.At, p.last)
	}
	if judging {
		p.judged++
		gap := b.At.Sub(p.last)
		if p.gaps != nil {
			p.gaps.add(int64(gap))
		}
		for _, j := range p.judges {
			if err := j.silence(p.last, b.At, gap); err != nil {
				return err
			}
		}
	}
	hear(p.detector, b)
	p.last = b.At
	p.arrived++
	if p.heard++; p.heard < p.warmup {
		return nil
	}
	for _, j := range p.judges {
		if err := j.heartbeat(p.detector, b.At, p.heard == p.warmup); err != nil {
			return err
		}
	}
	return nil
}

// restart ends one life and begins the next.
func (p *player) restart(life int) error {
	if p.life = life; p.heard == 0 {
		return nil
	}
	p.restarts++
	if err := p.end(true); err != nil {
		return err
	}
	return p.begin()
}

// end ends what is observed of a life, which may have ended with a death.
func (p *player) end(death bool) error {
	if p.heard < p.warmup {
		return nil
	}
	for _, j := range p.judges {
		if death {
			j.crash(p.last)
		}
		if err := j.meter.End(p.last); err != nil {
			return err
		}
	}
	return nil
}

// reports returns what was found, one for each level.
func (p *player) reports() ([]Report, error) {
	if err := p.end(false); err != nil {
		return nil, err
	}
	if p.judged == 0 {
		return nil, fmt.Errorf("%w: %d, want more than the warm-up, %d", ErrTooShort, p.arrived, p.warmup)
	}
	reports := make([]Report, len(p.judges))
	for i, j := range p.judges {
		reports[i] = Report{
			Level:          j.level,
			Heartbeats:     p.judged,
			Lost:           p.lost,
			Restarts:       p.restarts,
			Metrics:        j.meter.Metrics(),
			AfterHeartbeat: j.crashes.afterHeartbeat(),
			AnyInstant:     j.crashes.anyInstant(),
		}
	}
	return reports, nil
}

// timeout returns how long after the heartbeat at last a crash then is detected, if it is.
func (j *judge) timeout(last time.Time) (time.Duration, bool) {
	if j.deadline.IsZero() {
		return 0, false // nothing counted as a heartbeat so far
	}
	return max(j.deadline.Sub(last), 0), true
}

// crash counts a crash just after the heartbeat at last.
func (j *judge) crash(last time.Time) {
	if t, ok := j.timeout(last); ok {
		j.crashes.crash(t)
	}
}

// silence judges the gap between two heartbeats. A suspicion that begins with
// the very instant of the second is none.
func (j *judge) silence(last, at time.Time, gap time.Duration) error {
	t, ok := j.timeout(last)
	if !ok {
		return nil
	}
	j.crashes.crash(t)
	j.crashes.gap(t, gap)
	if t >= gap {
		return nil
	}
	j.late++
	if j.suspected {
		return nil
	}
	j.suspected = true
	return j.meter.Transition(j.deadline, true)
}

// heartbeat asks the detector what it makes of the heartbeat at the given time.
func (j *judge) heartbeat(d liveness.Detector, at time.Time, first bool) error {
	// The deadline may not have moved, or lie in the past: of Chen's
	// detectors an old heartbeat moves none, and of others any law may.
	j.deadline = d.Deadline(j.level)
	j.suspected = !j.deadline.IsZero() && !j.deadline.After(at)
	if first {
		return j.meter.Begin(at, j.suspected)
	}
	return j.meter.Transition(at, j.suspected)
}

// DetectionTimes returns how long after each of the given instants a detector
// suspects its process for good if nothing arrives from that instant on: the
// detection time T_D in seconds, 0 if it was suspected already, and NaN if no
// heartbeat had arrived by then, so that the detector knew of no process. The
// instants must not go backwards; a heartbeat at the very instant counts.
func DetectionTimes(beats Beats, newDetector Factory, crashes ...time.Time) ([]float64, error) {
	for i := 1; i < len(crashes); i++ {
		if crashes[i].Before(crashes[i-1]) {
			return nil, fmt.Errorf("qos: crashes[%d] is %v, want one not before the last, %v", i, crashes[i], crashes[i-1])
		}
	}
	p, err := newPlayer(Candidate{New: newDetector}, math.MaxInt) // judge nothing
	if err != nil {
		return nil, err
	}
	times := make([]float64, 0, len(crashes))
	crash := func() {
		at := crashes[len(times)]
		t := math.NaN()
		if deadline := p.detector.Deadline(p.detector.Threshold()); !deadline.IsZero() {
			t = max(deadline.Sub(at), 0).Seconds()
		}
		times = append(times, t)
	}
	for b, err := range beats {
		if err != nil {
			return nil, err
		}
		for len(times) < len(crashes) && !b.Lost() && b.At.After(crashes[len(times)]) {
			crash()
		}
		if len(times) == len(crashes) {
			return times, nil
		}
		if err := p.play(b); err != nil {
			return nil, err
		}
	}
	for len(times) < len(crashes) {
		crash()
	}
	return times, nil
}
