package qos

import "math"

// Moments summarises a sample of durations.
type Moments struct {
	// Count is how many there were.
	Count int
	// Mean is their arithmetic mean in seconds, NaN if there were none.
	Mean float64
	// StdDev is their standard deviation in seconds, that of the sample
	// taken as the population: √(E(x²) − E(x)²). NaN if there were none.
	StdDev float64
	// Max is the largest in seconds, NaN if there were none.
	Max float64
}

// running sums up a sample one value at a time (Welford's recurrence).
type running struct {
	n         int
	mean, sum float64 // sum of squares about the mean
	max       float64
}

func (r *running) add(x float64) {
	r.n++
	apart := x - r.mean
	r.mean += apart / float64(r.n)
	r.sum += apart * (x - r.mean)
	if r.n == 1 || x > r.max {
		r.max = x
	}
}

func (r *running) moments() Moments {
	if r.n == 0 {
		return Moments{Mean: math.NaN(), StdDev: math.NaN(), Max: math.NaN()}
	}
	return Moments{Count: r.n, Mean: r.mean, StdDev: math.Sqrt(r.sum / float64(r.n)), Max: r.max}
}
