package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// nodes are the rows of a table.
type nodes struct {
	names []string
	p99   []float64 // seconds
	few   []fewSamples
}

// fewSamples is a node that has too few samples to be judged.
type fewSamples struct {
	Node    string `json:"node"`
	Samples int64  `json:"samples"`
}

// median returns the median p99.
func (n nodes) median() float64 {
	s := slices.Sorted(slices.Values(n.p99))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// splitFields splits a line, where fields may be in double quotes.
func splitFields(line string) ([]string, error) {
	fields := strings.Split(line, ",")
	if strings.Contains(line, `"`) {
		r := csv.NewReader(strings.NewReader(line))
		r.TrimLeadingSpace = true
		var err error
		if fields, err = r.Read(); err != nil {
			return nil, fmt.Errorf("the quotes are not those of CSV: %w", errors.Unwrap(err))
		}
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, nil
}

// readNodes reads a table.
func readNodes(e env, name string, minSamples int) (nodes, error) {
	r := e.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nodes{}, err
		}
		defer file.Close()
		r = file
	}
	var all nodes
	var columns []string
	place := map[string]int{}
	seen := map[string]int{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	number := 0
	broken := func(format string, args ...any) error {
		return fmt.Errorf("%s:%d: %s", fileName(name), number, fmt.Sprintf(format, args...))
	}
	for lines.Scan() {
		number++
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields, err := splitFields(text)
		if err != nil {
			return all, broken("%v", err)
		}
		if columns == nil {
			columns = fields
			for i, c := range columns {
				if _, ok := place[c]; ok && (c == "node" || c == "n" || c == "p99_ns") {
					return all, broken("the header has the column %s twice", c)
				}
				place[c] = i
			}
			for _, c := range []string{"node", "p99_ns"} {
				if _, ok := place[c]; !ok {
					return all, broken("the header has no column %s, want such as node,p99_ns", c)
				}
			}
			continue
		}
		if len(fields) != len(columns) {
			return all, broken("the line has %d columns, want %d", len(fields), len(columns))
		}
		node := fields[place["node"]]
		if node == "" {
			return all, broken("node is empty, want a name")
		}
		if first, ok := seen[node]; ok {
			return all, broken("node %s has been in line %d before", node, first)
		}
		seen[node] = number
		if i, ok := place["n"]; ok {
			n, err := strconv.ParseInt(fields[i], 10, 64)
			if err != nil || n < 0 {
				return all, broken("n is %q, want a number from 0", fields[i])
			}
			if n < int64(minSamples) {
				all.few = append(all.few, fewSamples{node, n})
				continue
			}
		}
		p99, err := strconv.ParseInt(fields[place["p99_ns"]], 10, 64)
		if err != nil || p99 < 0 {
			return all, broken("p99_ns is %q, want an integer number of nanoseconds from 0", fields[place["p99_ns"]])
		}
		all.names = append(all.names, node)
		all.p99 = append(all.p99, float64(p99)/1e9)
	}
	if err := lines.Err(); err != nil {
		number++
		return all, broken("%v", err)
	}
	if columns == nil {
		return all, fmt.Errorf("%s: there is no data", fileName(name))
	}
	return all, nil
}
