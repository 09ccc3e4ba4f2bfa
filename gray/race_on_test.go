//go:build race

package gray_test

// raceEnabled says that the race detector slows everything down, so that long
// simulations are cut short.
const raceEnabled = true
