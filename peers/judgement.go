package peers

import "time"

// judgement is how a round judges: what the monitor thinks of itself.
type judgement struct {
	now      time.Time
	off      int64
	start    int64
	until    int64
	calm     int64 // when the factor may be smaller
	factor   int64
	stalls   stalls
	backlog  func() bool // nil once it has been asked
	heeded   bool        // it said yes
	bounded  bool        // the backlog has been heeded for too long
	rewound  bool        // the clock was set back
	announce []Event[struct{}]
}

// holds reports whether nobody may be convicted in this round, and until when.
// It calls foreign code.
func (j *judgement) holds(period time.Duration) (until int64, held bool) {
	if ask := j.backlog; ask != nil {
		j.backlog = nil
		j.heeded = ask()
	}
	switch {
	case j.off < j.until:
		return j.until, true
	case j.heeded && !j.bounded:
		return plus(j.off, int64(period)), true
	}
	return 0, false
}

// due returns when a silence that began at heard becomes suspect: as it is to be
// asked for, and as the monitor stretches it in its present state. wait is how
// long a peer may be silent.
func (j *judgement) due(heard, wait int64) (due, stretched int64) {
	if wait == never {
		return never, never
	}
	heard = max(heard, j.start)
	credit := j.stalls.since(heard)
	due = plus(plus(heard, wait), credit)
	if wait <= 0 || j.factor == 1 {
		return due, due
	}
	return due, plus(plus(heard, times(j.factor, wait)), credit)
}
