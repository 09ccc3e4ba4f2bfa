package peers

import "math/bits"

// coarse is a duration rounded down to eleven binary digits: an exponent in the
// high bits, and the ten digits that follow the leading one. 0 is unknown.
type coarse uint16

const digits = 10

// makeCoarse returns a duration coarsely, one below 1 µs as unknown.
func makeCoarse(ns int64) coarse {
	if ns < 1<<digits {
		return 0
	}
	e := bits.Len64(uint64(ns)) - digits - 1
	return coarse((e+1)<<digits | int(ns>>e)&(1<<digits-1))
}

// ns returns 0 if it is unknown.
func (c coarse) ns() int64 {
	if c == 0 {
		return 0
	}
	return int64(1<<digits|c&(1<<digits-1)) << (c>>digits - 1)
}
