package qos

import "fmt"

// A Candidate is a detector to be judged.
type Candidate struct {
	// Name is copied to the curve.
	Name string

	// New makes the detector.
	New Factory

	// Levels are the levels of suspicion at which it is judged, each finite
	// and above 0. None means its own threshold. gonum's floats.LogSpan
	// spaces them evenly for a picture with logarithmic axes.
	//
	// A level is judged as if it were the threshold of a consumer of its
	// own, in one pass with all others. A detector that learns otherwise
	// with another threshold, as [liveness.Phi] does above 8, learns as its
	// own threshold says.
	Levels []float64
}

// A Curve is what a detector costs and gives over its levels.
type Curve struct {
	Name   string
	Points []Report // in the order of Candidate.Levels
}

// Sweep judges several detectors, at several levels each, in one pass over a
// stream of heartbeats. For the warm-up and the errors see [Replay].
func Sweep(beats Beats, warmup int, candidates ...Candidate) ([]Curve, error) {
	warmup, err := warmupOf(warmup)
	if err != nil {
		return nil, err
	}
	players := make([]*player, len(candidates))
	for i, c := range candidates {
		p, err := newPlayer(c, warmup)
		if err != nil {
			return nil, err
		}
		players[i] = p
	}
	if err := run(beats, players...); err != nil {
		return nil, err
	}
	curves := make([]Curve, len(players))
	for i, p := range players {
		reports, err := p.reports()
		if err != nil {
			return nil, err
		}
		curves[i] = Curve{candidates[i].Name, reports}
	}
	return curves, nil
}

// run plays a stream to its end.
func run(beats Beats, players ...*player) error {
	for b, err := range beats {
		if err != nil {
			return err
		}
		for _, p := range players {
			if err := p.play(b); err != nil {
				return err
			}
		}
	}
	return nil
}

func warmupOf(n int) (int, error) {
	if n == 0 {
		n = DefaultWarmup
	}
	if n < 1 {
		return 0, fmt.Errorf("qos: warmup is %d, want a number from 1, or 0 for %d", n, DefaultWarmup)
	}
	return n, nil
}
