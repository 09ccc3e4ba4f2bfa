package main

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawCalibration draws what came of the promises, and beside it what they cost.
func drawCalibration(results []lawResult) drawing {
	several := len(results[0].traces) > 1
	titles := []string{"Mistakes", "Cost"}
	if several {
		titles[0] += ", mean of the traces scored (small: each)"
	}
	errors := newPlot("", "φ, which promises a share of 10^(−φ) mistakes", "observed / promised mistakes")
	costs := newPlot("", "φ", "mean timeout / best constant timeout")
	levels := results[0].scores
	first, last := levels[0].Level, levels[len(levels)-1].Level
	spacing := last - first
	for i := 1; i < len(levels); i++ {
		spacing = min(spacing, levels[i].Level-levels[i-1].Level)
	}
	if spacing == 0 {
		spacing = 1 // one level
	}
	left, right := first-spacing/2, last+spacing/2
	one := reference(plotter.XYs{{X: left}, {X: right}})
	for _, p := range []*plot.Plot{errors, costs} {
		p.X.Tick.Marker = levelTicks(results)
		p.Y.Tick.Marker = logTicks{shareTick}
		p.Add(one)
	}
	var key legend
	for i, r := range results {
		s := styleOf(r.detector())
		aside := (float64(i) - float64(len(results)-1)/2) * spacing / 2 / float64(len(results))
		each, price := r.points(aside)
		mean, cost := r.means(aside)
		if several {
			errors.Add(s.glyphs(each, 1.4))
			costs.Add(s.glyphs(price, 1.4))
		}
		line, glyphs := s.line(mean), s.glyphs(mean, 3.2)
		errors.Add(line, glyphs)
		costs.Add(s.line(cost), s.glyphs(cost, 3.2))
		key.add(r.law, line, glyphs)
	}
	key.add("kept promise; best constant timeout in hindsight", one)
	for _, p := range []*plot.Plot{errors, costs} { // which have seen the data by now
		p.X.Min, p.X.Max = left, right
	}
	errors.Y.Min, errors.Y.Max = min(math.Floor(errors.Y.Min), -1), max(math.Ceil(errors.Y.Max), 1)
	costs.Y.Min, costs.Y.Max = min(costs.Y.Min-0.05, math.Log10(0.5)), max(costs.Y.Max+0.05, math.Log10(2))

	const columns = 2
	width, height := 18*vg.Centimeter, 9.2*vg.Centimeter+key.height(columns)
	return drawing{width, height, func(c draw.Canvas) {
		upper, lower := below(margins(c), key.height(columns))
		drawBeside(upper, []*plot.Plot{errors, costs}, titles)
		key.draw(lower, columns)
	}}
}

// detector is the full name of the detector that has the law.
func (r lawResult) detector() string {
	if r.law == "loss-aware" {
		return r.law
	}
	return "phi:" + r.law
}

// points returns the error and the cost of each trace, moved aside so that laws do not hide each other.
func (r lawResult) points(aside float64) (errors, costs plotter.XYs) {
	for _, trace := range r.traces {
		for _, c := range trace {
			if math.IsNaN(c.Log10Error) || !(c.Efficiency() > 0) {
				continue
			}
			errors = append(errors, plotter.XY{X: c.Level + aside, Y: c.Log10Error})
			costs = append(costs, plotter.XY{X: c.Level + aside, Y: math.Log10(c.Efficiency())})
		}
	}
	return errors, costs
}

// means returns the same over all traces.
func (r lawResult) means(aside float64) (errors, costs plotter.XYs) {
	for _, s := range r.scores {
		if s.Traces > 0 && s.Efficiency > 0 {
			errors = append(errors, plotter.XY{X: s.Level + aside, Y: s.MeanSignedLog10Error})
			costs = append(costs, plotter.XY{X: s.Level + aside, Y: math.Log10(s.Efficiency)})
		}
	}
	return errors, costs
}

// levelTicks marks the levels, and on how many traces they were scored if not on all.
func levelTicks(results []lawResult) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for _, s := range results[0].scores {
		label := digits(s.Level)
		if s.Traces < len(results[0].traces) {
			label += fmt.Sprintf("\n(n=%d)", s.Traces)
		}
		ticks = append(ticks, plot.Tick{Value: s.Level, Label: label})
	}
	return ticks
}
