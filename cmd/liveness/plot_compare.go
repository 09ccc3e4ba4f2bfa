package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/liveness/qos"
)

// drawComparison draws what detectors need to make few mistakes, on each series,
// and how far laws keep their promises.
func drawComparison(groups []group) drawing {
	parts := groups
	if len(groups) > 1 {
		parts = groups[1:]
	}
	var plots []*plot.Plot
	var titles []string
	low, high := math.Log10(0.9), math.Log10(leastCeiling)
	for i := range parts {
		p, least, most := parts[i].drawRatios()
		low, high = min(low, least), max(high, min(most, math.Log10(mostCeiling)))
		plots = append(plots, p)
		titles = append(titles, fmt.Sprintf("%s: %s", ratiosText(parts[i].contests[0].series), counted(len(parts[i].contests))))
	}
	for _, p := range plots {
		p.Y.Min, p.Y.Max = low-room/2, high+room/4 // what waits longer still is off the picture
	}
	plots = append(plots, groups[0].drawPromises())
	titles = append(titles, "promises: "+counted(len(groups[0].contests)))

	var key legend
	for i, name := range contenders() {
		if groups[0].enters(i) {
			s := styleOf(name)
			key.add(shortDetector(name), s.compared(name, nil), s.glyphs(nil, compareGlyph))
		}
	}
	key.add("best constant; kept promise", reference(nil))
	columns := 2 * len(plots)
	width, height := vg.Length(1+9*len(plots))*vg.Centimeter, 11.5*vg.Centimeter+key.height(columns)
	return drawing{width, height, func(c draw.Canvas) {
		upper, lower := below(margins(c), key.height(columns))
		drawBeside(upper, plots, titles)
		key.draw(lower, columns)
	}}
}

const (
	compareGlyph = 2.4
	// The axis of ratios goes that far at the least and at the most.
	leastCeiling = 2
	mostCeiling  = 2.5
)

// compared is a line among many: thin, unless it is of this library's own.
func (s style) compared(name string, points plotter.XYs) *plotter.Line {
	l := s.line(points)
	l.Width = vg.Points(0.9)
	if name == "phi:empirical" || name == "loss-aware" {
		l.Width = vg.Points(1.8)
	}
	return l
}

// ratiosText says what is compared in a panel.
func ratiosText(s qos.Series) string {
	if s == qos.Delay {
		return "delays"
	}
	return "gaps between arrivals"
}

// enters reports whether the i-th contender was judged on any trace.
func (g *group) enters(i int) bool {
	for _, c := range g.contests {
		if c.entries[i].judged {
			return true
		}
	}
	return false
}

// drawRatios draws the mean ratio over the rates that all traces reach, and
// returns the ends of what was drawn, as log10.
func (g *group) drawRatios() (p *plot.Plot, low, high float64) {
	p = newPlot("", "mistakes per heartbeat, at most", "mean "+priceText(g.contests[0].series)+" / best constant")
	p.X.Tick.Marker = fallingTicks{logTicks{shareTick}}
	p.Y.Tick.Marker = logTicks{shareTick}
	goals := 0
	for goals < g.goals() && g.mean(0, goals).traces == len(g.contests) {
		goals++
	}
	right := 1 + float64(max(goals-1, 1))/goalSteps
	p.Add(reference(plotter.XYs{{X: 1}, {X: right}}))
	for i, name := range contenders() {
		var points plotter.XYs
		for k := range goals {
			if m := g.mean(i, k); m.ratio > 0 {
				xy := plotter.XY{X: -math.Log10(rateOf(k)), Y: math.Log10(m.ratio)}
				points = append(points, xy)
				low, high = min(low, xy.Y), max(high, xy.Y)
			}
		}
		s := styleOf(name)
		p.Add(s.compared(name, points), s.glyphs(points, compareGlyph))
	}
	p.X.Min, p.X.Max = 1-room, right+room
	return p, low, high
}

// drawPromises draws observed over promised mistakes.
func (g *group) drawPromises() *plot.Plot {
	p := newPlot("", "mistakes per heartbeat, promised", "observed")
	first, last := comparedLevels[0], comparedLevels[1]
	for _, score := range g.laws[0].scores {
		if score.Traces > 0 { // as far as the data reach
			last = max(last, score.Level)
		}
	}
	p.Add(reference(plotter.XYs{{X: first - 2*room, Y: 2*room - first}, {X: last + 2*room, Y: -2*room - last}}))
	for i, r := range g.laws {
		aside := (float64(i) - float64(len(g.laws)-1)/2) * 0.012 // along the diagonal, so that laws do not hide each other
		var points plotter.XYs
		for _, score := range r.scores {
			if score.Traces > 0 {
				points = append(points, plotter.XY{X: score.Level + aside, Y: score.MeanSignedLog10Error - score.Level - aside})
			}
		}
		s := styleOf(r.detector())
		p.Add(s.compared(r.detector(), points), s.glyphs(points, compareGlyph))
	}
	ticks := slices.DeleteFunc(levelTicks(g.laws), func(t plot.Tick) bool { return t.Value > last })
	for i := range ticks { // those of φ, with what it promises
		ticks[i].Label = shareTick(math.Pow(10, -ticks[i].Value)) + ticks[i].Label[len(digits(ticks[i].Value)):]
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks, logTicks{shareTick}
	p.X.Min, p.X.Max = first-2*room, last+2*room
	p.Y.Min, p.Y.Max = min(p.Y.Min, -last)-2*room, max(p.Y.Max, -first)+2*room
	return p
}

// fallingTicks mark 10^−x.
type fallingTicks struct{ logTicks }

func (t fallingTicks) Ticks(low, high float64) []plot.Tick {
	ticks := t.logTicks.Ticks(-high, -low)
	for i := range ticks {
		ticks[i].Value = -ticks[i].Value
	}
	return ticks
}
