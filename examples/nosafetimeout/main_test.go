package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestProgram(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run(nil, &stdout, &stderr))
	assert.Empty(t, stderr.String())
	page := stdout.String()
	for _, headline := range []string{
		"WHY NO FIXED TIMEOUT IS RIGHT",
		"1. One reply in 1000 takes more than 22.0 times as long as the median one.",
		"2. A timeout of 300 ms errs in 3.66 % of the heartbeats; one of 5 s still errs, in one of\n" +
			"   485 285, and leaves a crash unnoticed for 16.7 times as long.",
		"3. A rate of 1 % costs 512 ms of waiting, 0.1 % costs 1.099 s, 1e-9 costs 20.127 s;\n" +
			"   a rate of 0 cannot be had.",
		"4. Of 1 000 000 drawn RTTs 3.6",
		" exceed 300 ms, and theory says 3.659 %:",
		" standard errors apart, within the two that chance allows.",
		"5. With the same median and half the spread, 300 ms errs in 0.0169 % of the heartbeats instead\n" +
			"   of 3.66 %: the right timeout depends on the spread, and here too no timeout is safe.",
		"6. Only a bound makes a timeout safe: where RTTs lie evenly between 20 and 120 ms,\n" +
			"   a timeout of 120 ms makes no mistake at all, and a longer one is only slower.",
		"7. φ grows with the silence, from 0.301 at 50 ms to 28.614 at 1 h, and never saturates",
		"8. When the median moves from 50 to 150 ms, the constant goes from ",
		"p99 of the last 100 RTTs keeps near 1.98 %, which is its real rate: not 1 %.",
		"probability 2/101",
		"WHAT FOLLOWS",
	} {
		assert.Contains(t, page, headline)
	}
	for _, row := range []string{ // one of each table that is not drawn
		"p99.9   1.099 s   22.0   1000",
		"300 ms   3.66 %   27   1.437   300 ms",
		"1e-6   6.000   5.799 s   116",
		"1 year   1.38e-91   90.860",
		"500 ms   1.07 %   2.06e-6   5.686   5169",
		"119 ms   1 %   no",
		"120 ms   0 %   yes",
		"10 min   20.534   2.93e-21",
	} {
		assert.Contains(t, columns(page), "\n"+row+"\n")
	}
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 100, line)
		assert.Equal(t, strings.TrimRight(line, " "), line)
	}
	for _, bad := range []string{"NaN", "Inf", "%!", "-0"} {
		assert.NotContains(t, strings.ReplaceAll(page, "-0.", ""), bad)
	}
}

// columns removes the indent and makes the columns three spaces apart.
func columns(page string) string {
	var b strings.Builder
	for line := range strings.Lines(page) {
		var cells []string
		for cell := range strings.SplitSeq(line, "   ") {
			if cell = strings.TrimSpace(cell); cell != "" {
				cells = append(cells, cell)
			}
		}
		b.WriteString(strings.Join(cells, "   ") + "\n")
	}
	return b.String()
}

func TestProgramIsDeterministic(t *testing.T) {
	output := func(args ...string) string {
		var stdout bytes.Buffer
		require.Equal(t, 0, run(args, &stdout, io.Discard))
		return stdout.String()
	}
	one := output("-samples", "1000")
	assert.Equal(t, one, output("-samples", "1000", "-seed", "1"))
	assert.NotEqual(t, one, output("-samples", "1000", "-seed", "2"))
	assert.Contains(t, one, "4. Of 1000 drawn RTTs")
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args   []string
		status int
		stderr string
	}{
		{[]string{"-h"}, 0, "Usage: nosafetimeout"},
		{[]string{"-nope"}, 2, "not defined: -nope"},
		{[]string{"-seed", "x"}, 2, "invalid value"},
		{[]string{"-samples", "0"}, 2, "samples is 0, want a number from 1 to 1000000000"},
		{[]string{"-samples", "1000000001"}, 2, "samples is 1000000001"},
		{[]string{"300ms"}, 2, `unexpected argument "300ms"`},
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, c.status, run(c.args, &stdout, &stderr), "%q", c.args)
		assert.Empty(t, stdout.String(), "%q", c.args)
		assert.Contains(t, stderr.String(), c.stderr, "%q", c.args)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatCannotBeWritten(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, 1, run([]string{"-samples", "1"}, brokenPipe{}, &stderr))
	assert.Equal(t, "nosafetimeout: broken pipe\n", stderr.String())
}

// A draw that is far off is said to be.
func TestDrawVerdict(t *testing.T) {
	s := study{draw: draw{samples: 400, rows: []drawRow{{timeout: example, samples: 400, mistakes: 70, rate: 0.2}}}}
	assert.Contains(t, s.drawSection().headline, "1.25 standard errors apart, within")
	s.draw.rows[0].mistakes = 110
	assert.Contains(t, s.drawSection().headline, "3.75 standard errors apart, more than")
}

func TestFormats(t *testing.T) {
	for want, got := range map[string]string{
		"0 %":       digits(0, 3),
		"3.66 %":    digits(0.03658575, 3),
		"3.659 %":   digits(0.03658575, 4),
		"0.300 %":   digits(0.003, 3),
		"0.0113 %":  digits(1.126e-4, 3),
		"2.06e-6":   digits(2.0606e-6, 3),
		"8.35e-137": digits(8.3537e-137, 3),
		"10 %":      percent(0.1),
		"0.01 %":    percent(1e-4),
		"1e-9":      percent(1e-9),
		"4":         count(4.097),
		"1000":      count(1000),
		"10 000":    count(10_000),
		"485 285":   count(485_285.2),
		"1 316 538": count(1_316_537.505),
		"22.0":      times(21.98),
		"116":       times(115.98),
		"5169":      times(5168.8),
		"50 ms":     span(0.05),
		"1.099 s":   span(1.0991),
		"1 s":       span(0.9996),
		"59.999 s":  span(59.999),
		"10 min":    span(600),
		"1 h":       span(3600),
		"1 day":     span(86400),
		"7 days":    span(7 * 86400),
		"1 year":    span(year.Seconds()),
		"100 years": span(100 * year.Seconds()),
		"28.614":    phi(28.6143352),
		"0.301":     phi(math.Log10(2)),
	} {
		assert.Equal(t, want, got)
	}
}
