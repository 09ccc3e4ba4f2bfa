package main

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A table is text in aligned columns.
type table struct {
	rows [][]string
	// right says that all columns but the first are numbers, aligned to the right,
	// and a row of one cell is a heading, which may be wider than its column.
	right bool
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// pair adds a name and a value.
func (t *table) pair(name, format string, args ...any) {
	t.row(name, fmt.Sprintf(format, args...))
}

func (t *table) write(w io.Writer) {
	var widths []int
	for _, row := range t.rows {
		if t.right && len(row) == 1 { // a heading
			continue
		}
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			pad := strings.Repeat(" ", max(widths[i]-utf8.RuneCountInString(cell), 0))
			if t.right && i > 0 {
				line.WriteString(pad + cell)
			} else {
				line.WriteString(cell + pad)
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}
