package main

import (
	"bytes"
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// picture is the flag -plot.
type picture struct{ file string }

func (f *flags) withPlot() *picture {
	p := new(picture)
	f.Var(p, "plot", "draw the picture into `FILE.svg` or FILE.png")
	return p
}

func (p *picture) wanted() bool { return p.file != "" }

func (p *picture) format() string { return strings.ToLower(filepath.Ext(p.file)) }

func (p *picture) String() string { return p.file }

func (p *picture) Set(file string) error {
	p.file = file
	if p.format() != ".svg" && p.format() != ".png" {
		return fmt.Errorf("want a file that ends in .svg or .png")
	}
	return nil
}

// A drawing is what is drawn, and how large it is.
type drawing struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

const dotsPerInch = 200

// draw writes the picture.
func (p *picture) draw(d drawing) error {
	var b bytes.Buffer
	if p.format() == ".png" {
		c := vgimg.NewWith(vgimg.UseWH(d.width, d.height), vgimg.UseDPI(dotsPerInch))
		d.draw(draw.New(c))
		if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&b); err != nil {
			return err
		}
		return os.WriteFile(p.file, b.Bytes(), 0o666)
	}
	c := vgsvg.New(d.width, d.height)
	white(draw.New(c))
	d.draw(draw.New(c))
	if _, err := c.WriteTo(&b); err != nil {
		return err
	}
	// Others have the same widths, where this one is not installed.
	text := strings.ReplaceAll(b.String(), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif")
	return os.WriteFile(p.file, []byte(text), 0o666)
}

// white makes the paper, for viewers with a dark one.
func white(c draw.Canvas) {
	c.FillPolygon(color.White, []vg.Point{c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}})
}

// reference is the line that curves are measured by.
func reference(points plotter.XYs) *plotter.Line {
	return &plotter.Line{XYs: points, LineStyle: draw.LineStyle{Color: color.Gray{0xa8}, Width: vg.Points(3)}}
}

// textFont is the face of all text.
func textFont(size float64) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(size)}
}

// newPlot returns an empty plot with a grid and readable text.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = color.White
	p.Title.Text = title
	p.Title.TextStyle.Font = textFont(11)
	p.Title.Padding = vg.Points(6)
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font = textFont(10)
		axis.Label.Padding = vg.Points(4)
		axis.Tick.Label.Font = textFont(9)
		axis.Padding = 0
	}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = color.Gray{0xe4}, color.Gray{0xe4}
	p.Add(grid)
	return p
}

// legend is drawn below the plot, where it covers no data.
type legend struct {
	names  []string
	thumbs [][]plot.Thumbnailer
}

func (l *legend) add(name string, thumbs ...plot.Thumbnailer) {
	l.names = append(l.names, name)
	l.thumbs = append(l.thumbs, thumbs)
}

// In points.
const (
	legendRow = 14
	legendGap = 10
)

func (l *legend) height(columns int) vg.Length {
	return vg.Points(float64(legendRow*((len(l.names)+columns-1)/columns) + legendGap))
}

// draw fills the canvas row by row.
func (l *legend) draw(c draw.Canvas, columns int) {
	width := (c.Max.X - c.Min.X - vg.Points(20)) / vg.Length(columns)
	for i, name := range l.names {
		one := plot.NewLegend()
		one.TextStyle.Font = textFont(9.5)
		one.ThumbnailWidth = vg.Points(30)
		one.Left, one.Top = true, true
		one.Add(" "+name, l.thumbs[i]...)
		cell := c
		cell.Min.X = c.Min.X + vg.Points(20) + width*vg.Length(i%columns)
		cell.Max.X = cell.Min.X + width
		cell.Max.Y = c.Max.Y - vg.Points(float64(legendGap+legendRow*(i/columns)))
		one.Draw(cell)
	}
}

// below splits off the lower part of a canvas.
func below(c draw.Canvas, height vg.Length) (upper, lower draw.Canvas) {
	return draw.Crop(c, 0, 0, height, 0), draw.Crop(c, 0, 0, 0, -(c.Max.Y - c.Min.Y - height))
}

// drawBeside draws plots side by side, with titles at one height: plots would set
// them at different ones.
func drawBeside(c draw.Canvas, plots []*plot.Plot, titles []string) {
	area := draw.Crop(c, 0, 0, 0, -vg.Points(20))
	canvases := plot.Align([][]*plot.Plot{plots}, draw.Tiles{Rows: 1, Cols: len(plots), PadX: vg.Points(16)}, area)
	for i, p := range plots {
		p.Draw(canvases[0][i])
		data := p.DataCanvas(canvases[0][i])
		at := vg.Point{X: data.Center().X, Y: area.Max.Y + vg.Points(17)}
		c.FillText(p.Title.TextStyle, at, titles[i])
	}
}

// margins keeps text away from the edge of the picture.
func margins(c draw.Canvas) draw.Canvas {
	m := vg.Points(6)
	return draw.Crop(c, m, -m-vg.Points(6), m, -m)
}
