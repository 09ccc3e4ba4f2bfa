package qos

import (
	"iter"
	"time"

	"example.com/liveness"
)

// A Beat is one heartbeat, received or lost.
type Beat struct {
	// Seq is the sequence number, which the sender raises by one for each
	// heartbeat it sends, from 1. 0 means that the heartbeat carries none.
	Seq uint64

	// Sent is when it was sent, on the sender's clock. The zero Time means
	// that nobody knows.
	Sent time.Time

	// At is when it arrived, on the monitor's clock. The zero Time means
	// that it was lost.
	At time.Time

	// Life counts the restarts of the process: it rises when the process has
	// died and come back, and its sequence numbers start again. The silence
	// between two lives is no mistake.
	Life int
}

// Lost reports whether the heartbeat never arrived.
func (b Beat) Lost() bool { return b.At.IsZero() }

// Beats is a stream of heartbeats in order of arrival. It ends at the first error.
type Beats = iter.Seq2[Beat, error]

// Slice returns the stream of the given heartbeats.
func Slice(beats []Beat) Beats {
	return func(yield func(Beat, error) bool) {
		for _, b := range beats {
			if !yield(b, nil) {
				return
			}
		}
	}
}

// A Factory makes the detectors to be judged: one for each life of the process
// in a stream, because whoever restarts numbers its heartbeats anew. It should
// give equal ones.
type Factory func() (liveness.Detector, error)

// sequenced is a detector that knows what to do with sequence numbers.
type sequenced interface {
	HeartbeatSeq(seq uint64, at time.Time)
}

// hear gives d a heartbeat that arrived, with its number if both have use for one.
func hear(d liveness.Detector, b Beat) {
	if s, ok := d.(sequenced); ok && b.Seq > 0 {
		s.HeartbeatSeq(b.Seq, b.At)
		return
	}
	d.Heartbeat(b.At)
}
