//go:build race

package peers_test

// raceEnabled shortens what the race detector makes too slow.
const raceEnabled = true
