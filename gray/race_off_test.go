//go:build !race

package gray_test

const raceEnabled = false
