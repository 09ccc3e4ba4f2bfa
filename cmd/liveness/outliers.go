package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/liveness/gray"
)

// outliersFound is the JSON of outliers.
type outliersFound struct {
	Evaluated int       `json:"evaluated"`
	Flagged   []flagged `json:"flagged"`
	Degraded  bool      `json:"group_degraded"`
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

const outliersNote = `
FILE is a table in CSV with the columns node and p99_ns, in any order and among others; if it has a
column n, the number of samples, nodes with fewer than -min-samples are left out. Lines with # are
comments. A node stands out if its p99 is above -ratio times the median of the others, and by -gap
at least. The group is degraded if the median of all is above -limit, which takes a -limit. Above
-max-percent of nodes that stand out it fails open: the cause is hardly in each of them, so nobody
is to be taken out. In a group of four that is so from the first on.
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
		return fmt.Errorf("%s: %d nodes can be judged, %d have fewer than %d samples; want at least %d, each compared with -min-peers %d others",
			fileName(files[0]), n, len(all.few), *minSamples, *minPeers+1, *minPeers)
	}
	rule := gray.Relative{Ratio: *ratio, Gap: gap.Seconds(), MinPeers: *minPeers}
	compared, err := rule.Compare(all.p99)
	if err != nil {
		return fmt.Errorf("%s: %s", fileName(files[0]), strings.TrimPrefix(err.Error(), "gray: "))
	}
	guard, err := gray.NewGuard(gray.GuardConfig{MaxPercent: *maxPercent})
	if err != nil {
		return err
	}
	order := make([]int, len(compared))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(compared[b].Value, compared[a].Value), cmp.Compare(all.names[a], all.names[b]))
	})
	result := outliersFound{Evaluated: len(compared), Flagged: []flagged{}, NotEvaluated: all.few}
	census := gray.Census{Members: all.names}
	for _, i := range order {
		if c := compared[i]; c.Outlier {
			result.Flagged = append(result.Flagged, flagged{all.names[i], c.Value, c.Median, known(c.Value / c.Median)})
			census.Failing = append(census.Failing, all.names[i])
		}
	}
	ruling := guard.Look(time.Time{}, census)
	mid := all.median()
	result.Degraded, result.FailOpen = limit > 0 && mid > limit.Seconds(), ruling.Open
	return f.print(result, func(w io.Writer) {
		showOutliers(w, files[0], all, result, ruling, compared[order[0]], all.names[order[0]], mid, limit)
	})
}

func showOutliers(w io.Writer, file string, all nodes, r outliersFound, ruling gray.Ruling, worst gray.Comparison, name string, mid float64, limit time.Duration) {
	var t table
	t.pair("table", "%s, %d nodes judged", fileName(file), r.Evaluated)
	for i, n := range all.few {
		name := ""
		if i == 0 {
			name = "too few samples"
		}
		t.pair(name, "node %s: %d", printable(n.Node), n.Samples)
	}
	t.pair("median p99", "%s", seconds(mid))
	switch {
	case limit == 0:
		t.pair("group", "not judged: no -limit was given, and peers cannot tell when all are slow")
	case r.Degraded:
		t.pair("group", "degraded: the median is above the limit of %s", span(limit))
	default:
		t.pair("group", "not degraded: the median is within the limit of %s", span(limit))
	}
	for i, f := range r.Flagged {
		name := ""
		if i == 0 {
			name = "stands out"
		}
		t.pair(name, "node %s: p99 %s, %s, %s", printable(f.Node), seconds(f.Value), timesOthers(f.Value, f.PeerMedian), seconds(f.PeerMedian))
	}
	if len(r.Flagged) == 0 {
		t.pair("stands out", "nobody: the slowest is node %s with %s, %s;", printable(name), seconds(worst.Value), timesOthers(worst.Value, worst.Median))
		t.pair("", "it takes more than %s", seconds(worst.Threshold))
	}
	if ruling.Open {
		t.pair("guard", "open: %d stand out and %d of %d may; take nobody out, look for what they share", ruling.Unhealthy, ruling.Limit, ruling.Members)
	} else {
		t.pair("guard", "closed: %d stand out and %d of %d may", ruling.Unhealthy, ruling.Limit, ruling.Members)
	}
	t.write(w)
}

// timesOthers says how many times the median of the others a value is, if it is any.
func timesOthers(value, median float64) string {
	if median == 0 {
		return "beside a median of the others of nothing"
	}
	return digits(value/median) + " times the median of the others"
}

// printable quotes a name that would do something to a terminal.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(name)
	}
	return name
}
