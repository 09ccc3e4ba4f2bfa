package livenesstest

import "runtime"

// allocs returns the mean number of allocations of f, the least of a few
// tries: another goroutine of the program may allocate meanwhile. It is not
// testing.AllocsPerRun, which panics beside parallel tests.
func allocs(f func()) float64 {
	const runs, tries = 200, 3
	least := float64(runs)
	for range tries {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range runs {
			f()
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/runs)
	}
	return least
}
