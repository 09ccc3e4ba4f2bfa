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
	"unicode/utf8"

	"example.com/liveness/internal/printable"
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
	in := e.stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nodes{}, err
		}
		defer file.Close()
		in = file
	}
	r := nodeReader{minSamples: int64(minSamples), seen: map[string]int{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	broken := func(err error) error { return fmt.Errorf("%s:%d: %w", fileName(name), r.line, err) }
	for lines.Scan() {
		r.line++
		text := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if err := r.read(text); err != nil {
			return nodes{}, broken(err)
		}
	}
	if err := lines.Err(); err != nil {
		r.line++
		return nodes{}, broken(err)
	}
	if r.place == nil {
		return nodes{}, fmt.Errorf("%s: there is no data", fileName(name))
	}
	return r.nodes, nil
}

// A nodeReader reads a table line by line.
type nodeReader struct {
	nodes
	minSamples int64
	line       int
	columns    int
	place      map[string]int // of the columns that matter; nil before the header
	seen       map[string]int // in which line each node was
}

func (r *nodeReader) read(text string) error {
	fields, err := splitFields(text)
	switch {
	case err != nil:
		return err
	case r.place == nil:
		return r.header(fields)
	case len(fields) != r.columns:
		return fmt.Errorf("the line has %d columns, want %d", len(fields), r.columns)
	}
	return r.row(fields)
}

func (r *nodeReader) header(fields []string) error {
	r.columns, r.place = len(fields), map[string]int{}
	for i, c := range fields {
		if c != "node" && c != "n" && c != "p99_ns" {
			continue
		}
		if _, ok := r.place[c]; ok {
			return fmt.Errorf("the header has the column %s twice", c)
		}
		r.place[c] = i
	}
	for _, c := range []string{"node", "p99_ns"} {
		if _, ok := r.place[c]; !ok {
			return fmt.Errorf("the header has no column %s, want node and p99_ns", c)
		}
	}
	return nil
}

func (r *nodeReader) row(fields []string) error {
	node := fields[r.place["node"]]
	if node == "" {
		return errors.New("node is empty, want a name")
	}
	if !utf8.ValidString(node) { // -json could not tell it from others
		return fmt.Errorf("node is %q, which is no UTF-8", node)
	}
	if first, ok := r.seen[node]; ok {
		return fmt.Errorf("node %s has been in line %d before", printable.Name(node), first)
	}
	r.seen[node] = r.line
	if i, ok := r.place["n"]; ok {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("n is %q, want a number from 0", fields[i])
		}
		if n < r.minSamples {
			r.few = append(r.few, fewSamples{node, n})
			return nil
		}
	}
	p99, err := strconv.ParseInt(fields[r.place["p99_ns"]], 10, 64)
	if err != nil || p99 < 0 {
		return fmt.Errorf("p99_ns is %q, want an integer number of nanoseconds from 0", fields[r.place["p99_ns"]])
	}
	r.names = append(r.names, node)
	r.p99 = append(r.p99, float64(p99)/1e9)
	return nil
}
