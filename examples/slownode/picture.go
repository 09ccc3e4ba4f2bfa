package main

import (
	"cmp"
	"fmt"
	"image/color"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// A picture is what is drawn: the searches above, the heartbeats below. Times are
// in seconds since the story began, latencies in milliseconds.
type picture struct {
	servers     int
	bands       []band
	fast, late  plotter.XYs // searches
	stalled     plotter.XYs // those that met a stall
	marks       []mark
	phi, peers  plotter.XYs // of the slow server, and the highest of the others
	threshold   float64
	first, last float64
}

// A band is a stage.
type band struct {
	from, to float64
	chapter  int
	label    string
	p50, p99 seconds
}

// A mark is one event, or several at about the same time.
type mark struct {
	at   float64
	text string
}

// together is within how many seconds events share a mark.
const together = 0.5

func (s *story) picture() *picture {
	p := &picture{servers: s.servers, threshold: s.beats.threshold}
	p.first = s.since(s.stages[0].from)
	p.last = s.since(s.stages[len(s.stages)-1].to)
	for _, st := range s.stages {
		p.bands = append(p.bands, s.bands(st)...)
		for _, x := range st.samples {
			at := plotter.XY{X: s.since(x.began), Y: float64(x.took) / float64(time.Millisecond)}
			switch {
			case x.stalled:
				p.stalled = append(p.stalled, at)
			case x.took >= s.late():
				p.late = append(p.late, at)
			default:
				p.fast = append(p.fast, at)
			}
		}
	}
	for _, e := range s.events {
		p.mark(s.since(e.at), e.text)
	}
	p.phi, p.peers = s.suspicions()
	return p
}

// bands parts a stage at the ejection.
func (s *story) bands(st stage) []band {
	label := wrap(st.name)
	one := func(from, to time.Time, label string, samples []sample) band {
		l := s.summary(samples)
		return band{s.since(from), s.since(to), st.chapter, label, l.P50, l.P99}
	}
	if st.ejected.IsZero() {
		return []band{one(st.from, st.to, label, st.samples)}
	}
	then := after(st.samples, st.ejected)
	return []band{
		one(st.from, st.ejected, label, st.samples[:len(st.samples)-len(then)]),
		one(st.ejected, st.to, "ejected", then),
	}
}

// wrap breaks a label at a comma, or else at the last space, if it is too long for a line.
func wrap(label string) string {
	const line = 10
	if len(label) <= line {
		return label
	}
	if first, rest, ok := strings.Cut(label, ", "); ok {
		return first + ",\n" + rest
	}
	if i := strings.LastIndexByte(label, ' '); i > 0 {
		return label[:i] + "\n" + label[i+1:]
	}
	return label
}

func (s *story) since(t time.Time) float64 { return t.Sub(s.began).Seconds() }

func (p *picture) mark(at float64, text string) {
	if n := len(p.marks); n > 0 && at-p.marks[n-1].at < together {
		p.marks[n-1].text += ", " + text
		return
	}
	p.marks = append(p.marks, mark{at, text})
}

// suspicions returns φ of the slow server, and the highest of all others between
// two of its heartbeats.
func (s *story) suspicions() (own, peers plotter.XYs) {
	bins := map[int]float64{}
	for _, name := range s.cluster.names() {
		for _, b := range s.beats.of(name, s.stages[0].from, s.stages[len(s.stages)-1].to) {
			if name == s.sick().name {
				own = append(own, plotter.XY{X: s.since(b.at), Y: b.phi})
				continue
			}
			i := int(b.at.Sub(s.began) / s.beats.every)
			bins[i] = max(bins[i], b.phi)
		}
	}
	for i, phi := range bins {
		peers = append(peers, plotter.XY{X: (float64(i) + 0.5) * s.beats.every.Seconds(), Y: phi})
	}
	slices.SortFunc(peers, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	return own, peers
}

var (
	black  = color.RGBA{0x00, 0x00, 0x00, 0xff}
	blue   = color.RGBA{0x00, 0x5a, 0xa0, 0xff}
	orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	grey   = color.RGBA{0x70, 0x70, 0x70, 0xff}
	shade  = color.RGBA{0xf1, 0xf3, 0xf6, 0xff}
	faint  = color.RGBA{0xd4, 0xd8, 0xde, 0xff}
)

// titles are those of the chapters.
var titles = []string{"1+2  SLOW", "3  EJECTION", "4  ALL SLOW", "5  HEDGING", "6  DATA"}

// title returns the heading of a chapter.
func title(chapter int) string {
	for _, t := range titles {
		if strings.HasPrefix(t, fmt.Sprint(chapter)) {
			return t
		}
	}
	return ""
}

const (
	width  = 12 * vg.Inch
	height = 6.6 * vg.Inch
)
