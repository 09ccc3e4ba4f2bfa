//go:build race

package liveness_test

// raceEnabled shortens what the race detector makes too slow.
const raceEnabled = true
