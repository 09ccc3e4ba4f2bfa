package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"time"

	"example.com/liveness/qos"
)

// calibrated is the JSON of calibrate.
type calibrated struct {
	Laws []lawScore `json:"laws"`
}

type lawScore struct {
	Law        string       `json:"law"`
	Traces     []traceScore `json:"traces"`
	MeanAbs    []float64    `json:"mean_abs_log10_error"`
	MeanSigned []float64    `json:"mean_signed_log10_error"`
	Efficiency []float64    `json:"efficiency"`
}

type traceScore struct {
	Trace       string    `json:"trace"`
	Judged      int       `json:"judged"`
	Phi         []float64 `json:"phi"`
	Observed    []float64 `json:"observed"`
	TimeoutMean []float64 `json:"timeout_mean"`
	Hindsight   []float64 `json:"hindsight"`
}

// lawResult is what was found out about one law.
type lawResult struct {
	law    string
	traces [][]qos.Calibration // in the order of the files
	scores []qos.Score
}

const calibrateNote = floorNote + `
A φ promises a share of 10^-φ mistakes. A level is scored on a trace only where that is at least 3
mistakes; none observed counts as half a one. The error is log10(observed/promised): 0 is right, 1
is ten times as many as promised, -1 a tenth. The cost is the mean timeout as a multiple of the
best constant one for the mistakes observed, which only hindsight knows. In the JSON the levels are
in rising order, and the lists of scores end before the first level that no trace can score.
`

// rawFloor is a floor as good as none.
const rawFloor = time.Microsecond

// calibrate compares promised and observed mistakes.
func calibrate(e env, args []string) error {
	f := newFlags(e, calibrateNote).withJSON()
	levels := numbers{1, 2, 3, 4}
	f.Var(&levels, "phi", "the `levels`")
	laws := names{}
	f.Var(&laws, "laws", "several `laws`, such as gaussian,exponential,lognormal")
	name := f.String("detector", "phi", "`name` of the detector: phi, the only one whose level is a φ")
	set := f.withSettings().withThreshold()
	which, warmup := f.withSeries(), f.withWarmup()
	picture := f.withPlot()
	files, err := f.parse(args, 1, math.MaxInt)
	if err != nil {
		return err
	}
	if *name != "phi" {
		return usage("-detector %s: only phi has a level that promises a rate of mistakes", *name)
	}
	if len(laws) == 0 {
		laws = names{set.law}
	}
	if !f.isSet("min-stddev") {
		set.floor = rawFloor
	}
	factories := make([]qos.Factory, len(laws))
	for i, law := range laws {
		if slices.Contains(laws[:i], law) {
			return usage("law %q is named twice", law)
		}
		if factories[i], err = set.detector("phi:" + law); err != nil {
			return err
		}
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)

	results := make([]lawResult, len(laws))
	for i, law := range laws {
		results[i].law = law
	}
	for _, file := range files {
		source := newSource(e, file)
		if err := source.keep(); err != nil {
			return err
		}
		for i := range laws {
			err := source.with(which.Series, func(_ *qos.Trace, beats qos.Beats) error {
				c, err := qos.Calibrate(beats, factories[i], *warmup, levels...)
				if err != nil {
					return explain(file, err)
				}
				results[i].traces = append(results[i].traces, c)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	for i := range results {
		if results[i].scores, err = qos.Scores(results[i].traces...); err != nil {
			return err
		}
	}
	if picture.wanted() {
		if err := picture.draw(drawCalibration(results)); err != nil {
			return err
		}
	}
	return f.print(newCalibrated(files, results), func(w io.Writer) { showCalibration(w, files, results) })
}

func newCalibrated(files []string, results []lawResult) calibrated {
	var c calibrated
	for _, r := range results {
		l := lawScore{Law: r.law, MeanAbs: []float64{}, MeanSigned: []float64{}, Efficiency: []float64{}}
		for i, trace := range r.traces {
			t := traceScore{Trace: files[i], Judged: trace[0].Judged}
			for _, c := range trace {
				t.Phi = append(t.Phi, c.Level)
				t.Observed = append(t.Observed, c.Observed)
				t.TimeoutMean = append(t.TimeoutMean, c.TimeoutMean)
				t.Hindsight = append(t.Hindsight, c.Hindsight)
			}
			l.Traces = append(l.Traces, t)
		}
		for _, s := range r.scores {
			if known(s.MeanAbsLog10Error) == nil || known(s.Efficiency) == nil {
				break
			}
			l.MeanAbs = append(l.MeanAbs, s.MeanAbsLog10Error)
			l.MeanSigned = append(l.MeanSigned, s.MeanSignedLog10Error)
			l.Efficiency = append(l.Efficiency, s.Efficiency)
		}
		c.Laws = append(c.Laws, l)
	}
	return c
}

func showCalibration(w io.Writer, files []string, results []lawResult) {
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", r.law)
		t := table{right: true}
		t.row("  trace", "judged", "φ", "promised", "observed", "error", "timeout", "hindsight", "cost")
		for k, trace := range r.traces {
			name, judged := "  "+shortName(files[k]), fmt.Sprint(trace[0].Judged)
			for _, c := range trace {
				t.row(name, judged, digits(c.Level), rate(c.Promised), rate(c.Observed), signed(c.Log10Error),
					seconds(c.TimeoutMean), seconds(c.Hindsight), ratio(c.Efficiency()))
				name, judged = "", ""
			}
		}
		t.write(w)
		fmt.Fprintln(w)
		sum := table{right: true}
		sum.row("  all traces", "φ", "scored", "mean |error|", "mean error", "cost")
		for _, s := range r.scores {
			sum.row("", digits(s.Level), fmt.Sprint(s.Traces), ratio(s.MeanAbsLog10Error), signed(s.MeanSignedLog10Error), ratio(s.Efficiency))
		}
		sum.write(w)
	}
}

// signed writes an error, or a dash where there is no score.
func signed(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%+.2f", x)
}

func ratio(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fmt.Sprintf("%.2f", x)
}

// shortName is a file name that fits into a table.
func shortName(file string) string {
	if file == "-" {
		return "standard input"
	}
	name := filepath.Base(file)
	name = name[:len(name)-len(filepath.Ext(name))]
	if runes := []rune(name); len(runes) > 30 {
		name = string(runes[:29]) + "…"
	}
	return name
}
