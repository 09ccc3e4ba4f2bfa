package main

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// style is how one of several curves looks. They differ in dashes and glyphs,
// and their colours in lightness too.
type style struct {
	color  color.RGBA
	dashes []vg.Length
	glyph  draw.GlyphDrawer
}

// styled are the names whose styles are always the same, in their order: phi with
// each law has full glyphs, the other detectors have hollow ones.
var styled = []string{
	"phi:empirical", "phi:gaussian", "phi:exponential", "phi:lognormal", "phi:logistic", "phi:student", "phi:logstudent",
	"phi:lomax", "phi:shifted",
	"loss-aware", "chen", "two-window", "bertier", "rto", "quantile", "satzger", "fixed",
	"", // whatever has no name here
}

var (
	black  = color.RGBA{0x00, 0x00, 0x00, 0xff}
	blue   = color.RGBA{0x00, 0x5a, 0xa0, 0xff}
	orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	green  = color.RGBA{0x00, 0x8a, 0x64, 0xff}
	purple = color.RGBA{0x9c, 0x3d, 0x8b, 0xff}
	brown  = color.RGBA{0x6b, 0x4a, 0x0c, 0xff}
	sky    = color.RGBA{0x3f, 0xae, 0xdc, 0xff}
	gold   = color.RGBA{0xc9, 0x9a, 0x00, 0xff}
	red    = color.RGBA{0xb0, 0x10, 0x30, 0xff}
	grey   = color.RGBA{0x70, 0x70, 0x70, 0xff}
)

// styles are those of styled.
var styles = []style{
	{black, nil, draw.CircleGlyph{}},
	{blue, dashes(6, 2.5), draw.BoxGlyph{}},
	{orange, dashes(1.5, 2), draw.PyramidGlyph{}},
	{purple, dashes(12, 3), polygon{corners: 4}},
	{sky, dashes(10, 2, 4, 2), polygon{corners: 3, turn: 270}},
	{brown, dashes(4, 2, 1, 2, 1, 2), polygon{corners: 5, turn: 90, inner: 0.45}},
	{gold, dashes(3, 3), polygon{corners: 6}},
	{grey, dashes(8, 2, 1.5, 2), polygon{corners: 4, turn: 45, inner: 0.35}},
	{green, dashes(2, 1), polygon{corners: 5, turn: 90}},

	{red, nil, draw.RingGlyph{}},
	{green, dashes(8, 2, 1.5, 2), draw.SquareGlyph{}},
	{sky, dashes(1.5, 2), draw.TriangleGlyph{}},
	{brown, dashes(6, 2.5), polygon{corners: 3, turn: 270, hollow: true}},
	{grey, dashes(12, 3), draw.CrossGlyph{}},
	{orange, dashes(10, 2, 4, 2), polygon{corners: 4, hollow: true}},
	{purple, dashes(3, 3), draw.PlusGlyph{}},
	{gold, dashes(4, 2, 1, 2, 1, 2), polygon{corners: 6, hollow: true}},
	{grey, dashes(2, 1), polygon{corners: 5, turn: 90, hollow: true}},
}

// dashes are lengths drawn and left out in turn, in points.
func dashes(points ...float64) []vg.Length {
	lengths := make([]vg.Length, len(points))
	for i, p := range points {
		lengths[i] = vg.Points(p)
	}
	return lengths
}

// styleOf returns the style of a detector, by its full name.
func styleOf(name string) style {
	if i := slices.Index(styled, name); i >= 0 {
		return styles[i]
	}
	return styles[len(styles)-1]
}

// fullName is the name of a detector with its law.
func fullName(name, law string) string {
	if name == "phi" {
		return "phi:" + law
	}
	return name
}

func (s style) line(points plotter.XYs) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: s.color, Width: vg.Points(1.4), Dashes: s.dashes}}
}

func (s style) glyphs(points plotter.XYs, radius float64) *plotter.Scatter {
	return &plotter.Scatter{XYs: points, GlyphStyle: draw.GlyphStyle{Color: s.color, Radius: vg.Points(radius), Shape: s.glyph}}
}
