package main

import (
	"fmt"
	"io"
	"math"
	"slices"

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
Several detectors are compared at equal mistakes in a last table.
phi, satzger and loss-aware learn as with the threshold 8, or that of the preset, whatever the
threshold they are judged at.
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
	switch {
	case f.isSet("detectors") && f.isSet("detector"):
		return usage("-detector and -detectors are two ways to say one thing, got both")
	case len(detectors) == 0:
		detectors = names{*name}
	}
	candidates, err := set.candidates(detectors, levels)
	if err != nil {
		return err
	}
	if err := set.useAll(detectors...); err != nil {
		return err
	}
	return newSource(e, files[0]).with(which.Series, func(trace *qos.Trace, beats qos.Beats) error {
		s := seriesOf(trace, which.Series)
		if err := suits(s, detectors...); err != nil {
			return explain(files[0], err)
		}
		var limit hindsight
		if picture.wanted() || len(detectors) > 1 {
			beats = limit.watch(beats, *warmup)
		}
		var p period
		curves, err := qos.Sweep(p.watch(beats), *warmup, candidates...)
		if err != nil {
			return explain(files[0], err)
		}
		p.compare(set, detectors...)
		if picture.wanted() {
			if err := picture.draw(drawSweep(files[0], s, curves, &limit, set.lawName())); err != nil {
				return err
			}
		}
		return f.print(newSwept(files[0], s, curves), func(w io.Writer) {
			showSweep(w, files[0], s, curves)
			if len(curves) > 1 {
				showEqual(w, s, curves, &limit)
			}
		})
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
			if isPhi(name) || name == "satzger" {
				wanted = phiLevels // in decades
			}
		}
		candidates[i] = qos.Candidate{Name: name, New: factory, Levels: wanted}
	}
	return candidates, nil
}

func newSwept(trace string, which qos.Series, curves []qos.Curve) swept {
	s := swept{Trace: trace}
	for _, c := range curves {
		points := make([]point, len(c.Points))
		for i, r := range c.Points {
			if which == qos.Delay { // the time between one answer and the next is not in it
				r.QueryAccuracy = math.NaN()
			}
			points[i] = point{r.Level, known(r.AfterHeartbeat.Mean), known(r.MistakesPerHeartbeat()), known(r.QueryAccuracy)}
		}
		s.Curves = append(s.Curves, curve{c.Name, points})
	}
	return s
}

// priceText says what is paid for few mistakes.
func priceText(which qos.Series) string {
	if which == qos.Delay {
		return "timeout"
	}
	return "detection time"
}

func showSweep(w io.Writer, trace string, which qos.Series, curves []qos.Curve) {
	fmt.Fprintf(w, "%s, %s: %d heartbeats judged\n", trace, seriesText(which), curves[0].Points[0].Heartbeats)
	for _, c := range curves {
		fmt.Fprintf(w, "\n%s\n", c.Name)
		t := table{right: true}
		head := []string{"threshold", priceText(which), "mistakes", "per heartbeat", "query accuracy"}
		if which == qos.Delay {
			head = head[:4]
		}
		t.row(head...)
		for _, r := range c.Points {
			cells := []string{digits(r.Level), seconds(r.AfterHeartbeat.Mean), fmt.Sprint(r.Mistakes), rate(r.MistakesPerHeartbeat()), percent(r.QueryAccuracy)}
			t.row(cells[:len(head)]...)
		}
		t.write(w)
	}
}

// equalRates are the mistakes per heartbeat at which detectors are compared.
var equalRates = []float64{1e-1, 1e-2, 1e-3, 1e-4}

// mistakesAt returns how many mistakes in so many heartbeats are no more than the rate.
func mistakesAt(rate float64, judged int) int {
	return int(math.Round(rate*float64(judged)*1e6) / 1e6) // 0.1 · 30 is 3
}

// showEqual compares detectors that make no more than the same mistakes: the
// smallest mean detection time of each among its thresholds.
func showEqual(w io.Writer, which qos.Series, curves []qos.Curve, limit *hindsight) {
	judged := curves[0].Points[0].Heartbeats
	t := table{right: true}
	head := []string{"mistakes per heartbeat, at most"}
	var allowed []int
	for _, r := range equalRates {
		if n := mistakesAt(r, judged); n > 0 { // as far as the data reach
			head, allowed = append(head, digits(r)), append(allowed, n)
		}
	}
	if allowed == nil {
		return
	}
	t.row(head...)
	for _, c := range curves {
		row := []string{c.Name}
		for _, n := range allowed {
			least := math.Inf(1)
			for _, r := range c.Points {
				if d := r.AfterHeartbeat.Mean; r.Mistakes <= n && d < least {
					least = d
				}
			}
			row = append(row, orDash(least))
		}
		t.row(row...)
	}
	row := []string{"best constant in hindsight"}
	for _, n := range allowed {
		row = append(row, orDash(limit.best(n)))
	}
	t.row(row...)
	fmt.Fprintf(w, "\nSmallest mean %s at no more mistakes, of the thresholds above\n", priceText(which))
	t.write(w)
}
