package main

import (
	"errors"
	"fmt"
	"io"
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
	candidate := qos.Candidate{New: make}
	if set.threshold != 0 {
		candidate.Levels = []float64{set.threshold}
	}
	return newSource(e, files[0]).with(which.Series, func(trace *qos.Trace, beats qos.Beats) error {
		curves, err := qos.Sweep(beats, *warmup, candidate)
		if err != nil {
			return explain(files[0], err)
		}
		r := curves[0].Points[0]
		return f.print(newReplayed(files[0], *name, r), func(w io.Writer) {
			showReplay(w, files[0], *name, seriesOf(trace, which.Series), r)
		})
	})
}

func newReplayed(trace, detector string, r qos.Report) replayed {
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
	t.pair("series", "%v", which)
	t.pair("detector", "%s, suspects from %s on", detector, digits(r.Level))
	t.pair("heartbeats judged", "%d in %s, %d lost", r.Heartbeats, seconds(r.Observed), r.Lost)
	t.pair("mistakes", "%d: %s per heartbeat, %s per second", r.Mistakes, rate(r.MistakesPerHeartbeat()), rate(r.MistakeRate))
	t.pair("mistake recurrence", "%s in the mean", seconds(r.MistakeRecurrence.Mean))
	t.pair("mistake duration", "%s in the mean, %s at most", seconds(r.MistakeDuration.Mean), seconds(r.MistakeDuration.Max))
	worst := "detection time"
	if which == qos.Delay {
		worst = "timeout"
	}
	d := r.AfterHeartbeat
	t.pair(worst, "%s in the mean, %s in 99 %% of all cases, %s at most", seconds(d.Mean), seconds(d.P99), seconds(d.Max))
	if which == qos.Gap {
		t.pair("  crash at any instant", "%s in the mean", seconds(r.AnyInstant.Mean))
		t.pair("query accuracy", "%s of the time right", percent(r.QueryAccuracy))
	}
	t.write(w)
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
	if file == "-" {
		file = stdinName
	}
	if strings.HasPrefix(reason(err), file+":") {
		return err
	}
	return fmt.Errorf("%s: %s", file, reason(err))
}
