package peers

// stall is a time in which the monitor did not work.
type stall struct{ end, length int64 }

const maxStalls = 16

// stalls are the latest ones, the oldest first.
type stalls struct {
	n    int
	list [maxStalls]stall
}

func (s *stalls) add(x stall) {
	if s.n == maxStalls { // the two oldest become one
		s.list[1].length = plus(s.list[1].length, s.list[0].length)
		copy(s.list[:], s.list[1:])
		s.n--
	}
	s.list[s.n] = x
	s.n++
}

// since returns how long the monitor was stalled after the instant heard.
func (s *stalls) since(heard int64) int64 {
	sum := int64(0)
	for _, x := range s.list[:s.n] {
		if x.end > heard {
			sum = plus(sum, min(x.length, minus(x.end, heard)))
		}
	}
	return sum
}
