package liveness

import (
	"time"

	"example.com/liveness/internal/order"
)

// gaps are the latest gaps in order of length, and those that a prior stands for.
type gaps struct {
	expected int64 // the length of those
	learnt   order.Window
	outages  outages
	usualGap int64 // the median before the last outage
	cut      int64 // what a single outage teaches
}

func makeGaps(capacity int, expected time.Duration) gaps {
	return gaps{
		expected: int64(expected),
		learnt:   order.New(capacity),
		outages:  outages{since: longAgo},
	}
}

// learn takes in a gap above 0, by the rules of Phi. A longer one than wait is an
// outage, of which one alone teaches most.
func (g *gaps) learn(gap, wait, most int64) {
	if gap > wait {
		g.outage(gap, wait, most)
		return
	}
	if g.outages.queued > 0 && g.outages.queuedUp(gap, g.usualGap) {
		return
	}
	g.outages.usual()
	g.learnt.Add(gap)
	if g.outages.reborn && g.prior() == 0 {
		g.outages.reborn = false
	}
}

func (g *gaps) outage(gap, wait, most int64) {
	g.usualGap = g.at((g.count() + 1) / 2)
	if g.outages.since >= uint32(g.learnt.Cap()) || most < g.cut {
		g.cut = most // outages within a window of each other must not build on each other
	}
	learn, another := g.outages.outage(gap, wait, g.cut, g.learnt.Cap())
	g.outages.queued = uint32(min(gap/g.usualGap, longAgo))
	if another {
		g.learnt.Reset()
		return
	}
	g.learnt.Add(learn)
}

// prior returns how many gaps the prior stands for.
func (g *gaps) prior() int { return max(priorSpan(g.learnt.Cap())-g.learnt.Len(), 0) }

// count returns the number of gaps, those of the prior included: at least 1.
func (g *gaps) count() int { return g.learnt.Len() + g.prior() }

// at returns the k-th shortest of all, from 1 to count.
func (g *gaps) at(k int) int64 {
	prior := g.prior()
	if prior == 0 {
		return g.learnt.At(k - 1)
	}
	shorter := g.learnt.Len() - g.learnt.Above(g.expected-1)
	switch {
	case k <= shorter:
		return g.learnt.At(k - 1)
	case k <= shorter+prior:
		return g.expected
	}
	return g.learnt.At(k - 1 - prior)
}

// longer returns how many of all are longer than x.
func (g *gaps) longer(x int64) int {
	n := g.learnt.Above(x)
	if g.expected > x {
		n += g.prior()
	}
	return n
}
