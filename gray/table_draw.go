package gray

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"example.com/liveness/internal/printable"
)

// String draws the table with the factor of each client and server in the
// margins, and the faults below, each number with two digits. A slow path bears an
// asterisk. Of a large table only the worst rows and columns are drawn. Names that
// would do something to a terminal are quoted.
func (t *Table) String() string {
	const mostRows, mostColumns = 24, 12
	if len(t.clients) == 0 {
		return "no latencies\n"
	}
	paths := map[[2]string]bool{}
	for _, f := range t.faults {
		if f.Kind == FaultPath || f.Kind == FaultUnknown {
			paths[[2]string{f.Client, f.Server}] = true
		}
	}
	rows := worst(t.client, mostRows, func(i int) bool {
		return slices.ContainsFunc(t.servers, func(s string) bool { return paths[[2]string{t.clients[i], s}] })
	})
	columns := worst(t.server, mostColumns, func(j int) bool {
		return slices.ContainsFunc(t.clients, func(c string) bool { return paths[[2]string{c, t.servers[j]}] })
	})
	lines := [][]string{{"client \\ server"}}
	for _, j := range columns {
		lines[0] = append(lines[0], printable.Name(t.servers[j]))
	}
	lines[0] = append(lines[0], "×")
	for _, i := range rows {
		line := []string{printable.Name(t.clients[i])}
		for _, j := range columns {
			cell := "-"
			if x := t.value[i][j]; !math.IsNaN(x) {
				cell = span(math.Exp(x))
				if paths[[2]string{t.clients[i], t.servers[j]}] {
					cell += "*"
				}
			}
			line = append(line, cell)
		}
		lines = append(lines, append(line, times(math.Exp(t.client[i]))))
	}
	factors := []string{"×"}
	for _, j := range columns {
		factors = append(factors, times(math.Exp(t.server[j])))
	}
	lines = append(lines, append(factors, span(math.Exp(t.typical))))
	var b strings.Builder
	grid(&b, lines)
	if n, m := len(t.clients)-len(rows), len(t.servers)-len(columns); n > 0 || m > 0 {
		fmt.Fprintf(&b, "and %s, %s\n", plural(n, "more client"), plural(m, "more server"))
	}
	for _, f := range t.faults {
		fmt.Fprintln(&b, f)
	}
	if len(t.faults) == 0 {
		fmt.Fprintln(&b, "nothing stands out")
	}
	return b.String()
}

// worst returns the places of the rows or columns to draw, in order.
func worst(parts []float64, most int, marked func(int) bool) []int {
	places := make([]int, len(parts))
	first := make([]bool, len(parts))
	for i := range places {
		places[i], first[i] = i, marked(i)
	}
	if len(places) <= most {
		return places
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(oneIf(first[b]), oneIf(first[a])), cmp.Compare(parts[b], parts[a]))
	})
	places = places[:most]
	slices.Sort(places)
	return places
}

// grid writes lines in aligned columns.
func grid(b *strings.Builder, lines [][]string) {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, line := range lines {
		for i, cell := range line {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				b.WriteString(cell + pad)
			} else {
				b.WriteString("  " + pad + cell)
			}
		}
		b.WriteByte('\n')
	}
}
