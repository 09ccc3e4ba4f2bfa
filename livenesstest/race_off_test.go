//go:build !race

package livenesstest_test

const raceEnabled = false
