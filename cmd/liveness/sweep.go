package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"example.com/liveness/qos"
)

// swept is the JSON of sweep.
type swept struct {
	Trace  string  `json:"trace"`
	Curves []curve `json:"curves"`
}

type curve struct {
	Detector string  `json:"detector"`
	Points   []point `json:"points"`
}

type point struct {
	Threshold       float64  `json:"threshold"`
	DetectionTime   *float64 `json:"detection_time_mean,omitempty"`
	MistakesPerBeat *float64 `json:"mistake_rate_per_heartbeat,omitempty"`
	QueryAccuracy   *float64 `json:"query_accuracy,omitempty"`
}

// The thresholds of a sweep, unless others are wanted.
var (
	phiLevels   = numbers{0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.75, 1, 1.5, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 10, 12, 16, 24, 32}
	ratioLevels = numbers{0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20}
)

const sweepNote = nameNote + floorNote + `
The detection time is that of a crash just after a heartbeat has arrived, the worst instant. The
picture shows the best constant timeouts too, which only hindsight knows; fixed lies on that line.
phi learns as with the threshold 8, whatever the threshold it is judged at.
`

// sweep judges detectors at many thresholds.
func sweep(e env, args []string) error {
	f := newFlags(e, sweepNote).withJSON()
	detectors := names{}
	f.Var(&detectors, "detectors", "`names` of detectors, such as phi:gaussian,phi:lognormal,fixed,chen")
	name := f.String("detector", "phi", "`name` of one detector: "+list(detectorNames))
	var levels numbers
	f.Var(&levels, "threshold", "the `levels`, such as 1,2,4,8 (default many)")
	set := f.withSettings()
	which, warmup := f.withSeries(), f.withWarmup()
	picture := f.withPlot()
	files, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	if len(detectors) == 0 {
		detectors = names{*name}
	}
	candidates, err := set.candidates(detectors, levels)
	if err != nil {
		return err
	}
	return newSource(e, files[0]).with(which.Series, func(trace *qos.Trace, beats qos.Beats) error {
		var limit hindsight
		if picture.wanted() {
			beats = limit.watch(beats, *warmup)
		}
		curves, err := qos.Sweep(beats, *warmup, candidates...)
		if err != nil {
			return explain(files[0], err)
		}
		if picture.wanted() {
			if err := picture.draw(drawSweep(files[0], seriesOf(trace, which.Series), curves, &limit)); err != nil {
				return err
			}
		}
		return f.print(newSwept(files[0], curves), func(w io.Writer) { showSweep(w, files[0], curves) })
	})
}

// candidates returns the detectors to be judged, at levels or at the usual ones.
func (s *settings) candidates(detectors []string, levels numbers) ([]qos.Candidate, error) {
	candidates := make([]qos.Candidate, len(detectors))
	for i, name := range detectors {
		if slices.Contains(detectors[:i], name) {
			return nil, usage("detector %q is named twice", name)
		}
		factory, err := s.detector(name)
		if err != nil {
			return nil, err
		}
		wanted := levels
		if len(wanted) == 0 {
			wanted = ratioLevels
			if strings.HasPrefix(name, "phi") {
				wanted = phiLevels
			}
		}
		candidates[i] = qos.Candidate{Name: name, New: factory, Levels: wanted}
	}
	return candidates, nil
}

func newSwept(trace string, curves []qos.Curve) swept {
	s := swept{Trace: trace}
	for _, c := range curves {
		points := make([]point, len(c.Points))
		for i, r := range c.Points {
			points[i] = point{r.Level, known(r.AfterHeartbeat.Mean), known(r.MistakesPerHeartbeat()), known(r.QueryAccuracy)}
		}
		s.Curves = append(s.Curves, curve{c.Name, points})
	}
	return s
}

func showSweep(w io.Writer, trace string, curves []qos.Curve) {
	fmt.Fprintf(w, "%s: %d heartbeats judged\n", trace, curves[0].Points[0].Heartbeats)
	for _, c := range curves {
		fmt.Fprintf(w, "\n%s\n", c.Name)
		t := table{right: true}
		t.row("threshold", "detection time", "mistakes", "per heartbeat", "query accuracy")
		for _, r := range c.Points {
			t.row(digits(r.Level), seconds(r.AfterHeartbeat.Mean), fmt.Sprint(r.Mistakes), rate(r.MistakesPerHeartbeat()), percent(r.QueryAccuracy))
		}
		t.write(w)
	}
}
