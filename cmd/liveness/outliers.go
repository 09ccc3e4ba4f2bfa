package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"example.com/liveness/gray"
	"example.com/liveness/internal/printable"
)

const outliersNote = `
FILE is a table in CSV with the columns node and p99_ns, in any order and among others; if it has a
column n, the number of samples, nodes with fewer than -min-samples are left out. Lines that begin
with # are comments. A node stands out if its p99 is above -ratio times the median of the others,
and by -gap at least. The group is degraded if the median of all is above -limit, which takes a
-limit.

The guard opens (fail_open) if more than -max-percent of the nodes stand out: the cause is hardly in
each of them, so nobody is to be taken out. One of four nodes is 25 %, so with -min-peers 3, which
lets four be judged, it takes -max-percent 25 for one of them to be taken out.
`

// outliers finds who is slow among peers.
func outliers(e env, args []string) error {
	f := newFlags(e, outliersNote).withJSON()
	ratio := f.Float64("ratio", 3, "how many `times` the median of the others is too slow, above 1")
	gap, limit := 10*time.Millisecond, time.Duration(0)
	f.duration(&gap, "gap", "the least `duration` by which it must exceed that median besides, from 0")
	f.duration(&limit, "limit", "the `duration` above which the median of all makes the group degraded; 0 is none")
	minSamples := f.Int("min-samples", 500, "the least `number` of samples of a node that is judged, where the table has it")
	minPeers := f.Int("min-peers", 4, "the least `number` of others that a node is compared with, from 1")
	maxPercent := f.Int("max-percent", 20, "the `percentage` of nodes that may stand out, from 1 to 100")
	files, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	switch {
	case !(*ratio > 1 && *ratio <= 1e6):
		return usage("-ratio is %v, want a number above 1, at most 1e6", *ratio)
	case gap < 0:
		return usage("-gap is %v, want a duration from 0", gap)
	case limit < 0:
		return usage("-limit is %v, want a duration from 0", limit)
	case *minSamples < 0:
		return usage("-min-samples is %d, want a number from 0", *minSamples)
	case *minPeers < 1:
		return usage("-min-peers is %d, want a number from 1", *minPeers)
	case *maxPercent < 1 || *maxPercent > 100:
		return usage("-max-percent is %d, want a percentage from 1 to 100", *maxPercent)
	}
	all, err := readNodes(e, files[0], *minSamples)
	if err != nil {
		return err
	}
	if n := len(all.names); n <= *minPeers {
		few := ""
		if len(all.few) > 0 {
			few = fmt.Sprintf("; those left out for fewer than %d samples: %d", *minSamples, len(all.few))
		}
		return fmt.Errorf("%s: nodes that can be judged: %d, want at least %d, to compare each with %d others (-min-peers)%s",
			fileName(files[0]), n, *minPeers+1, *minPeers, few)
	}
	compared, err := gray.Relative{Ratio: *ratio, Gap: gap.Seconds(), MinPeers: *minPeers}.Compare(all.p99)
	if err != nil {
		return err
	}
	guard, err := gray.NewGuard(gray.GuardConfig{MaxPercent: *maxPercent})
	if err != nil {
		return err
	}
	r := outlierReport{file: files[0], nodes: all, limit: limit, percent: *maxPercent}
	for i, c := range compared {
		r.compared = append(r.compared, comparedNode{all.names[i], c})
	}
	slices.SortFunc(r.compared, func(a, b comparedNode) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), cmp.Compare(a.name, b.name))
	})
	census := gray.Census{Members: all.names}
	for _, c := range r.compared {
		if c.Outlier {
			r.outliers = append(r.outliers, c)
			census.Failing = append(census.Failing, c.name)
		}
	}
	r.ruling = guard.Look(time.Time{}, census)
	return f.print(r.found(), r.show)
}

// outliersFound is the JSON of outliers.
type outliersFound struct {
	Evaluated int       `json:"evaluated"`
	Flagged   []flagged `json:"flagged"`
	Degraded  *bool     `json:"group_degraded,omitempty"` // unknown without a limit
	FailOpen  bool      `json:"fail_open"`

	// Nodes with too few samples may be the slowest of all.
	NotEvaluated []fewSamples `json:"not_evaluated,omitempty"`
}

type flagged struct {
	Node       string   `json:"node"`
	Value      float64  `json:"value"`
	PeerMedian float64  `json:"peer_median"`
	Ratio      *float64 `json:"ratio,omitempty"`
}

// An outlierReport is what there is to say of a table.
type outlierReport struct {
	file     string
	nodes    nodes
	compared []comparedNode // the slowest first
	outliers []comparedNode
	limit    time.Duration // 0: none
	percent  int           // of nodes that may stand out
	ruling   gray.Ruling
}

type comparedNode struct {
	name string
	gray.Comparison
}

// degraded reports whether the group itself is slow; nil if that is not known.
func (r outlierReport) degraded() *bool {
	if r.limit == 0 {
		return nil
	}
	return new(r.nodes.median() > r.limit.Seconds())
}

func (r outlierReport) found() outliersFound {
	found := outliersFound{
		Evaluated: len(r.compared), Flagged: []flagged{}, Degraded: r.degraded(), FailOpen: r.ruling.Open, NotEvaluated: r.nodes.few,
	}
	for _, c := range r.outliers {
		found.Flagged = append(found.Flagged, flagged{c.name, c.Value, c.Median, known(c.Value / c.Median)})
	}
	return found
}

func (r outlierReport) show(w io.Writer) {
	var t table
	// lines adds a line for each, of which the first bears the name.
	lines := func(name string, n int, line func(i int) string) {
		for i := range n {
			t.pair(name, "%s", line(i))
			name = ""
		}
	}
	t.pair("table", "%s, %d nodes judged", fileName(r.file), len(r.compared))
	lines("too few samples", len(r.nodes.few), func(i int) string {
		return fmt.Sprintf("node %s: %d", printable.Name(r.nodes.few[i].Node), r.nodes.few[i].Samples)
	})
	t.pair("median p99", "%s", seconds(r.nodes.median()))
	switch d := r.degraded(); {
	case d == nil:
		t.pair("group", "not judged: no -limit was given, and peers cannot tell when all are slow")
	case *d:
		t.pair("group", "degraded: the median is above the limit of %s", span(r.limit))
	default:
		t.pair("group", "not degraded: the median is within the limit of %s", span(r.limit))
	}
	lines("stands out", len(r.outliers), func(i int) string {
		c := r.outliers[i]
		return fmt.Sprintf("node %s: p99 %s, %s, %s", printable.Name(c.name), seconds(c.Value), timesOthers(c), seconds(c.Median))
	})
	if len(r.outliers) == 0 {
		c := r.compared[0]
		t.pair("stands out", "nobody: the slowest is node %s with %s, %s;", printable.Name(c.name), seconds(c.Value), timesOthers(c))
		t.pair("", "it takes more than %s", seconds(c.Threshold))
	}
	t.pair("guard", "%s", r.guard())
	if r.ruling.Open {
		t.pair("", "take nobody out, and look for what they share")
	}
	t.write(w)
}

// guard says how many of those that stand out may be taken out.
func (r outlierReport) guard() string {
	n, limit := r.ruling.Unhealthy, r.ruling.Limit
	stand := "nodes stand"
	if n == 1 {
		stand = "node stands"
	}
	switch {
	case n == 0:
		return "closed: there is nobody to take out"
	case !r.ruling.Open:
		return fmt.Sprintf("closed: %d %s out, and up to %d of %d may be taken out (%d %%)", n, stand, limit, r.ruling.Members, r.percent)
	case limit == 0:
		return fmt.Sprintf("open: %d %s out, and of %d not even one may be taken out (%d %%)", n, stand, r.ruling.Members, r.percent)
	}
	return fmt.Sprintf("open: %d %s out, more than the %d of %d that may be taken out (%d %%)", n, stand, limit, r.ruling.Members, r.percent)
}

// timesOthers says how many times the median of the others a value is, if it is any.
func timesOthers(c comparedNode) string {
	if c.Median == 0 {
		return "beside a median of the others of nothing"
	}
	return digits(c.Value/c.Median) + " times the median of the others"
}
