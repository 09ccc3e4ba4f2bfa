package main

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"os"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

const dotsPerInch = 150

// drawTo writes the picture into a PNG.
func (p *picture) drawTo(file string) error {
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dotsPerInch))
	p.draw(draw.New(c))
	var b bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// The axis of latencies goes from what is faster than any search, where there is
// room for figures, to what is slower, where there is room for headings. In
// milliseconds.
const (
	figuresAt  = 4
	leastTook  = 3
	mostTook   = 60000
	headingAt  = 46000
	stageAt    = 25000
	marksAt    = 700
	phiOfPlot  = 10
	lowerShare = 0.24
)

func (p *picture) draw(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
	m := vg.Points(8)
	c = draw.Crop(c, m, -m-vg.Points(4), m, -m)
	c = p.heading(c)
	cut := (c.Max.Y - c.Min.Y) * lowerShare
	upper, lower := draw.Crop(c, 0, 0, cut, 0), draw.Crop(c, 0, 0, 0, -(c.Max.Y-c.Min.Y-cut))
	above, beneath := p.searches(), p.suspicion()
	above.Draw(upper)
	// The lower plot is to be as wide as the upper one.
	data, under := above.DataCanvas(upper), beneath.DataCanvas(lower)
	beneath.Draw(draw.Crop(lower, data.Min.X-under.Min.X, data.Max.X-under.Max.X, 0, 0))
}

// heading writes the title and the legend, and returns what is left of c.
func (p *picture) heading(c draw.Canvas) draw.Canvas {
	at := vg.Point{X: c.Min.X + vg.Points(44), Y: c.Max.Y}
	write(c, at.X, at.Y, textFont(13), black, fmt.Sprintf("How long a search takes, on a log scale. It asks %d servers, of which one is %d times slower, and alive.", p.servers, slowFactor), text.XLeft, text.YTop)
	at.Y -= vg.Points(24)
	for _, one := range []struct {
		glyph draw.GlyphStyle
		text  string
	}{
		{fastGlyph, "a search"},
		{lateGlyph, "one that took as long as the slow server"},
		{stalledGlyph, "one while this machine was held up: left out of the figures"},
	} {
		c.DrawGlyph(one.glyph, at)
		at.X += vg.Points(7)
		write(c, at.X, at.Y, textFont(9), black, one.text, text.XLeft, text.YCenter)
		at.X += textStyle(textFont(9), black, text.XLeft, text.YCenter).Width(one.text) + vg.Points(16)
	}
	c.StrokeLine2(medianStyle, at.X, at.Y, at.X+vg.Points(14), at.Y)
	write(c, at.X+vg.Points(19), at.Y, textFont(9), black, "median", text.XLeft, text.YCenter)
	return draw.Crop(c, 0, 0, 0, -vg.Points(34))
}

var (
	fastGlyph    = draw.GlyphStyle{Color: blue, Radius: vg.Points(1.9), Shape: draw.CircleGlyph{}}
	lateGlyph    = draw.GlyphStyle{Color: orange, Radius: vg.Points(2.4), Shape: draw.PyramidGlyph{}}
	medianStyle  = draw.LineStyle{Color: black, Width: vg.Points(1.3)}
	stalledGlyph = draw.GlyphStyle{Color: grey, Radius: vg.Points(1.9), Shape: draw.CrossGlyph{}}
)

// newPlot returns an empty plot over the time of the story.
func (p *picture) newPlot(y string) *plot.Plot {
	one := plot.New()
	one.BackgroundColor = color.White
	one.Y.Label.Text = y
	one.X.Min, one.X.Max = p.first-0.3, p.last+0.3
	one.X.Tick.Marker = plot.TickerFunc(everyFive)
	for _, axis := range []*plot.Axis{&one.X, &one.Y} {
		axis.Label.TextStyle.Font = textFont(10)
		axis.Label.Padding = vg.Points(4)
		axis.Tick.Label.Font = textFont(9)
		axis.Padding = 0
	}
	one.Add(bands{p})
	return one
}

// everyFive marks every fifth second, and labels every tenth.
func everyFive(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for t := int(math.Ceil(from / 5)); float64(5*t) <= to; t++ {
		tick := plot.Tick{Value: float64(5 * t)}
		if t%2 == 0 {
			tick.Label = fmt.Sprint(5 * t)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

func textFont(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// searches is the upper plot.
func (p *picture) searches() *plot.Plot {
	one := p.newPlot("") // plot would make room for a label as if the scale were linear
	one.Y.Scale, one.Y.Min, one.Y.Max = plot.LogScale{}, leastTook, mostTook
	one.Y.Tick.Marker = plot.ConstantTicks{
		{Value: 10, Label: "10 ms"}, {Value: 30, Label: "30 ms"}, {Value: 100, Label: "100 ms"},
		{Value: 300, Label: "300 ms"}, {Value: 1000, Label: "1 s"}, {Value: 3000, Label: "3 s"},
	}
	one.X.Tick.Label.Color = color.Transparent // the lower plot has them
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = faint, nil
	one.Add(grid, marks{p},
		&plotter.Scatter{XYs: p.stalled, GlyphStyle: stalledGlyph},
		&plotter.Scatter{XYs: p.fast, GlyphStyle: fastGlyph},
		&plotter.Scatter{XYs: p.late, GlyphStyle: lateGlyph},
		headings{p})
	return one
}

// suspicion is the lower plot.
func (p *picture) suspicion() *plot.Plot {
	one := p.newPlot("φ")
	one.X.Label.Text = "seconds"
	one.Y.Min, one.Y.Max = 0, phiOfPlot
	one.Y.Tick.Marker = plot.ConstantTicks{{Value: 0, Label: "0"}, {Value: 4, Label: "4"}, {Value: p.threshold, Label: fmt.Sprint(p.threshold)}}
	line := func(points plotter.XYs, c color.Color, width float64, dashes ...vg.Length) *plotter.Line {
		return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: c, Width: vg.Points(width), Dashes: dashes}}
	}
	limit := plotter.XYs{{X: one.X.Min, Y: p.threshold}, {X: one.X.Max, Y: p.threshold}}
	one.Add(
		line(limit, black, 1, vg.Points(5), vg.Points(3)),
		line(capped(p.peers, phiOfPlot), grey, 1),
		line(capped(p.phi, phiOfPlot), orange, 1.6),
		notes{[]note{
			{p.first + 0.3, p.threshold + 1, "from here on a server is suspected", black},
			{p.first + 0.3, p.threshold - 1.6, "highest φ of all others", grey},
			{p.first + 0.3, p.threshold - 3.2, "φ of the slow server: heartbeats see nothing", orange},
		}})
	return one
}

// capped keeps a line within the plot.
func capped(points plotter.XYs, most float64) plotter.XYs {
	within := make(plotter.XYs, len(points))
	for i, at := range points {
		within[i] = plotter.XY{X: at.X, Y: min(at.Y, most)}
	}
	return within
}

// bands shades every other chapter, and parts the stages.
type bands struct{ *picture }

func (b bands) Plot(c draw.Canvas, plt *plot.Plot) {
	x, _ := plt.Transforms(&c)
	for i, stage := range b.bands {
		from, to := x(stage.from), x(b.end(i))
		if stage.chapter%2 == 0 {
			c.FillPolygon(shade, []vg.Point{{X: from, Y: c.Min.Y}, {X: to, Y: c.Min.Y}, {X: to, Y: c.Max.Y}, {X: from, Y: c.Max.Y}})
		}
		if i > 0 {
			style := draw.LineStyle{Color: faint, Width: vg.Points(0.7)}
			if stage.chapter != b.bands[i-1].chapter {
				style = draw.LineStyle{Color: grey, Width: vg.Points(1)}
			}
			c.StrokeLine2(style, from, c.Min.Y, from, c.Max.Y)
		}
	}
}

// end returns where a band ends, which is where the next one begins.
func (p *picture) end(i int) float64 {
	if i+1 < len(p.bands) {
		return p.bands[i+1].from
	}
	return p.bands[i].to
}

// headings names the chapters and stages, and draws their figures.
type headings struct{ *picture }

func (h headings) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for i, stage := range h.bands {
		middle := x((stage.from + h.end(i)) / 2)
		if i == 0 || stage.chapter != h.bands[i-1].chapter {
			write(c, x(stage.from)+vg.Points(4), y(headingAt), textFont(9.5), black, title(stage.chapter), text.XLeft, text.YTop)
		}
		write(c, middle, y(stageAt), textFont(8.5), black, stage.label, text.XCenter, text.YTop)
		if stage.p50 == 0 {
			continue // nothing was measured
		}
		write(c, middle, y(figuresAt), textFont(8.5), black, fmt.Sprintf("p50 %v\np99 %v", stage.p50, stage.p99), text.XCenter, text.YBottom)
		median := y(float64(stage.p50) * 1e3)
		c.StrokeLine2(medianStyle, x(stage.from), median, x(stage.to), median)
	}
}

// marks draws the events.
type marks struct{ *picture }

func (m marks) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	style := draw.LineStyle{Color: grey, Width: vg.Points(0.8), Dashes: []vg.Length{vg.Points(2), vg.Points(2)}}
	for _, one := range m.marks {
		at := x(one.at)
		c.StrokeLine2(style, at, y(figuresAt*2.4), at, y(stageAt/2.4))
		beside, side := vg.Points(2), text.YTop
		if m.nearEnd(one.at) {
			beside, side = -beside, text.YBottom
		}
		sty := textStyle(textFont(8.5), black, text.XLeft, side)
		sty.Rotation = math.Pi / 2
		c.FillText(sty, vg.Point{X: at + beside, Y: y(marksAt)}, one.text)
	}
}

// nearEnd reports whether there is no room for text between at and the next band.
func (p *picture) nearEnd(at float64) bool {
	for i, one := range p.bands {
		if end := p.end(i); at > one.from && at <= end {
			return end-at < (p.last-p.first)/80
		}
	}
	return false
}

// notes are texts in the plot.
type notes struct{ all []note }

type note struct {
	x, y  float64
	text  string
	color color.Color
}

func (n notes) Plot(c draw.Canvas, plt *plot.Plot) {
	x, y := plt.Transforms(&c)
	for _, one := range n.all {
		write(c, x(one.x), y(one.y), textFont(9), one.color, one.text, text.XLeft, text.YCenter)
	}
}

func textStyle(f font.Font, c color.Color, h text.XAlignment, v text.YAlignment) draw.TextStyle {
	return draw.TextStyle{Color: c, Font: f, XAlign: h, YAlign: v, Handler: plot.DefaultTextHandler}
}

// write writes lines, all of them below or above y.
func write(c draw.Canvas, x, y vg.Length, f font.Font, col color.Color, s string, h text.XAlignment, v text.YAlignment) {
	const step = 10.5
	style := textStyle(f, col, h, v)
	lines := strings.Split(s, "\n")
	if v == text.YBottom {
		y += vg.Points(step * float64(len(lines)-1))
	}
	for _, line := range lines {
		c.FillText(style, vg.Point{X: x, Y: y}, line)
		y -= vg.Points(step)
	}
}
