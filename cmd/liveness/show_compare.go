package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"example.com/liveness/qos"
)

// showComparison prints what came of a comparison.
func showComparison(w io.Writer, groups []group) {
	all := groups[0].contests
	t := table{}
	t.row("", "trace", "series", "judged", "interval")
	for i, c := range all {
		interval := "–"
		if c.series == qos.Gap {
			interval = span(c.interval)
		}
		t.row(fmt.Sprint(i+1), shortName(c.file), c.series.String(), fmt.Sprint(c.judged), interval)
	}
	t.write(w)
	if slices.ContainsFunc(all, func(c *contest) bool { return c.series == qos.Delay }) {
		fmt.Fprint(w, "\n–: not on the series delay, which has no heartbeat every interval\n")
	}
	for _, g := range groups {
		g.showLaws(w)
		g.showDetectors(w)
	}
	showLawsEach(w, all)
	showBestEach(w, all)
}

// heading says what a table is about, and on which traces.
func (g *group) heading(w io.Writer, what string) {
	on := counted(len(g.contests))
	if g.series != "all" {
		on += " of the series " + g.series
	}
	fmt.Fprintf(w, "\n%s: %s\n", what, on)
}

// showLaws prints how far promises were kept.
func (g *group) showLaws(w io.Writer) {
	g.heading(w, "Mean |log10(observed / promised mistakes)| at φ, and cost")
	t := table{right: true}
	head, last := []string{"law"}, []string{"traces scored"}
	for _, level := range comparedLevels {
		head = append(head, "φ "+digits(level))
	}
	for _, level := range comparedLevels {
		head = append(head, "cost at "+digits(level))
	}
	t.row(head...)
	for _, r := range g.laws {
		row := []string{r.law}
		var costs []string
		for i := range comparedLevels {
			wrong, cost := math.NaN(), math.NaN()
			if len(r.traces) == len(g.contests) {
				wrong, cost = r.scores[i].MeanAbsLog10Error, r.scores[i].Efficiency
			}
			row, costs = append(row, ratio(wrong)), append(costs, ratio(cost))
		}
		t.row(append(row, costs...)...)
	}
	for _, s := range g.laws[0].scores {
		last = append(last, fmt.Sprint(s.Traces))
	}
	t.row(last...)
	t.write(w)
}

// showDetectors prints what detectors need to make few mistakes.
func (g *group) showDetectors(w io.Writer) {
	goals := g.equalGoals()
	if len(goals) == 0 {
		return
	}
	g.heading(w, "Mean detection time / best constant timeout, at no more mistakes per heartbeat (on how many\ntraces it is the least)")
	t := table{right: true}
	head, last := []string{"detector"}, []string{"traces"}
	for _, k := range goals {
		head = append(head, digits(rateOf(k))+"    ")
		last = append(last, fmt.Sprint(g.mean(0, k).traces)+"    ")
	}
	t.row(head...)
	for i, name := range contenders() {
		row := []string{shortDetector(name)}
		for _, k := range goals {
			m, best := g.mean(i, k), "    "
			if m.best > 0 {
				best = fmt.Sprintf("%-4s", fmt.Sprintf(" (%d)", m.best))
			}
			row = append(row, ratio(m.ratio)+best)
		}
		t.row(row...)
	}
	t.row(last...)
	t.write(w)
}

// equalGoals returns the places of the goals that are equalRates, as far as the data reach.
func (g *group) equalGoals() []int {
	var places []int
	for i := range equalRates {
		if k := i * goalSteps; k < g.goals() {
			places = append(places, k)
		}
	}
	return places
}

// blockOf is how many traces fit beside each other.
const blockOf = 10

// showLawsEach prints how far promises were kept on each trace.
func showLawsEach(w io.Writer, contests []*contest) {
	fmt.Fprint(w, "\nOn each trace: mean |log10(observed / promised mistakes)| over the φ scored, * the least\n")
	for from := 0; from < len(contests); from += blockOf {
		block := contests[from:min(from+blockOf, len(contests))]
		least := make([]float64, len(block))
		for j, c := range block {
			least[j] = math.Inf(1)
			for _, e := range c.entries {
				if x := e.error(); x < least[j] {
					least[j] = x
				}
			}
		}
		t := table{right: true}
		head := []string{"law"}
		for j := range block {
			head = append(head, fmt.Sprintf("%d ", from+j+1))
		}
		t.row(head...)
		for i, name := range contenders() {
			if !isPhi(name) {
				continue
			}
			row := []string{shortDetector(name)}
			for j, c := range block {
				x, mark := c.entries[i].error(), " "
				if x == least[j] {
					mark = "*"
				}
				row = append(row, ratio(x)+mark)
			}
			t.row(row...)
		}
		t.write(w)
	}
}

// showBestEach prints which detector needs least on each trace.
func showBestEach(w io.Writer, contests []*contest) {
	all := group{contests: contests}
	goals := all.equalGoals()
	if len(goals) == 0 {
		return
	}
	own := contenders()[0]
	fmt.Fprintf(w, "\nOn each trace: the least mean detection time / best constant timeout, at no more mistakes per\nheartbeat, and after the slash that of %s\n", shortDetector(own))
	t := table{right: true}
	head := []string{""}
	for _, k := range goals {
		head = append(head, digits(rateOf(k)))
	}
	t.row(head...)
	for i, c := range contests {
		row := []string{fmt.Sprintf("%2d", i+1)}
		for _, k := range goals {
			cell := "–"
			if k < len(c.goals) {
				if who, least := c.best(k); !math.IsInf(least, 1) {
					cell = fmt.Sprintf("%s %s/%s", shortDetector(contenders()[who]), ratio(least), ratio(c.ratio(0, k)))
				}
			}
			row = append(row, cell)
		}
		t.row(row...)
	}
	t.write(w)
}
