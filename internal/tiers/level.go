package tiers

// A level follows the length of the gaps. It predicts the next one as
//
//	slow + k (fast − slow)
//
// of a slow mean and of fast, the mean of two quicker ones, all with
// exponential weights. k, from 0 to 1, is the slope of the regression of the
// gaps on fast, both as differences from slow: 0 where a gap says nothing of the
// next, so that its noise does not enter, and near 1 where the gaps drift.
type level struct {
	fast [2]float64
	slow float64
	sxx  float64 // E (fast − slow)²/slow²
	sxy  float64 // E (fast − slow)(gap − slow)/slow²
	k    float64
	unit float64 // the prediction
	seen int     // gaps, no more than settled
}

const (
	// quick, medium and slowly are the gains of the means, and learning that of the
	// moments behind k: some 3, 30, 300 and 100 gaps are remembered.
	quick, medium, slowly, learning = 0.3, 0.03, 0.003, 0.01
	// settled gaps end the time in which a mean is a plain one.
	settled = 333
	// young gaps are too few for k, which is 1 until then.
	young = 50
	// outlier times the level is the most that one gap may add to it.
	outlier = 10
	// negligible moments are those of the rounding.
	negligible = 1e-30
)

// add follows a gap above 0.
func (l *level) add(gap float64) {
	if l.seen == 0 {
		*l = level{fast: [2]float64{gap, gap}, slow: gap, k: 1, unit: gap, seen: 1}
		return
	}
	if l.seen >= Ready { // before that the prediction may be far off
		gap = min(gap, outlier*l.unit)
	}
	fast := (l.fast[0] + l.fast[1]) / 2
	dx, dy := (fast-l.slow)/l.slow, (gap-l.slow)/l.slow
	l.sxx += learning * (dx*dx - l.sxx)
	l.sxy += learning * (dx*dy - l.sxy)
	if l.seen < settled {
		l.seen++
	}
	if l.sxx < negligible {
		l.sxx, l.sxy = 0, 0 // or they would become subnormal, and slow
	}
	if l.seen > young && l.sxx > 0 {
		l.k = l.sxy / l.sxx
		if !(l.k > 0) {
			l.k = 0
		} else if l.k > 1 {
			l.k = 1
		}
	}
	plain := 1 / float64(l.seen)
	l.fast[0] += max(quick, plain) * (gap - l.fast[0])
	l.fast[1] += max(medium, plain) * (gap - l.fast[1])
	l.slow += max(slowly, plain) * (gap - l.slow)
	l.predict()
}

// predict computes the prediction.
func (l *level) predict() {
	fast := (l.fast[0] + l.fast[1]) / 2
	// It lies between the two, unless they are so far apart that rounding leaves nothing.
	l.unit = max(l.slow+l.k*(fast-l.slow), min(l.slow, fast)/2)
}
