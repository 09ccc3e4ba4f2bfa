package gray_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/gray"
)

// matrix is a table of clients by servers with a latency of 10 ms, times a factor.
func matrix(clients, servers int, factor func(c, s int) float64) []gray.Cell {
	var cells []gray.Cell
	for c := range clients {
		for s := range servers {
			cells = append(cells, gray.Cell{Client: fmt.Sprintf("c%03d", c), Server: name(s), Latency: time.Duration(10e6 * factor(c, s)), Samples: 100})
		}
	}
	return cells
}

func newTable(t *testing.T, cfg gray.TableConfig, cells []gray.Cell) *gray.Table {
	t.Helper()
	table, err := gray.NewTable(cfg, cells)
	require.NoError(t, err)
	return table
}

// faults writes the faults without their numbers.
func faults(table *gray.Table) string {
	var all []string
	for _, f := range table.Faults() {
		all = append(all, strings.TrimRight(fmt.Sprint(f.Kind, " ", f.Client, f.Server), " "))
	}
	return strings.Join(all, ", ")
}

func TestTableAttributes(t *testing.T) {
	if10 := func(yes bool) float64 {
		if yes {
			return 10
		}
		return 1
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for _, c := range []struct {
		what             string
		clients, servers int
		factor           func(c, s int) float64
		want             string
	}{
		{"nothing", 6, 6, func(c, s int) float64 { return 1 }, ""},
		{"noise", 6, 6, func(c, s int) float64 { return math.Exp(0.2 * rng.NormFloat64()) }, ""},
		{"far clients and slow servers are different, not faulty", 6, 6, func(c, s int) float64 { return (1 + float64(c)/4) * (1 + float64(s)/4) }, ""},
		{"one server, with noise", 6, 6, func(c, s int) float64 { return if10(s == 2) * math.Exp(0.2*rng.NormFloat64()) }, "server s002"},
		{"server and client", 6, 6, func(c, s int) float64 { return if10(s == 2) * if10(c == 4) }, "server s002, client c004"},
		{"a path of a slow server", 6, 6, func(c, s int) float64 { return if10(s == 2) * if10(s == 2 && c == 4) }, "server s002, path c004s002"},
		{"two of six clients of one server", 6, 6, func(c, s int) float64 { return if10(s == 2 && c < 2) }, "path c000s002, path c001s002"},
		{"four of six servers: peers are silent", 6, 6, func(c, s int) float64 { return if10(s < 4) }, "all"},
		{"a half block cannot be seen", 6, 6, func(c, s int) float64 { return if10(c < 3 && s < 3) }, ""},
		{"three by three is enough", 3, 3, func(c, s int) float64 { return if10(s == 1) }, "server s001"},
		{"two by two is not", 2, 2, func(c, s int) float64 { return if10(s == 1) }, "unknown c000s001, unknown c001s001"},
		{"nor are two clients", 2, 9, func(c, s int) float64 { return if10(s == 1) }, "unknown c000s001, unknown c001s001"},
		{"nor is one, but peers can tell", 1, 9, func(c, s int) float64 { return if10(s == 1) }, "unknown c000s001"},
		{"large", 40, 200, func(c, s int) float64 { return if10(s == 77) * if10(c == 7 && s == 9) }, "server s077, path c007s009"},
	} {
		t.Run(c.what, func(t *testing.T) {
			table := newTable(t, gray.TableConfig{Limit: 50 * ms}, matrix(c.clients, c.servers, c.factor))
			assert.Equal(t, c.want, faults(table), "%v", table)
			for line := range strings.Lines(table.String()) {
				assert.LessOrEqual(t, len(line), 130)
			}
		})
	}
}

func TestTableGapsAndSamples(t *testing.T) {
	slow := matrix(5, 5, func(c, s int) float64 {
		if s == 1 {
			return 5
		}
		return 1
	})
	assert.Equal(t, "server s001", faults(newTable(t, gray.TableConfig{Gap: 39 * ms}, slow)))
	assert.Empty(t, faults(newTable(t, gray.TableConfig{Gap: 41 * ms}, slow)))
	assert.Empty(t, faults(newTable(t, gray.TableConfig{Ratio: 6}, slow)))
	assert.Equal(t, "no latencies\n", newTable(t, gray.TableConfig{MinSamples: 101}, slow).String())
	assert.Zero(t, newTable(t, gray.TableConfig{}, nil).Typical())
	table := newTable(t, gray.TableConfig{}, slow)
	assert.InDelta(t, 10e6, float64(table.Typical()), 1)
	f := table.Faults()[0]
	assert.InEpsilon(t, 5, f.Ratio, 1e-9)
	assert.Equal(t, "server s001: 50ms against 10ms, 5 times", f.String())

	// Cells may be missing: nobody calls themselves.
	var some []gray.Cell
	for _, c := range slow {
		if c.Client[1:] != c.Server[1:] {
			some = append(some, c)
		}
	}
	table = newTable(t, gray.TableConfig{}, some)
	assert.Equal(t, "server s001", faults(table))
	assert.Contains(t, table.String(), " -")
	assert.Contains(t, newTable(t, gray.TableConfig{}, matrix(4, 4, func(c, s int) float64 { return 1e-3 })).String(), "10µs")
	assert.Contains(t, newTable(t, gray.TableConfig{}, matrix(4, 4, func(c, s int) float64 { return 1e3 })).String(), "10s")
	assert.Contains(t, newTable(t, gray.TableConfig{}, matrix(4, 4, func(c, s int) float64 { return 1 })).String(), "nothing stands out")
	assert.Contains(t, newTable(t, gray.TableConfig{}, matrix(30, 20, func(c, s int) float64 { return 1 })).String(), "and 6 more clients, 8 more servers")
}

// Fewer than three on a side blame nobody, and say so.
func TestTableOfFew(t *testing.T) {
	for _, size := range [][2]int{{2, 5}, {5, 2}, {1, 5}, {5, 1}} {
		slow := matrix(size[0], size[1], func(c, s int) float64 {
			if c == 0 && s == 0 {
				return 10
			}
			return 1
		})
		assert.Equal(t, "unknown c000s000", faults(newTable(t, gray.TableConfig{}, slow)), "%v", size)
	}
	table := newTable(t, gray.TableConfig{Limit: time.Millisecond}, matrix(3, 3, func(c, s int) float64 { return float64(1 + 9*(s/2)) }))
	assert.Equal(t, "all, server s002", faults(table), "what concerns all comes first")
	assert.Equal(t, "all: 10ms against 1ms, 10 times", table.Faults()[0].String())
}

// The parts of a table may add up to more than a Duration holds.
func TestTableOfHugeLatencies(t *testing.T) {
	var cells []gray.Cell
	for _, c := range names(6) {
		for _, s := range names(6) {
			latency := 24 * time.Hour
			if c == name(4) {
				latency *= 1000
			}
			if s == name(2) {
				latency *= 1000
			}
			if c == name(4) && s == name(2) {
				latency = math.MaxInt64
			}
			cells = append(cells, gray.Cell{Client: c, Server: s, Latency: latency, Samples: 1})
		}
	}
	check := func() {
		table, err := gray.NewTable(gray.TableConfig{Limit: time.Second}, cells)
		require.NoError(t, err)
		assert.Positive(t, table.Typical())
		require.NotEmpty(t, table.Faults())
		for _, f := range table.Faults() {
			assert.Positive(t, f.Latency, "%v", f)
			assert.Positive(t, f.Usual, "%v", f)
		}
	}
	check()
	for i := range cells {
		cells[i].Latency = math.MaxInt64
	}
	check()
}
