package main

import (
	"slices"

	"example.com/liveness"
)

// families are the laws that there are, in the order in which they are listed.
var families = []struct {
	name string
	law  liveness.Distribution
}{
	{"empirical", liveness.Empirical{}},
	{"gaussian", liveness.Gaussian{}},
	{"exponential", liveness.Exponential{}},
	{"lognormal", liveness.LogNormal{}},
	{"logistic", liveness.Logistic{}},
	{"student", liveness.StudentT{}},
	{"logstudent", liveness.LogStudentT{}},
	{"lomax", liveness.Lomax{}},
	{"shifted", liveness.ShiftedExponential{}},
}

var lawNames = func() (names []string) {
	for _, l := range families {
		names = append(names, l.name)
	}
	return names
}()

// lawOf returns a law by its name.
func lawOf(name string) (liveness.Distribution, error) {
	i := slices.Index(lawNames, name)
	if i < 0 {
		return nil, usage("law %q is unknown; there are %s", name, list(lawNames))
	}
	return families[i].law, nil
}
