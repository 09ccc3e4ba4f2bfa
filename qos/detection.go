package qos

import (
	"math"
	"time"
)

// DetectionTime is T_D, the time from a crash to the S-transition that is not
// followed by another T-transition: the detector's deadline less the instant of
// the crash, or 0 if the process was suspected already. All are in seconds, and
// NaN if no heartbeat was judged.
type DetectionTime struct {
	Mean float64 // exact
	P99  float64 // not exceeded in 99 % of the crashes; up to 0.4 % above the exact value
	Max  float64 // exact
}

// histogramBits makes buckets of at most 2^-8 of the value.
const histogramBits = 8

// detections collects the detection times of crashes between the heartbeats.
type detections struct {
	just      running   // crashes just after a heartbeat
	justTimes histogram // the same

	// A crash at any instant of a gap g, with the deadline t after its
	// start, is detected after max(0, t − u), u uniform in [0, g): each
	// gap covers the detection times from t − g to t with density 1.
	from, to   histogram
	late, time float64 // nanoseconds already suspected, and in all
	area       float64 // the integral of the detection time, in ns²
	max        int64
}

func newDetections() detections {
	return detections{
		justTimes: histogram{bits: histogramBits},
		from:      histogram{bits: histogramBits},
		to:        histogram{bits: histogramBits},
	}
}

// crash counts a crash just after a heartbeat whose deadline is t later.
func (d *detections) crash(t time.Duration) {
	d.just.add(t.Seconds())
	d.justTimes.add(int64(t))
}

// gap counts the crashes at each instant of a gap whose deadline is t after its start.
func (d *detections) gap(t, gap time.Duration) {
	if gap <= 0 {
		return
	}
	covered := min(t, gap)
	d.from.add(int64(t - covered))
	d.to.add(int64(t))
	d.late += float64(gap - covered)
	d.time += float64(gap)
	d.area += float64(covered) * (float64(t) - float64(covered)/2)
	d.max = max(d.max, int64(t))
}

func (d *detections) afterHeartbeat() DetectionTime {
	if d.just.n == 0 {
		return DetectionTime{math.NaN(), math.NaN(), math.NaN()}
	}
	return DetectionTime{d.just.mean, float64(d.justTimes.quantile(0.99)) / nanos, d.just.max}
}

func (d *detections) anyInstant() DetectionTime {
	if d.time == 0 {
		return DetectionTime{math.NaN(), math.NaN(), math.NaN()}
	}
	return DetectionTime{d.area / d.time / nanos, d.quantile(0.99) / nanos, float64(d.max) / nanos}
}

// nanos is the number of nanoseconds in a second.
const nanos = 1e9

// quantile returns the detection time, in nanoseconds, that a share q of all instants does not exceed.
func (d *detections) quantile(q float64) float64 {
	wanted := q * d.time
	if d.late >= wanted {
		return 0
	}
	// Below x lie Σ (x − from) − Σ (x − to), over those that are below x:
	// exact at the edges of buckets, nearly linear between them.
	var fromN, toN int64
	var fromSum, toSum float64
	x0, below0 := 0.0, d.late
	for page := range d.from.pages {
		if d.from.pages[page] == nil && d.to.pages[page] == nil && fromN == toN {
			x0 = d.from.edge(page, 1<<histogramBits-1)
			continue // nothing here
		}
		for i := range 1 << histogramBits {
			if p := d.from.pages[page]; p != nil {
				fromN, fromSum = fromN+p[i].n, fromSum+p[i].sum
			}
			if p := d.to.pages[page]; p != nil {
				toN, toSum = toN+p[i].n, toSum+p[i].sum
			}
			x := d.from.edge(page, i)
			below := d.late + (x*float64(fromN) - fromSum) - (x*float64(toN) - toSum)
			if below >= wanted {
				if below > below0 {
					x = x0 + (x-x0)*(wanted-below0)/(below-below0)
				}
				return min(x, float64(d.max))
			}
			x0, below0 = x, below
		}
	}
	return float64(d.max)
}
