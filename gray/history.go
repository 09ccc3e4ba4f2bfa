package gray

import "math/bits"

// A history tells of each of the last intervals whether something was bad in it,
// the latest in the lowest bit.
type history uint32

// and adds an interval to a history of so many.
func (h history) and(bad bool, of int) history {
	return (h<<1 | history(oneIf(bad))) & (1<<of - 1)
}

// hits returns in how many intervals it was bad.
func (h history) hits() int { return bits.OnesCount32(uint32(h)) }

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
