package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"example.com/liveness/qos"
)

// Of the axis of time, as log10: what is left free at both ends, and how far
// it goes beyond the longest gap.
const (
	room   = 0.06
	beyond = 0.5
)

// drawSweep draws mistakes against detection time, with the best constant timeouts.
func drawSweep(file string, which qos.Series, curves []qos.Curve, limit *hindsight, law string) drawing {
	x := "mean detection time of a crash just after a heartbeat"
	if which == qos.Delay {
		x = "mean timeout on an answer"
	}
	judged := curves[0].Points[0].Heartbeats
	p := newPlot(fmt.Sprintf("%s: %d heartbeats judged", shortName(file), judged), x, "mistakes per heartbeat")
	p.X.Tick.Marker = logTicks{timeTick}
	// No mistake has no place on a logarithmic axis: it is drawn at the foot.
	once := 1 / float64(judged)
	foot := once / 2
	p.Y.Tick.Marker = footTicks{logTicks{shareTick}, math.Log10(foot), math.Log10(once)}

	var key legend
	low, high := math.Inf(1), math.Inf(-1)
	begins := math.Inf(-1) // where the last of the curves begins
	drawn := make([]plotter.XYs, len(curves))
	for i, c := range curves {
		drawn[i] = sweepPoints(c, foot)
		first := math.Inf(1)
		for _, xy := range drawn[i] {
			low, high, first = min(low, xy.X), max(high, xy.X), min(first, xy.X)
		}
		if len(drawn[i]) > 0 {
			begins = max(begins, first)
		}
	}
	if best := limit.points(foot); len(best) > 0 {
		longest := best[len(best)-1].X
		low = min(low, longest)
		high = max(longest, begins, min(high, longest+beyond)) // what waits longer still is off the picture
		line := reference(clip(best, low-room))
		p.Add(line)
		key.add("best constant timeout in hindsight", line)
	}
	places := labelPlaces
	for i, c := range curves {
		s := styleOf(fullName(c.Name, law))
		line, glyphs := s.line(drawn[i]), s.glyphs(drawn[i], 2.6)
		p.Add(line, glyphs)
		if labels := s.thresholds(c, foot); labels != nil && len(places) > 0 {
			labels.Offset, places = places[0], places[1:]
			p.Add(labels)
		}
		name := c.Name
		if name == "phi" {
			name = "phi (" + law + ")"
		}
		key.add(name, line, glyphs)
	}
	if low > high { // no gap above 0 and no timeout
		low, high = -1, 1
	}
	p.X.Min, p.X.Max = low-room, high+room
	p.Y.Min, p.Y.Max = math.Log10(foot), 0

	const columns = 2
	width, height := 17*vg.Centimeter, 11*vg.Centimeter+key.height(columns)
	return drawing{width, height, func(c draw.Canvas) {
		upper, lower := below(margins(c), key.height(columns))
		p.Draw(upper)
		key.draw(lower, columns)
	}}
}

// sweepPoints returns the points of a curve, up to the first without a mistake.
func sweepPoints(c qos.Curve, foot float64) plotter.XYs {
	var points plotter.XYs
	for _, r := range c.Points {
		if !(r.AfterHeartbeat.Mean > 0) {
			continue
		}
		rate := r.MistakesPerHeartbeat()
		points = append(points, logXY(r.AfterHeartbeat.Mean, max(rate, foot)))
		if rate == 0 {
			break
		}
	}
	return points
}

// labelled are the φ that are written beside their points.
var labelled = []float64{1, 3, 8}

// labelPlaces are where the labels of one curve after the other stand, so that
// they do not hide each other: right above the points and left below.
var labelPlaces = []vg.Point{
	{X: vg.Points(4), Y: vg.Points(4)}, {X: vg.Points(-16), Y: vg.Points(-11)},
	{X: vg.Points(6), Y: vg.Points(13)}, {X: vg.Points(-16), Y: vg.Points(-20)},
}

// thresholds returns the labels of a curve over φ, nil if there is none to write.
func (s style) thresholds(c qos.Curve, foot float64) *plotter.Labels {
	if !isPhi(c.Name) {
		return nil
	}
	points := sweepPoints(c, foot)
	last := plotter.XY{X: math.Inf(1)}
	if len(points) > 0 {
		last = points[len(points)-1]
	}
	var l plotter.Labels
	for _, r := range c.Points {
		if !slices.Contains(labelled, r.Level) || !(r.AfterHeartbeat.Mean > 0) {
			continue
		}
		xy := logXY(r.AfterHeartbeat.Mean, max(r.MistakesPerHeartbeat(), foot))
		if xy.X > last.X {
			continue
		}
		l.XYs = append(l.XYs, xy)
		l.Labels = append(l.Labels, "φ "+digits(r.Level))
		l.TextStyle = append(l.TextStyle, text.Style{Color: s.color, Font: textFont(8), Handler: plot.DefaultTextHandler})
	}
	if l.XYs == nil {
		return nil
	}
	return &l
}

// points returns the steps of the constant timeouts.
func (h *hindsight) points(foot float64) plotter.XYs {
	timeouts, rates := h.curve()
	var points plotter.XYs
	before := h.above() // of a timeout of 0
	for i, t := range timeouts {
		points = append(points, logXY(t, max(before, foot)), logXY(t, max(rates[i], foot)))
		before = rates[i]
	}
	return points
}

// clip cuts off what lies left of x, and begins there.
func clip(points plotter.XYs, x float64) plotter.XYs {
	for i, p := range points {
		if p.X >= x {
			return append(plotter.XYs{{X: x, Y: points[max(i-1, 0)].Y}}, points[i:]...)
		}
	}
	return nil
}

// footTicks is an axis whose foot means none.
type footTicks struct {
	logTicks
	foot, once float64
}

func (t footTicks) Ticks(_, high float64) []plot.Tick {
	return append([]plot.Tick{{Value: t.foot, Label: "none"}}, t.logTicks.Ticks(t.once, high)...)
}
