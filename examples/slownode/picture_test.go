package main

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"
)

func TestMarks(t *testing.T) {
	var p picture
	p.mark(1, "page")
	p.mark(1.1, "alert")
	p.mark(3, "over")
	assert.Equal(t, []mark{{1, "page, alert"}, {3, "over"}}, p.marks)
}

func TestWrap(t *testing.T) {
	assert.Equal(t, "all well", wrap("all well"))
	assert.Equal(t, "stragglers", wrap("stragglers"))
	assert.Equal(t, "one slow,\nno copy", wrap("one slow, no copy"))
	assert.Equal(t, "a wide\ncity", wrap("a wide city"))
}

func TestEveryFive(t *testing.T) {
	ticks := everyFive(-0.3, 12)
	require.Len(t, ticks, 3)
	assert.Equal(t, []string{"0", "", "10"}, []string{ticks[0].Label, ticks[1].Label, ticks[2].Label})
}

func TestDraw(t *testing.T) {
	p := picture{
		servers: 200, threshold: 8, last: 10,
		bands:   []band{{from: 0, to: 4, chapter: 1, label: "all well", p50: 0.02, p99: 0.03}, {from: 5, to: 10, chapter: 4, label: "x"}},
		fast:    plotter.XYs{{X: 1, Y: 20}},
		late:    plotter.XYs{{X: 6, Y: 500}},
		stalled: plotter.XYs{{X: 7, Y: 900}},
		marks:   []mark{{9.99, "over"}},
		phi:     plotter.XYs{{X: 0, Y: 0.1}, {X: 10, Y: 1e300}},
		peers:   plotter.XYs{{X: 0, Y: 0.1}, {X: 10, Y: 0.2}},
	}
	name := filepath.Join(t.TempDir(), "case.PNG")
	require.NoError(t, p.drawTo(name))
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	image, err := png.DecodeConfig(file)
	require.NoError(t, err)
	assert.Equal(t, 12*dotsPerInch, image.Width)
}
