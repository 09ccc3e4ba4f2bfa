package main

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Logarithmic axes are drawn as linear ones of log10 x: the LogScale of gonum/plot
// leaves room for labels in the wrong places.

// logXY returns a point on two logarithmic axes.
func logXY(x, y float64) plotter.XY { return plotter.XY{X: math.Log10(x), Y: math.Log10(y)} }

// logTicks marks the powers of ten of 10^x, and 2 to 9 times each without a label.
// Where the axis spans little, more are labelled.
type logTicks struct {
	label func(x float64) string
}

func (t logTicks) Ticks(low, high float64) []plot.Tick {
	const slack = 1e-9
	var ticks []plot.Tick
	decades := high - low
	for e := int(math.Floor(low)); e <= int(math.Ceil(high)); e++ {
		for m := 1; m <= 9; m++ {
			// Parsed, because 10^−4 times 3 is not the number nearest to 3e-4.
			x, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", m, e), 64)
			at := math.Log10(x)
			if at < low-slack || at > high+slack {
				continue
			}
			label := ""
			if m == 1 || decades < 2.6 && (m == 2 || m == 5) || decades < 0.8 {
				label = t.label(x)
			}
			ticks = append(ticks, plot.Tick{Value: at, Label: label})
		}
	}
	return ticks
}

// timeTick writes a round time.
func timeTick(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if x >= unit.size*(1-1e-9) {
			return strconv.FormatFloat(x/unit.size, 'g', 4, 64) + " " + unit.name
		}
	}
	return strconv.FormatFloat(x*1e9, 'g', 4, 64) + " ns"
}

// shareTick writes a round share or ratio.
func shareTick(x float64) string {
	if x < 0.9e-4 {
		return strconv.FormatFloat(x, 'e', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
