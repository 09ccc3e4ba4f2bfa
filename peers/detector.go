package peers

import (
	"errors"
	"fmt"
	"time"

	"example.com/liveness"
)

// sequenced is a detector that wants sequence numbers, such as [liveness.Chen].
type sequenced interface {
	HeartbeatSeq(seq uint64, at time.Time)
}

// isSteady reports whether a detector waits for a time after the last heartbeat
// that changes little with one more. Chen's, which follow the sender's schedule,
// wait the less the later that was.
func isSteady(d liveness.Detector) bool {
	switch d.(type) {
	case *liveness.Phi, *liveness.FixedTimeout:
		return true
	}
	return false
}

func (m *Monitor[K]) newDetector(key K) (liveness.Detector, error) {
	d, err := m.cfg.NewDetector(key)
	if err == nil && d == nil {
		err = errors.New("NewDetector returned nil")
	}
	if err != nil {
		return nil, fmt.Errorf("peers: no detector for %v: %w", key, err)
	}
	return d, nil
}
