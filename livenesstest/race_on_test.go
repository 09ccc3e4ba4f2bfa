//go:build race

package livenesstest_test

// raceEnabled reports whether the race detector watches: it would end the test of a law that is a data race.
const raceEnabled = true
