package main

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// polygon is a glyph with corners, of which gonum/plot has too few.
type polygon struct {
	corners int
	turn    float64 // of the first corner from the right, in degrees
	inner   float64 // a star's inner radius as a part of the outer one; 0: no star
	hollow  bool
}

// DrawGlyph draws the glyph at a point.
func (g polygon) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	var path vg.Path
	n := g.corners
	if g.inner > 0 {
		n *= 2
	}
	for i := range n {
		radius := 1.2 * s.Radius // as large as a circle for the eye
		if g.inner > 0 && i%2 == 1 {
			radius *= vg.Length(g.inner)
		}
		sin, cos := math.Sincos(g.turn*math.Pi/180 + 2*math.Pi*float64(i)/float64(n))
		corner := vg.Point{X: at.X + radius*vg.Length(cos), Y: at.Y + radius*vg.Length(sin)}
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}
	path.Close()
	c.SetColor(s.Color)
	if g.hollow {
		c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: vg.Points(0.8)})
		c.Stroke(path)
		return
	}
	c.Fill(path)
}
