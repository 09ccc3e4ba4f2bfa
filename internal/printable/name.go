// Package printable writes names from elsewhere so that they do nothing to a
// terminal.
package printable

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Name returns the name as it is, or quoted as in Go if it has a character that is
// not to be seen, such as one that begins a terminal's command, turns the direction
// of the text around, or is no UTF-8.
func Name(name string) string {
	hidden := func(r rune) bool { return !strconv.IsPrint(r) }
	if utf8.ValidString(name) && !strings.ContainsFunc(name, hidden) {
		return name
	}
	return strconv.Quote(name)
}
