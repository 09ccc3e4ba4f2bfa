package liveness

// law is a fitted Distribution. The laws of this package are kept as their two
// or three parameters, in the order of the exported type's fields, so that
// fitting allocates nothing; any other is called through its interface. Four
// words go through registers.
type law struct {
	a, b, c float64
	other   *Distribution
}
