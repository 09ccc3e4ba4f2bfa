package main

import (
	"math"
	"strings"

	"example.com/liveness/qos"
)

// A group is several contests that are summed up.
type group struct {
	series   string // all, gap or delay
	contests []*contest
	laws     []lawResult // of each contender whose level is a φ, where it was judged
}

// groupsOf returns all contests, and then those of each series if there are two.
func groupsOf(contests []*contest) ([]group, error) {
	groups := []group{{series: "all", contests: contests}}
	var parts [2]group
	for i, s := range []qos.Series{qos.Gap, qos.Delay} {
		parts[i].series = s.String()
		for _, c := range contests {
			if c.series == s {
				parts[i].contests = append(parts[i].contests, c)
			}
		}
	}
	if len(parts[0].contests) > 0 && len(parts[1].contests) > 0 {
		groups = append(groups, parts[:]...)
	}
	for i := range groups {
		if err := groups[i].judgeLaws(); err != nil {
			return nil, err
		}
	}
	return groups, nil
}

func (g *group) judgeLaws() error {
	for i, name := range contenders() {
		if !isPhi(name) {
			continue
		}
		r := lawResult{law: shortDetector(name)}
		for _, c := range g.contests {
			if e := c.entries[i]; e.judged {
				r.add(c.file, e.kept)
			}
		}
		var err error
		if r.scores, err = qos.Scores(r.traces...); err != nil {
			return err
		}
		g.laws = append(g.laws, r)
	}
	return nil
}

// shortDetector is the name of a detector where phi goes without saying.
func shortDetector(name string) string { return strings.TrimPrefix(name, "phi:") }

// goals returns how many goals there are in the group.
func (g *group) goals() int {
	n := 0
	for _, c := range g.contests {
		n = max(n, len(c.goals))
	}
	return n
}

// A mean is what a contender needs to reach a rate, over several traces.
type mean struct {
	ratio  float64 // NaN: it was not judged on each of them, or does not reach the rate
	traces int     // long enough for the rate
	best   int     // on how many of them no other contender needs less
}

// mean sums up the i-th contender at the k-th goal.
func (g *group) mean(i, k int) mean {
	var m mean
	sum := 0.0
	for _, c := range g.contests {
		if k >= len(c.goals) || !(c.goals[k].best > 0) {
			continue
		}
		m.traces++
		ratio := c.ratio(i, k)
		sum += math.Log(ratio)
		if _, least := c.best(k); ratio == least {
			m.best++
		}
	}
	m.ratio = math.Exp(sum / float64(m.traces))
	return m
}
