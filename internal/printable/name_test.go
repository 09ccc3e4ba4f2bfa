package printable

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestName(t *testing.T) {
	for name, want := range map[string]string{
		"":                   "",
		"10.0.0.1:443":       "10.0.0.1:443",
		"größe 7":            "größe 7",
		`said "so"`:          `said "so"`,
		"\x1b[31mred":        `"\x1b[31mred"`,
		"two\nlines":         `"two\nlines"`,
		"\u202egnp":          `"\u202egnp"`,
		"\x9b31m":            `"\x9b31m"`, // a command in 8 bits
		"\u009b31m":          `"\u009b31m"`,
		"a\u200bb":           `"a\u200bb"`,
		"\x1b]0;\"title\"\a": `"\x1b]0;\"title\"\a"`,
	} {
		assert.Equal(t, want, Name(name))
	}
}
