package main

import (
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"example.com/liveness"
)

// phase is a stretch of heartbeats under one load.
type phase struct {
	name  string
	law   liveness.LogNormal
	beats int
}

// outcome is how a timeout did over some heartbeats.
type outcome struct {
	beats    int
	mistakes int
	early    int     // mistakes among the first heartbeats, as many as the window holds
	timeout  float64 // mean over the heartbeats, seconds: the mean detection time
}

func (o outcome) rate() float64 { return float64(o.mistakes) / float64(o.beats) }

// shiftRow compares three timeouts over a phase, or over all of them.
type shiftRow struct {
	phase     string
	constant  outcome // set beforehand
	following outcome // the p99 of the latest RTTs
	hindsight outcome // a constant with as many mistakes as following has in all
}

// shiftTable is a timeout that follows the load, beside constants.
type shiftTable struct {
	window int
	phases []shiftRow
	all    shiftRow
}

// beat is a heartbeat and the timeout that the follower had set for it.
type beat struct{ rtt, following time.Duration }

// shift plays the phases one after the other. The follower starts with a window
// of RTTs from the first phase.
func shift(seed uint64, window int, constant time.Duration, phases ...phase) shiftTable {
	plays := follow(seed, window, phases)
	all := slices.Concat(plays...)
	following := func(b beat) time.Duration { return b.following }
	mistakes := judge(all, window, following).mistakes
	row := func(name string, beats []beat) shiftRow {
		return shiftRow{
			phase:     name,
			constant:  judge(beats, window, fixed(constant)),
			following: judge(beats, window, following),
			hindsight: judge(beats, window, fixed(exceededBy(all, mistakes))),
		}
	}
	table := shiftTable{window: window, all: row("all", all)}
	for i, p := range phases {
		table.phases = append(table.phases, row(p.name, plays[i]))
	}
	return table
}

// follow draws the heartbeats of each phase.
func follow(seed uint64, window int, phases []phase) [][]beat {
	src := rand.NewPCG(seed, shiftStream)
	f := newFollower(window)
	first := source(phases[0].law, src)
	for range window {
		f.window.Add(drawRTT(first))
	}
	plays := make([][]beat, len(phases))
	for i, p := range phases {
		rtts := source(p.law, src)
		plays[i] = make([]beat, p.beats)
		for j := range plays[i] {
			b := beat{rtt: drawRTT(rtts), following: f.timeout()}
			f.window.Add(b.rtt)
			plays[i][j] = b
		}
	}
	return plays
}

func drawRTT(law distuv.LogNormal) time.Duration {
	return time.Duration(law.Rand() * float64(time.Second))
}

// follower sets its timeout to the p99 of the latest RTTs.
type follower struct {
	window *liveness.Window
	sorted []time.Duration // reused
}

func newFollower(window int) *follower {
	w, err := liveness.NewWindow(window)
	if err != nil {
		panic(err) // the sizes are constants of this program
	}
	return &follower{window: w, sorted: make([]time.Duration, 0, window)}
}

// timeout returns the smallest RTT in the window that at most one in a hundred
// exceeds, the p99 by nearest rank. A new RTT of the same law exceeds it with
// probability (n/100 + 1)/(n + 1), whatever the law: all ranks are as likely.
func (f *follower) timeout() time.Duration {
	f.sorted = slices.AppendSeq(f.sorted[:0], f.window.All())
	slices.Sort(f.sorted)
	n := len(f.sorted)
	return f.sorted[n-1-n/100]
}

// judge returns how a timeout did.
func judge(beats []beat, window int, timeout func(beat) time.Duration) outcome {
	o := outcome{beats: len(beats)}
	var sum time.Duration
	for i, b := range beats {
		t := timeout(b)
		sum += t
		if b.rtt > t {
			o.mistakes++
			if i < window {
				o.early++
			}
		}
	}
	o.timeout = sum.Seconds() / float64(len(beats))
	return o
}

func fixed(timeout time.Duration) func(beat) time.Duration {
	return func(beat) time.Duration { return timeout }
}

// exceededBy returns the smallest constant timeout that makes n mistakes; an RTT
// equal to a timeout is none.
func exceededBy(beats []beat, n int) time.Duration {
	rtts := make([]time.Duration, len(beats))
	for i, b := range beats {
		rtts[i] = b.rtt
	}
	slices.Sort(rtts)
	return rtts[len(rtts)-1-n]
}

// followRate is the rate at which a follower with that window errs while the
// law stays: see [follower.timeout].
func followRate(window int) float64 { return float64(window/100+1) / float64(window+1) }
