package liveness

// Stats is what a detector has learnt about the gaps between heartbeats, after
// its prior and its floor: what a [Distribution] is fitted to.
type Stats struct {
	Count  int     // gaps in the window
	Mean   float64 // seconds
	StdDev float64 // seconds, of the population

	// Weight is the number of gaps that these statistics are worth: Count and
	// what the prior is worth beside them. 0 stands for Count.
	Weight float64

	// A Phi learns the following for the laws of this package that ask for
	// them, because they take time with every heartbeat: the logarithms for a
	// LogStudentT, the least for a ShiftedExponential. For all others they are
	// 0. [Window.Stats] always has them.
	LogMean   float64 // mean of ln(gap), in ln seconds
	LogStdDev float64 // standard deviation of ln(gap), of the population
	Least     float64 // the shortest gap, seconds
}

// worth returns the number of gaps that s is worth.
func (s Stats) worth() float64 {
	if s.Weight > 0 {
		return s.Weight
	}
	return float64(s.Count)
}
