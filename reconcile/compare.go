package reconcile

import (
	"maps"
	"slices"
)

// A Vote is what [Compare] makes of copies of the same data.
type Vote struct {
	// Blamed are the copies that differ from what more than half of all say,
	// by name.
	Blamed []string

	// Split says that copies differ, and no more than half of all agree: then
	// no single one can be blamed, and the whole is in question.
	Split bool

	// Checked says that every copy was heard. Without that, a vote that blames
	// nobody has not shown that all are the same.
	Checked bool
}

// Compare compares what copies say of the same data, such as a hash or a count,
// by the name of the copy. Those that were asked and said nothing are silent:
// they are blamed for nothing here, and count among all, so that few cannot
// outvote the rest. The order of the arguments does not matter.
func Compare[D comparable](digests map[string]D, silent ...string) Vote {
	all := len(digests)
	for i, name := range silent {
		if _, heard := digests[name]; !heard && !slices.Contains(silent[:i], name) {
			all++
		}
	}
	votes := make(map[D]int)
	for _, d := range digests {
		votes[d]++
	}
	v := Vote{Checked: all > 0 && all == len(digests), Split: len(votes) > 1}
	for most, n := range votes {
		if 2*n <= all {
			continue
		}
		v.Split = false
		for _, name := range slices.Sorted(maps.Keys(digests)) {
			if digests[name] != most {
				v.Blamed = append(v.Blamed, name)
			}
		}
	}
	return v
}
