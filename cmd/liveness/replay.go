package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"example.com/liveness/qos"
)

// replayed is the JSON of replay.
type replayed struct {
	Trace             string   `json:"trace"`
	Detector          string   `json:"detector"`
	Heartbeats        int      `json:"heartbeats"`
	Lost              int      `json:"lost"`
	Mistakes          int      `json:"mistakes"`
	MistakesPerBeat   *float64 `json:"mistake_rate_per_heartbeat,omitempty"`
	MistakesPerSecond *float64 `json:"mistake_rate_per_second,omitempty"`
	MistakeRecurrence *float64 `json:"mistake_recurrence_mean,omitempty"`
	MistakeDuration   *float64 `json:"mistake_duration_mean,omitempty"`
	DetectionTime     *float64 `json:"detection_time_mean,omitempty"`
	DetectionTimeP99  *float64 `json:"detection_time_p99,omitempty"`
	DetectionTimeMax  *float64 `json:"detection_time_max,omitempty"`
	QueryAccuracy     *float64 `json:"query_accuracy,omitempty"`
}

const replayNote = nameNote + floorNote + `
The detection time is that of a crash just after a heartbeat has arrived, the worst instant: from
there to the suspicion. With -series delay it is the timeout on an answer.
`

// replay runs one detector over one trace.
func replay(e env, args []string) error {
	f := newFlags(e, replayNote).withJSON()
	name := f.String("detector", "phi", "`name` of the detector: "+list(detectorNames))
	set := f.withSettings().withThreshold()
	which, warmup := f.withSeries(), f.withWarmup()
	files, err := f.parse(args, 1, 1)
	if err != nil {
		return err
	}
	make, err := set.detector(*name)
	if err != nil {
		return err
	}
	if err := set.useAll(*name); err != nil {
		return err
	}
	candidate := qos.Candidate{New: make}
	if set.threshold != 0 {
		candidate.Levels = []float64{set.threshold}
	}
	return newSource(e, files[0]).with(which.Series, func(trace *qos.Trace, beats qos.Beats) error {
		s := seriesOf(trace, which.Series)
		if err := suits(s, *name); err != nil {
			return explain(files[0], err)
		}
		var p period
		curves, err := qos.Sweep(p.watch(beats), *warmup, candidate)
		if err != nil {
			return explain(files[0], err)
		}
		p.compare(set, *name)
		r := curves[0].Points[0]
		return f.print(newReplayed(files[0], *name, s, r), func(w io.Writer) { showReplay(w, files[0], *name, s, r) })
	})
}

func newReplayed(trace, detector string, which qos.Series, r qos.Report) replayed {
	if which == qos.Delay { // the time between one answer and the next is not in it
		r.MistakeRate, r.MistakeRecurrence.Mean, r.QueryAccuracy = math.NaN(), math.NaN(), math.NaN()
	}
	return replayed{
		Trace:             trace,
		Detector:          detector,
		Heartbeats:        r.Heartbeats,
		Lost:              r.Lost,
		Mistakes:          r.Mistakes,
		MistakesPerBeat:   known(r.MistakesPerHeartbeat()),
		MistakesPerSecond: known(r.MistakeRate),
		MistakeRecurrence: known(r.MistakeRecurrence.Mean),
		MistakeDuration:   known(r.MistakeDuration.Mean),
		DetectionTime:     known(r.AfterHeartbeat.Mean),
		DetectionTimeP99:  known(r.AfterHeartbeat.P99),
		DetectionTimeMax:  known(r.AfterHeartbeat.Max),
		QueryAccuracy:     known(r.QueryAccuracy),
	}
}

func showReplay(w io.Writer, trace, detector string, which qos.Series, r qos.Report) {
	var t table
	t.pair("trace", "%s", trace)
	t.pair("series", "%s", seriesText(which))
	t.pair("detector", "%s, suspects from %s on", detector, digits(r.Level))
	worst, in, perSecond := "detection time", " in "+seconds(r.Observed), ", "+rate(r.MistakeRate)+" per second"
	if which == qos.Delay {
		worst, in, perSecond = "timeout", "", ""
	}
	t.pair("heartbeats judged", "%d%s, %d lost", r.Heartbeats, in, r.Lost)
	recurrence, duration := "none", "none"
	if r.Mistakes == 0 {
		// The largest rate at which none in so many is seen once in 20 times.
		t.pair("mistakes", "0 of %d: below %.2g %% (95 %%)", r.Heartbeats, -100*math.Expm1(math.Log(0.05)/float64(r.Heartbeats)))
	} else {
		t.pair("mistakes", "%d: %s per heartbeat%s", r.Mistakes, rate(r.MistakesPerHeartbeat()), perSecond)
		recurrence = seconds(r.MistakeRecurrence.Mean) + " in the mean"
		if r.Mistakes == 1 {
			recurrence = "unknown, there was one"
		}
		duration = fmt.Sprintf("%s in the mean, %s at most", seconds(r.MistakeDuration.Mean), seconds(r.MistakeDuration.Max))
	}
	if which == qos.Gap {
		t.pair("mistake recurrence", "%s", recurrence)
	}
	t.pair("mistake duration", "%s", duration)
	d := r.AfterHeartbeat
	t.pair(worst, "%s in the mean, %s in 99 %% of all cases, %s at most", seconds(d.Mean), seconds(d.P99), seconds(d.Max))
	if which == qos.Gap {
		t.pair("  crash at any instant", "%s in the mean", seconds(r.AnyInstant.Mean))
		t.pair("query accuracy", "%s of the time right", percent(r.QueryAccuracy))
	}
	t.write(w)
}

// seriesText says what a series is.
func seriesText(s qos.Series) string {
	if s == qos.Delay {
		return "delay of each probe"
	}
	return "gap between arrivals"
}

// seriesOf returns which series is replayed.
func seriesOf(trace *qos.Trace, s qos.Series) qos.Series {
	if s == qos.Auto {
		return trace.Series()
	}
	return s
}

// explain adds to an error the flag that helps, and the file if it is not named.
func explain(file string, err error) error {
	if errors.Is(err, qos.ErrTooShort) {
		err = fmt.Errorf("%s; -warmup sets another", reason(err))
	}
	file = fileName(file)
	if strings.HasPrefix(reason(err), file+":") {
		return err
	}
	return fmt.Errorf("%s: %s", file, reason(err))
}
