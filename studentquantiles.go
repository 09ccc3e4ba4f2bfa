package liveness

import "example.com/liveness/internal/studentt"

// studentQuantiles remembers the last few quantiles of Student's law: once the
// window is full its degrees of freedom stay as they are.
type studentQuantiles struct {
	known [3]struct{ df, level, t float64 } // of the threshold, of an outage, and of one more level
	next  uint8
}

// at returns the t at which Student's law with df degrees of freedom reaches level.
func (q *studentQuantiles) at(df, level float64) float64 {
	for i := range q.known {
		if k := &q.known[i]; k.df == df && k.level == level {
			return k.t
		}
	}
	k := &q.known[q.next]
	q.next = (q.next + 1) % uint8(len(q.known))
	k.df, k.level, k.t = df, level, studentt.Quantile(df, level)
	return k.t
}
