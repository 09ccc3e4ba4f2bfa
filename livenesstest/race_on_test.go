//go:build race

package livenesstest_test

// raceEnabled shortens what the race detector makes too slow.
const raceEnabled = true
