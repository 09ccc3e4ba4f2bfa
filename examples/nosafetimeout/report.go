package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

const intro = `WHY NO FIXED TIMEOUT IS RIGHT

A monitor pings a process, and pings again as soon as the reply is in: the gap between two
heartbeats is one round-trip time (RTT). RTTs are lognormal with median 50 ms and σ = 1. The process
never crashes here, so every suspicion is a mistake. A timeout's false-positive rate is P(RTT >
timeout), and φ = −log10 of it: φ = 3 is one mistake in 1000 heartbeats. Its detection time is how
long a crash just after a reply goes unnoticed: the whole timeout.
`

const outro = `WHAT FOLLOWS

Report how unusual a silence is, not a verdict. Learn what is usual from the heartbeats. Let each
consumer choose its own threshold. And expect mistakes: what acts on a suspicion needs a way back.
That is what package liveness is for; begin with liveness.Phi.
`

// section is a table with the sentence that says what to see in it.
type section struct {
	headline string
	rows     [][]string // the first is the header
	note     string
}

// report writes the whole study.
func report(w io.Writer, s study) error {
	var page bytes.Buffer
	page.WriteString(intro)
	for i, section := range s.sections() {
		fmt.Fprintf(&page, "\n%d. %s\n\n", i+1, section.headline)
		writeTable(&page, section.rows)
		if section.note != "" {
			fmt.Fprintf(&page, "\n%s\n", section.note)
		}
	}
	page.WriteString("\n" + outro)
	_, err := w.Write(page.Bytes())
	return err
}

// writeTable aligns the columns to the right.
func writeTable(page *bytes.Buffer, rows [][]string) {
	w := tabwriter.NewWriter(page, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t\n", strings.Join(row, "\t"))
	}
	w.Flush() // a bytes.Buffer takes everything
}

func (s study) sections() []section {
	return []section{
		s.quantileSection(),
		s.sweepSection(),
		s.targetSection(),
		s.drawSection(),
		s.steadySection(),
		s.boundedSection(),
		s.silenceSection(),
		s.shiftSection(),
	}
}

func (s study) quantileSection() section {
	rows := [][]string{{"quantile", "RTT", "multiple of the median", "exceeded by one in"}}
	for _, q := range s.quantiles {
		rows = append(rows, []string{q.name, span(q.rtt), times(q.medians), count(1 / q.tail)})
	}
	rare := s.quantiles[3]
	return section{
		headline: fmt.Sprintf("One reply in %s takes more than %s times as long as the median one.",
			count(1/rare.tail), times(rare.medians)),
		rows: rows,
	}
}

func (s study) sweepSection() section {
	rows := [][]string{{"timeout", "false-positive rate", "one mistake in", "φ", "detection time"}}
	for _, r := range s.sweep {
		rows = append(rows, []string{span(r.timeout.Seconds()), digits(r.rate, 3), count(1 / r.rate),
			phi(r.phi), span(r.detection.Seconds())})
	}
	short, long := at(s.sweep, example), s.sweep[len(s.sweep)-1]
	return section{
		headline: fmt.Sprintf("A timeout of %s errs in %s of the heartbeats; one of %s still errs, in one of\n"+
			"   %s, and leaves a crash unnoticed for %s times as long.",
			span(short.timeout.Seconds()), digits(short.rate, 3), span(long.timeout.Seconds()),
			count(1/long.rate), times(long.detection.Seconds()/short.detection.Seconds())),
		rows: rows,
	}
}

func (s study) targetSection() section {
	rows := [][]string{{"wanted rate", "φ", "timeout = detection time", "multiple of the median"}}
	for _, t := range s.targets {
		rows = append(rows, []string{percent(t.rate), phi(t.phi), span(t.timeout), times(t.medians)})
	}
	one, two, last := s.targets[1], s.targets[2], s.targets[len(s.targets)-1]
	note := "   No finite timeout reaches 0, for φ stays finite:\n\n"
	long := [][]string{{"timeout", "false-positive rate", "φ"}}
	for _, r := range s.patience {
		long = append(long, []string{span(r.timeout.Seconds()), digits(r.rate, 3), phi(r.phi)})
	}
	var table bytes.Buffer
	writeTable(&table, long)
	return section{
		headline: fmt.Sprintf("A rate of %s costs %s of waiting, %s costs %s, %s costs %s;\n"+
			"   a rate of 0 cannot be had.",
			percent(one.rate), span(one.timeout), percent(two.rate), span(two.timeout),
			percent(last.rate), span(last.timeout)),
		rows: rows,
		note: note + strings.TrimRight(table.String(), "\n"),
	}
}

func (s study) drawSection() section {
	rows := [][]string{{"timeout", "mistakes", "drawn", "theory", "theory ± 2 standard errors", "off by"}}
	for _, r := range s.draw.rows {
		low, high := r.interval()
		rows = append(rows, []string{span(r.timeout.Seconds()), count(float64(r.mistakes)),
			digits(r.observed(), 4), digits(r.rate, 4),
			digits(low, 4) + " to " + digits(high, 4), fmt.Sprintf("%+.2f s.e.", r.deviation())})
	}
	first := s.draw.rows[0]
	apart := math.Abs(first.deviation())
	verdict := "within the two that chance allows"
	if apart > 2 {
		verdict = "more than the two that chance allows in 19 draws of 20"
	}
	return section{
		headline: fmt.Sprintf("Of %s drawn RTTs %s exceed %s, and theory says %s:\n"+
			"   %.2f standard errors apart, %s.",
			count(float64(s.draw.samples)), digits(first.observed(), 4), span(first.timeout.Seconds()),
			digits(first.rate, 4), apart, verdict),
		rows: rows,
		note: fmt.Sprintf("   The largest RTT was %s, where theory expects %s to %s (19 draws in 20), and more\n"+
			"   in a longer draw: a timeout that nothing has exceeded so far is not a safe one.",
			span(s.draw.largest), span(s.draw.largestLow), span(s.draw.largestHigh)),
	}
}

func (s study) steadySection() section {
	rows := [][]string{{"timeout", "rate, σ = 1", "rate, σ = 0.5", "φ, σ = 0.5", "ratio of the rates"}}
	var shown steadyRow
	for _, r := range s.steady {
		if r.timeout == example {
			shown = r
		}
		rows = append(rows, []string{span(r.timeout.Seconds()), digits(r.usual, 3), digits(r.rate, 3),
			phi(r.phi), times(r.ratio)})
	}
	return section{
		headline: fmt.Sprintf("With the same median and half the spread, %s errs in %s of the heartbeats instead\n"+
			"   of %s: the right timeout depends on the spread, and here too no timeout is safe.",
			span(example.Seconds()), digits(shown.rate, 3), digits(shown.usual, 3)),
		rows: rows,
	}
}

func (s study) boundedSection() section {
	rows := [][]string{{"timeout", "false-positive rate", "safe"}}
	var first time.Duration
	for _, r := range s.bounded {
		safe := "no"
		if r.safe() {
			safe = "yes"
			if first == 0 {
				first = r.timeout
			}
		}
		rows = append(rows, []string{span(r.timeout.Seconds()), percent(r.rate), safe})
	}
	return section{
		headline: fmt.Sprintf("Only a bound makes a timeout safe: where RTTs lie evenly between 20 and 120 ms,\n"+
			"   a timeout of %s makes no mistake at all, and a longer one is only slower.", span(first.Seconds())),
		rows: rows,
	}
}

func (s study) silenceSection() section {
	rows := [][]string{{"silence", "φ", "P(RTT > silence)"}}
	for _, r := range s.silence {
		rows = append(rows, []string{span(r.silence.Seconds()), phi(r.phi), digits(r.alive, 3)})
	}
	first, last := s.silence[0], s.silence[len(s.silence)-1]
	return section{
		headline: fmt.Sprintf("φ grows with the silence, from %s at %s to %s at %s, and never saturates: one number\n"+
			"   serves the consumer that acts early and can be wrong and the one that must be sure.",
			phi(first.phi), span(first.silence.Seconds()), phi(last.phi), span(last.silence.Seconds())),
		rows: rows,
	}
}

func (s study) shiftSection() section {
	all := s.shift.all
	columns := []outcome{all.constant, all.following, all.hindsight}
	rows := [][]string{
		{"", "constant", span(columns[0].timeout), "p99 of the", "last " + strconv.Itoa(s.shift.window), "constant in", "hindsight"},
		{"load", "mistakes", "timeout", "mistakes", "mean timeout", "mistakes", "timeout"},
	}
	for _, r := range slices.Concat(s.shift.phases, []shiftRow{all}) {
		row := []string{r.phase}
		for _, o := range []outcome{r.constant, r.following, r.hindsight} {
			row = append(row, digits(o.rate(), 3), span(o.timeout))
		}
		rows = append(rows, row)
	}
	loaded := s.shift.phases[1]
	return section{
		headline: fmt.Sprintf("When the median moves from 50 to 150 ms, the constant goes from %s to %s mistakes; the\n"+
			"   p99 of the last %d RTTs keeps near %s, which is its real rate: not 1 %%.",
			digits(s.shift.phases[0].constant.rate(), 3), digits(loaded.constant.rate(), 3),
			s.shift.window, digits(followRate(s.shift.window), 3)),
		rows: rows,
		note: fmt.Sprintf("   %s heartbeats a phase. One RTT of the %d in the window lies above their p99, so the next one\n"+
			"   does with probability %d/%d. Just after the rise the window is still calm; mistakes in the first\n"+
			"   %d heartbeats: %d, where %.0f are usual. Following is no cheaper either: a constant of %s would\n"+
			"   have made as many mistakes in all for about the same wait (%.2f times the mean timeout). But\n"+
			"   nobody knows that constant beforehand, and its mistakes crowd into the busy phase: what\n"+
			"   following buys is an even rate.",
			count(float64(loaded.constant.beats)), s.shift.window, s.shift.window/100+1, s.shift.window+1,
			s.shift.window, loaded.following.early, followRate(s.shift.window)*float64(s.shift.window),
			span(all.hindsight.timeout), all.hindsight.timeout/all.following.timeout),
	}
}

// phi prints a level.
func phi(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

// times prints a ratio.
func times(x float64) string {
	if x >= 100 {
		return count(x)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// percent prints a probability to three digits, without zeros at the end: for round ones.
func percent(p float64) string { return probability("%.*g", 3, p) }

// digits prints a probability to n digits.
func digits(p float64, n int) string { return probability("%#.*g", n, p) }

func probability(format string, n int, p float64) string {
	switch {
	case p == 0:
		return "0 %"
	case p < 1e-4:
		return strings.Replace(fmt.Sprintf(format, n, p), "e-0", "e-", 1)
	}
	return fmt.Sprintf(format+" %%", n, 100*p)
}

// count prints a number to the nearest whole one, a long one in groups of three digits.
func count(x float64) string {
	s := strconv.FormatFloat(x, 'f', 0, 64)
	if len(s) < 5 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// span prints seconds in the unit that suits them, to the millisecond.
func span(seconds float64) string {
	ms := math.Round(seconds * 1000)
	if ms < 1000 {
		return plain(ms) + " ms"
	}
	s := ms / 1000
	switch {
	case s < 60:
		return plain(s) + " s"
	case s < 3600:
		return plain(s/60) + " min"
	case s < day.Seconds():
		return plain(s/3600) + " h"
	case s < year.Seconds():
		return plural(s/day.Seconds(), "day")
	}
	return plural(s/year.Seconds(), "year")
}

func plural(x float64, unit string) string {
	if x != 1 {
		unit += "s"
	}
	return plain(x) + " " + unit
}

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
