package main

import (
	"fmt"
	"io"
	"runtime"
	"sync"
)

// compared is the JSON of compare.
type compared struct {
	Traces    []comparedTrace `json:"traces"`
	Laws      []lawScore      `json:"laws"`
	Detectors []rival         `json:"detectors"`
}

type comparedTrace struct {
	Trace    string         `json:"trace"`
	Series   string         `json:"series"`
	Judged   int            `json:"judged"`
	Interval float64        `json:"interval"`
	Best     []bestConstant `json:"best_constant"`
}

type bestConstant struct {
	Rate    float64 `json:"mistake_rate_per_heartbeat"`
	Timeout float64 `json:"timeout"`
}

type rival struct {
	Detector string       `json:"detector"`
	Traces   []rivalTrace `json:"traces"`
	Rates    []rivalRate  `json:"rates"`
}

type rivalTrace struct {
	Trace  string       `json:"trace"`
	Points []rivalPoint `json:"points"`
}

type rivalPoint struct {
	Rate          float64  `json:"mistake_rate_per_heartbeat"`
	Threshold     *float64 `json:"threshold,omitempty"`
	DetectionTime *float64 `json:"detection_time_mean,omitempty"`
	Ratio         *float64 `json:"ratio,omitempty"`
}

type rivalRate struct {
	Series string   `json:"series"`
	Rate   float64  `json:"mistake_rate_per_heartbeat"`
	Traces int      `json:"traces"`
	Ratio  *float64 `json:"ratio,omitempty"`
	Best   int      `json:"best"`
}

const compareNote = `
Compared are phi with each law, which has the name of the law here, and the other detectors, on all
traces, with what the library sets by default. Only the floor of the standard deviation is 1µs, as
good as none, unless -min-stddev is set; -min-stddev default is that of the library.

All but phi are told the interval: the median one at which heartbeats were sent, or else arrived, or
the median delay. chen and two-window get it as their margin, of which a threshold is a multiple. On
delays they, bertier and loss-aware make no sense: a dash.

A φ promises a share of 10^-φ mistakes, see calibrate. The detection time is that of a crash just
after a heartbeat has arrived. It is taken at the least threshold of all that makes no more mistakes
than allowed, which only hindsight knows, and divided by the best constant timeout for as many:
below 1 is better than any constant. Means of these ratios are geometric, and over all traces that
are long enough to allow for 3 mistakes. A detector that cannot be judged on one of them has a dash,
and so has one that reaches the rate at no threshold. In the JSON, the series of a rate is gap,
delay or all.

A trace that cannot be scored is left out, with a word on standard error.
`

// compare judges every detector and every law on every trace.
func compare(e env, args []string) error {
	f := newFlags(e, compareNote).withJSON()
	set := &settings{flags: f}
	set.withFloor()
	which, warmup := f.withSeries(), f.withWarmup()
	picture := f.withPlot()
	files, err := f.parseTraces(args)
	if err != nil {
		return err
	}
	set.floorUnlessSet()
	var contests []*contest
	for _, file := range files {
		c, err := newContest(newSource(e, file), which.Series, *warmup)
		if err != nil && len(files) == 1 {
			return err
		}
		if err != nil {
			e.leaveOut(err)
			continue
		}
		contests = append(contests, c)
	}
	if len(contests) == 0 {
		return errNoTrace
	}
	e.judgeAll(contests, set, *warmup)
	groups, err := groupsOf(contests)
	if err != nil {
		return err
	}
	if picture.wanted() {
		if err := picture.draw(drawComparison(groups)); err != nil {
			return err
		}
	}
	return f.print(newCompared(groups), func(w io.Writer) {
		fmt.Fprintf(w, "floor of the standard deviation: %s\n\n", set.floorText())
		showComparison(w, groups)
	})
}

// judgeAll judges each contender on each trace, on all cores.
func (e env) judgeAll(contests []*contest, set *settings, warmup int) {
	names := contenders()
	type job struct {
		*contest
		i int
	}
	jobs := make(chan job)
	done := newTally(e.stderr, len(contests)*len(names))
	var workers sync.WaitGroup
	var mu sync.Mutex // protects standard error
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range jobs {
				entry, err := j.enter(set, names[j.i], warmup)
				j.entries[j.i] = entry
				mu.Lock()
				if err != nil {
					done.clear()
					e.leaveOut(fmt.Errorf("%s on %s: %s", names[j.i], j.file, reason(err)))
				}
				done.add()
				mu.Unlock()
			}
		})
	}
	for _, c := range contests {
		c.entries = make([]entry, len(names))
		for i := range names {
			jobs <- job{c, i}
		}
	}
	close(jobs)
	workers.Wait()
	done.clear()
}

func newCompared(groups []group) compared {
	all := groups[0]
	var result compared
	for _, c := range all.contests {
		t := comparedTrace{Trace: c.file, Series: c.series.String(), Judged: c.judged, Interval: c.interval.Seconds(), Best: []bestConstant{}}
		for _, g := range c.goals {
			t.Best = append(t.Best, bestConstant{g.rate, g.best})
		}
		result.Traces = append(result.Traces, t)
	}
	for i, name := range contenders() {
		r := rival{Detector: name, Traces: []rivalTrace{}, Rates: []rivalRate{}}
		for _, c := range all.contests {
			e := c.entries[i]
			if !e.judged {
				continue
			}
			t := rivalTrace{Trace: c.file, Points: []rivalPoint{}}
			for k, p := range e.reached {
				t.Points = append(t.Points, rivalPoint{c.goals[k].rate, known(p.threshold), known(p.timeout), known(p.ratio)})
			}
			r.Traces = append(r.Traces, t)
		}
		for _, g := range groups {
			for k := range g.goals() {
				m := g.mean(i, k)
				r.Rates = append(r.Rates, rivalRate{g.series, rateOf(k), m.traces, known(m.ratio), m.best})
			}
		}
		result.Detectors = append(result.Detectors, r)
	}
	result.Laws = newScores(all.laws)
	return result
}
