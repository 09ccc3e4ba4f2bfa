package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

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

// lawResult is what was found out about one law, or detector.
type lawResult struct {
	law    string
	files  []string
	traces [][]qos.Calibration // in the order of the files
	scores []qos.Score
}

func (r *lawResult) add(file string, judged []qos.Calibration) {
	r.files = append(r.files, file)
	r.traces = append(r.traces, judged)
}

const calibrateNote = floorNote + `
A φ promises a share of 10^-φ mistakes. A level is scored on a trace only where that is at least 3
mistakes; none observed counts as half a one. log10(obs/prom) is 0 where the promise was kept, 1
where ten times as many were made, -1 where a tenth was. The cost is the mean timeout as a multiple
of the best constant one for the mistakes observed, which only hindsight knows. A trace that cannot
be scored is left out, with a word on standard error. In the JSON the levels are in rising order,
and the lists of scores end before the first level that no trace can score.
`

// calibrate compares promised and observed mistakes.
func calibrate(e env, args []string) error {
	f := newFlags(e, calibrateNote).withJSON()
	levels := numbers{1, 2, 3, 4}
	f.Var(&levels, "phi", "the `levels`")
	laws := names{}
	f.Var(&laws, "laws", "several `laws`, such as empirical,gaussian,lognormal")
	name := f.String("detector", "phi", "`name` of the detector: phi or loss-aware, the ones whose level is a φ")
	set := f.withPhi()
	f.Lookup("interval").Usage = "the `period` that phi expects before it has learnt, 1s unless set; loss-aware\nneeds it"
	which, warmup := f.withSeries(), f.withWarmup()
	picture := f.withPlot()
	files, err := f.parseTraces(args)
	if err != nil {
		return err
	}
	switch {
	case *name != "phi" && *name != "loss-aware":
		return usage("-detector %s: only phi and loss-aware have a level that promises a rate of mistakes", *name)
	case *name != "phi" && f.isSet("laws"):
		return usage("-laws is not used by %s", *name)
	case f.isSet("laws") && f.isSet("law"):
		return usage("-law and -laws are two ways to say one thing, got both")
	case *name != "phi":
		laws = names{*name}
	case len(laws) == 0:
		laws = names{set.lawName()}
	}
	if err := set.useAll(*name); err != nil {
		return err
	}
	set.floorUnlessSet()
	factories := make([]qos.Factory, len(laws))
	for i, law := range laws {
		if slices.Contains(laws[:i], law) {
			return usage("law %q is named twice", law)
		}
		detector := *name
		if detector == "phi" && set.preset == "" { // check refuses any law beside a preset
			detector = "phi:" + law
		}
		if factories[i], err = set.detector(detector); err != nil {
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
		judged, err := calibrateFile(newSource(e, file), which.Series, *name, factories, *warmup, levels)
		if err != nil && len(files) == 1 {
			return err
		}
		if err != nil {
			e.leaveOut(err)
			continue
		}
		for i, c := range judged {
			results[i].add(file, c)
		}
	}
	if len(results[0].traces) == 0 {
		return errNoTrace
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
	return f.print(calibrated{newScores(results)}, func(w io.Writer) {
		if set.preset != "" {
			fmt.Fprintf(w, "settings and floor of the standard deviation: those of %s\n\n", set.preset)
		} else {
			fmt.Fprintf(w, "floor of the standard deviation: %s\n\n", set.floorText())
		}
		showCalibration(w, results)
	})
}

// errNoTrace says that all were left out.
var errNoTrace = errors.New("none of the traces can be scored")

// leaveOut says that a trace is left out, and why.
func (e env) leaveOut(err error) {
	fmt.Fprintf(e.stderr, "liveness %s: left out: %s\n", e.name, reason(err))
}

// calibrateFile judges each detector of the given name on one trace.
func calibrateFile(s *source, which qos.Series, name string, factories []qos.Factory, warmup int, levels []float64) ([][]qos.Calibration, error) {
	if err := s.keep(); err != nil {
		return nil, err
	}
	var judged [][]qos.Calibration
	for _, factory := range factories {
		err := s.with(which, func(trace *qos.Trace, beats qos.Beats) error {
			if err := suits(seriesOf(trace, which), name); err != nil {
				return explain(s.name, err)
			}
			c, err := qos.Calibrate(beats, factory, warmup, levels...)
			if err != nil {
				return explain(s.name, err)
			}
			judged = append(judged, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return judged, nil
}

func newScores(results []lawResult) []lawScore {
	var scores []lawScore
	for _, r := range results {
		l := lawScore{Law: r.law, Traces: []traceScore{}, MeanAbs: []float64{}, MeanSigned: []float64{}, Efficiency: []float64{}}
		for i, trace := range r.traces {
			t := traceScore{Trace: r.files[i], Judged: trace[0].Judged}
			for _, c := range trace {
				t.Phi = append(t.Phi, c.Level)
				t.Observed = append(t.Observed, c.Observed)
				t.TimeoutMean = append(t.TimeoutMean, c.TimeoutMean)
				t.Hindsight = append(t.Hindsight, c.Hindsight)
			}
			l.Traces = append(l.Traces, t)
		}
		for _, s := range r.scores {
			if known(s.MeanAbsLog10Error) == nil {
				break
			}
			l.MeanAbs = append(l.MeanAbs, s.MeanAbsLog10Error)
			l.MeanSigned = append(l.MeanSigned, s.MeanSignedLog10Error)
			if known(s.Efficiency) != nil && len(l.Efficiency) == len(l.MeanAbs)-1 {
				l.Efficiency = append(l.Efficiency, s.Efficiency)
			}
		}
		scores = append(scores, l)
	}
	return scores
}

func showCalibration(w io.Writer, results []lawResult) {
	for i, r := range results {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", r.law)
		t := table{right: true}
		t.row("  φ", "promised", "observed", "95 % interval", "log10(obs/prom)", "timeout", "hindsight", "cost")
		for k, trace := range r.traces {
			t.row(fmt.Sprintf("  %s, %d judged", shortName(r.files[k]), trace[0].Judged))
			for _, c := range trace {
				t.row("  "+digits(c.Level), rate(c.Promised), rate(c.Observed), short(c.Low)+"…"+short(c.High), signed(c.Log10Error),
					seconds(c.TimeoutMean), seconds(c.Hindsight), ratio(c.Efficiency()))
			}
		}
		t.write(w)
		if slices.ContainsFunc(r.traces, unscored) {
			fmt.Fprintln(w, "  –: fewer than 3 mistakes promised, not scored")
		}
		if len(r.traces) == 1 {
			continue
		}
		fmt.Fprintln(w)
		fmt.Fprintln(w, "  all traces")
		sum := table{right: true}
		sum.row("  φ", "scored", "mean |log10|", "mean log10", "cost")
		for _, s := range r.scores {
			sum.row("  "+digits(s.Level), fmt.Sprint(s.Traces), ratio(s.MeanAbsLog10Error), signed(s.MeanSignedLog10Error), ratio(s.Efficiency))
		}
		sum.write(w)
	}
}

// unscored reports whether a level of a trace has no score.
func unscored(levels []qos.Calibration) bool {
	return slices.ContainsFunc(levels, func(c qos.Calibration) bool { return math.IsNaN(c.Log10Error) })
}
