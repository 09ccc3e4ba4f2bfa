package gray

// samples are the latencies of one server or path over one interval: those of
// complete answers, and lower bounds of others.
type samples struct {
	exact, bound counts
}

// number returns how many samples there are to judge by: the complete answers,
// and those lower bounds that tell something, because they are not shorter
// than all answers were. Without answers every bound counts.
func (s *samples) number() int {
	n, seen := 0, false
	total := 0
	for i := range s.exact {
		seen = seen || s.exact[i] > 0
		total += int(s.bound[i])
		if seen {
			n += int(s.exact[i]) + int(s.bound[i])
		}
	}
	if !seen {
		return total
	}
	return n
}

// quantile returns the latency in seconds that a share q of the attempts would
// not have exceeded had all been left to finish, by the product-limit estimator
//
//	S(t) = Π over tᵢ ≤ t of (1 − dᵢ/nᵢ)
//
// with dᵢ the answers that took tᵢ and nᵢ the attempts that took at least as long
// (E. L. Kaplan, P. Meier, "Nonparametric Estimation from Incomplete
// Observations", Journal of the American Statistical Association 53, 1958). If
// the bounds hide the quantile, it returns the largest value seen, and true: it
// is at least that. Without samples it returns 0.
func (s *samples) quantile(q float64) (seconds float64, atLeast bool) {
	risk := s.exact.total() + s.bound.total()
	if risk == 0 {
		return 0, false
	}
	survive, last := 1.0, 0
	for i := range s.exact {
		d, c := s.exact[i], s.bound[i]
		if d > 0 {
			after := survive * (1 - float64(d)/float64(risk))
			if after <= 1-q {
				return within(i, (survive-(1-q))/(survive-after)), false
			}
			survive = after
		}
		if d+c > 0 {
			last = i
		}
		risk -= int(d) + int(c)
	}
	return within(last, 0), true
}
