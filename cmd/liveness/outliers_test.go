package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tabled is a table of n nodes with a p99 of 100 ms, and some with others.
func tabled(n int, others map[int]int) string {
	var b strings.Builder
	b.WriteString("# made for tests\nnode,n,p99_ns\n")
	for i := range n {
		p99 := 100
		if other, ok := others[i]; ok {
			p99 = other
		}
		fmt.Fprintf(&b, "node%02d,1000,%d000000\n", i, p99)
	}
	return b.String()
}

func TestOutliers(t *testing.T) {
	got := answer(t, tabled(10, map[int]int{3: 400, 7: 250}), "outliers", "-")
	assert.Equal(t, map[string]any{
		"evaluated": 10., "fail_open": false,
		"flagged": []any{map[string]any{"node": "node03", "value": 0.4, "peer_median": 0.1, "ratio": 0.4 / 0.1}},
	}, got)
	assert.Equal(t, []any{}, answer(t, tabled(10, nil), "outliers", "-")["flagged"])
	assert.Len(t, answer(t, tabled(10, map[int]int{3: 400, 7: 250}), "outliers", "-ratio", "2", "-")["flagged"], 2)
	assert.Empty(t, answer(t, tabled(10, map[int]int{3: 400}), "outliers", "-gap", "301ms", "-")["flagged"])
	assert.Equal(t, true, answer(t, tabled(10, nil), "outliers", "-limit", "99ms", "-")["group_degraded"])
	assert.Equal(t, false, answer(t, tabled(10, nil), "outliers", "-limit", "100ms", "-")["group_degraded"])
	open := answer(t, tabled(10, map[int]int{1: 400, 2: 500, 3: 400}), "outliers", "-")
	assert.Equal(t, true, open["fail_open"])
	assert.Equal(t, "node02", open["flagged"].([]any)[0].(map[string]any)["node"])
	assert.Equal(t, false, answer(t, tabled(10, map[int]int{1: 400, 2: 500, 3: 400}), "outliers", "-max-percent", "30", "-")["fail_open"])
	assert.Equal(t, true, answer(t, tabled(4, map[int]int{1: 400}), "outliers", "-min-peers", "3", "-")["fail_open"], "1 of 4 is 25 %")

	// The columns of n are optional, others do not matter, and few samples are no samples.
	assert.Equal(t, 5., answer(t, "p99_ns,node\n1,a\n1,b\n1,c\n1,d\n900000000,e\n", "outliers", "-")["evaluated"])
	few := strings.Replace(tabled(10, map[int]int{3: 400}), "node03,1000", "node03,499", 1)
	got = answer(t, few, "outliers", "-")
	assert.Equal(t, 9., got["evaluated"])
	assert.Empty(t, got["flagged"])
	assert.Len(t, answer(t, few, "outliers", "-min-samples", "499", "-")["flagged"], 1)
}

func TestOutliersInWords(t *testing.T) {
	r := cli(tabled(10, map[int]int{3: 400}), "outliers", "-")
	assert.Equal(t, exitDone, r.code)
	assert.Contains(t, r.stdout, "node03: p99 400 ms, 4 times the median of the others, 100 ms")
	assert.Contains(t, r.stdout, "closed: 1 node stands out, and up to 2 of 10 may be taken out (20 %)\n")
	narrow(t, r.stdout)
	r = cli(tabled(10, map[int]int{3: 290}), "outliers", "-limit", "50ms", "-")
	assert.Contains(t, r.stdout, "nobody: the slowest is node node03 with 290 ms, 2.9 times the median of the others;")
	assert.Contains(t, r.stdout, "degraded: the median is above the limit of 50 ms")
	narrow(t, r.stdout)
	r = cli(tabled(10, map[int]int{1: 400, 3: 400, 5: 400}), "outliers", "-")
	assert.Contains(t, r.stdout, "open: 3 nodes stand out, more than the 2 of 10 that may be taken out (20 %)\n")
	assert.Contains(t, r.stdout, "take nobody out, and look for what they share\n")
	narrow(t, r.stdout)
	for want, args := range map[string][]string{
		"closed: 2 nodes stand out, and up to 3 of 4 may be taken out (80 %)\n":  {"-max-percent", "80"},
		"open: 2 nodes stand out, more than the 1 of 4 that may be taken":        {"-max-percent", "25"},
		"open: 2 nodes stand out, and of 4 not even one may be taken out (20 %)": nil,
		"closed: there is nobody to take out\n":                                  {"-gap", "1s"},
	} {
		r = cli(tabled(4, map[int]int{1: 400, 3: 450}), append([]string{"outliers", "-min-peers", "1", "-"}, args...)...)
		assert.Contains(t, r.stdout, want)
		narrow(t, r.stdout)
	}
}

// What is unknown is absent: without a limit nobody knows whether the group is degraded.
func TestOutliersWithoutLimit(t *testing.T) {
	for _, p99 := range []int{100, 900} {
		table := tabled(10, map[int]int{3: p99})
		assert.NotContains(t, answer(t, table, "outliers", "-"), "group_degraded")
		assert.Contains(t, answer(t, table, "outliers", "-limit", "1s", "-"), "group_degraded")
		assert.Contains(t, answer(t, table, "outliers", "-"), "fail_open", "the guard always rules")
		assert.Contains(t, cli(table, "outliers", "-").stdout, "not judged: no -limit was given")
	}
}

func TestOutliersRefuses(t *testing.T) {
	for want, stdin := range map[string]string{
		"standard input: there is no data":                                                                  "# nothing\n",
		"standard input:1: the header has no column node, want node and p99_ns":                             "a,b\n",
		"standard input:1: the header has no column p99_ns":                                                 "node,b\n",
		"standard input:3: the line has 1 columns, want 2":                                                  "node,p99_ns\na,1\nb\n",
		`standard input:2: p99_ns is "x", want an integer number of nanoseconds`:                            "node,p99_ns\na,x\n",
		`standard input:2: p99_ns is "-1"`:                                                                  "node,p99_ns\na,-1\n",
		`standard input:2: n is "many", want a number from 0`:                                               "node,n,p99_ns\na,many,1\n",
		"standard input:2: node is empty":                                                                   "node,p99_ns\n,1\n",
		`standard input:3: node is "gr\xf6\xdfe", which is no UTF-8`:                                        "node,p99_ns\na,1\ngr\xf6\xdfe,1\n",
		"standard input:1: the header has the column p99_ns twice":                                          "node,p99_ns,p99_ns\na,1,2\n",
		`standard input:2: the quotes are not those of CSV: bare " in non-quot`:                             "node,p99_ns\na\"b,1\n",
		"standard input:3: the quotes are not those of CSV":                                                 "node,p99_ns\na,1\n\"b,1\n",
		"standard input:3: node a has been in line 2 before":                                                "node,p99_ns\na,1\na,2\n",
		`standard input:3: node "\x1b[2J" has been in line 2 before`:                                        "node,p99_ns\n\x1b[2J,1\n\x1b[2J,2\n",
		"input: nodes that can be judged: 4, want at least 5, to compare each with 4 others (-min-peers)\n": tabled(4, nil),
		"(-min-peers); those left out for fewer than 500 samples: 1\n":                                      "node,n,p99_ns\na,1,1\nb,500,1\n",
	} {
		r := cli(stdin, "outliers", "-")
		assert.Equal(t, exitFailed, r.code)
		assert.Contains(t, r.stderr, want)
		assert.Empty(t, r.stdout)
	}
	for want, args := range map[string][]string{
		"-ratio is 1, want a number above 1":     {"-ratio", "1"},
		"-ratio is NaN":                          {"-ratio", "NaN"},
		"-gap is -1s":                            {"-gap", "-1s"},
		"-limit is -1s":                          {"-limit", "-1s"},
		"-min-samples is -1":                     {"-min-samples", "-1"},
		"-min-peers is 0":                        {"-min-peers", "0"},
		"-max-percent is 101, want a percentage": {"-max-percent", "101"},
	} {
		r := cli(tabled(10, nil), append([]string{"outliers", "-"}, args...)...)
		assert.Equal(t, exitUsage, r.code)
		assert.Contains(t, r.stderr, want)
	}
	assert.Equal(t, exitFailed, cli("", "outliers", filepath.Join(t.TempDir(), "none")).code)
}

// Of 99 nodes of a real network, node 11 is the gray one; its peers are fine.
func TestOutliersOnATrace(t *testing.T) {
	folder := os.Getenv("LIVENESS_TRACES")
	if folder == "" {
		t.Skip("LIVENESS_TRACES is not set")
	}
	path := filepath.Join(folder, "netlatency_seattle_pernode.csv")
	got := answer(t, "", "outliers", path)
	assert.Equal(t, 99., got["evaluated"])
	assert.Equal(t, false, got["fail_open"])
	require.Len(t, got["flagged"], 1)
	assert.Equal(t, "11", got["flagged"].([]any)[0].(map[string]any)["node"])

	data, err := os.ReadFile(path)
	require.NoError(t, err)
	var healthy strings.Builder
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "11,") {
			healthy.WriteString(line)
		}
	}
	got = answer(t, healthy.String(), "outliers", "-")
	assert.Equal(t, 98., got["evaluated"])
	assert.Empty(t, got["flagged"])
	assert.Contains(t, cli(healthy.String(), "outliers", "-").stdout, "nobody: the slowest is node 44 with 5.03 s")
}

// Names in quotes, medians of nothing, and names that would do something to a terminal.
func TestOutliersOddTables(t *testing.T) {
	quoted := "\"node\", \"p99_ns\"\na,1\nb,1\n\"c\",1\nd,1\n\"e, the \"\"last\"\"\",900000000\n"
	got := answer(t, quoted, "outliers", "-")
	assert.Equal(t, `e, the "last"`, got["flagged"].([]any)[0].(map[string]any)["node"])

	zero := "node,p99_ns\na,0\nb,0\nc,0\nd,0\ne\x1b[31m,900000000\n"
	got = answer(t, zero, "outliers", "-")
	assert.NotContains(t, got["flagged"].([]any)[0], "ratio")
	r := cli(zero, "outliers", "-")
	assert.Contains(t, r.stdout, `"e\x1b[31m": p99 900 ms, beside a median of the others of nothing, 0 s`)
	r = cli(strings.Replace(zero, "900000000", "0", 1), "outliers", "-")
	assert.Contains(t, r.stdout, "nobody: the slowest is node a with 0 s, beside a median of the others of nothing;")
	assert.NotContains(t, r.stdout, "NaN")
}

// A node with too few samples is named: it may be the slowest of all.
func TestOutliersNameWhoIsNotJudged(t *testing.T) {
	table := "node,p99_ns,n\na,1000000,900\nb,1100000,900\nc,1000000,900\nd,1200000,900\ne,900000,900\ng,900000000,10\n"
	assert.Regexp(t, `too few samples +node g: 10\n`, cli(table, "outliers", "-").stdout)
	assert.Contains(t, cli(table, "outliers", "-json", "-").stdout, `"not_evaluated":[{"node":"g","samples":10}]`)
	assert.NotContains(t, cli(table[:strings.Index(table, "g,")], "outliers", "-json", "-").stdout, "not_evaluated")
}
