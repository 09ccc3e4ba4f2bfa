package gray

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A CapRule is how a cap in percent is compared with the servers ejected.
type CapRule uint8

const (
	// CapAfter allows an ejection if the cap holds with it: Envoy since 1.28.
	CapAfter CapRule = iota
	// CapAtLeastOne allows one in any case: Envoy before, or with
	// always_eject_one_host.
	CapAtLeastOne
	// CapBefore allows one if the cap is not reached without it: gRPC. It goes
	// above the cap by up to one server.
	CapBefore
)

// allows reports whether one more of n may be ejected beside so many.
func (c CapRule) allows(ejected, n, percent int) bool {
	switch {
	case c == CapAtLeastOne && ejected == 0:
		return true
	case c == CapBefore:
		return 100*int64(ejected) < int64(percent)*int64(n)
	}
	return ejected+1 <= MaxEjected(n, percent)
}

// Envoy is the outlier detection of Envoy, and of gRPC, which took it over: for
// those who know what they get. The success-rate test finds a server whose rate
// is below mean − StdevFactor · σ of all. With one bad server among N its
// distance from the mean is at most √(N−1) σ, and with k of them √((N−k)/k): so
// with the factor 1.9 a dead server among four is never found, nor are three
// among ten; and 99.9 % among peers at 100 % is found, however little that is.
// It has no latency test.
//
// What it does not copy is the faults: servers ejected are counted from the set,
// one that two rules find is ejected once, and one that has left counts no more.
//
// Zero fields mean the defaults of Envoy.
type Envoy struct {
	// StdevFactor is how many standard deviations below the mean are an
	// outlier. Zero means 1.9, negative turns the test off.
	StdevFactor float64

	// SuccessHosts is how many servers must have SuccessVolume requests in
	// the interval. Zero means 5 and 100.
	SuccessHosts, SuccessVolume int

	// FailurePercent is the percentage of failures that is an outlier, from 1
	// to 100. Zero turns the test off, as in Envoy, where it is not enforced.
	FailurePercent int

	// FailureHosts is how many servers must have FailureVolume requests in
	// the interval. Zero means 5 and 50.
	FailureHosts, FailureVolume int

	// FailureAbove takes only what is above FailurePercent, as gRPC does; Envoy
	// takes what is equal, too.
	FailureAbove bool

	// Failures is how many failures in a row are an outlier, at any time and
	// at once. Zero means 5, negative turns the test off.
	Failures int

	// GatewayFailures is the same for [Unreachable] and [Timeout] alone. Zero
	// turns the test off, as in Envoy, where it is not enforced.
	GatewayFailures int

	// MaxPercent is the cap. Zero means 10, negative means 0.
	MaxPercent int

	// Cap is how the cap is meant.
	Cap CapRule
}

func (e *Envoy) setDefaults() {
	orElseFloat(&e.StdevFactor, 1.9)
	orElse(&e.SuccessHosts, 5)
	orElse(&e.SuccessVolume, 100)
	orElse(&e.FailureHosts, 5)
	orElse(&e.FailureVolume, 50)
	orElse(&e.Failures, 5)
	if e.MaxPercent == 0 {
		e.MaxPercent = 10
	} else if e.MaxPercent < 0 {
		e.MaxPercent = 0
	}
}

func (e *Envoy) check() error {
	if e == nil {
		return nil
	}
	return cmp.Or(
		check(e.StdevFactor >= -math.MaxFloat64 && e.StdevFactor <= 1e6, "Envoy.StdevFactor", e.StdevFactor, "a number up to 1e6, or a negative one for none"),
		checkCount("Envoy.SuccessHosts", e.SuccessHosts, 1),
		checkCount("Envoy.SuccessVolume", e.SuccessVolume, 1),
		checkPercent("Envoy.FailurePercent", e.FailurePercent, 0),
		checkCount("Envoy.FailureHosts", e.FailureHosts, 1),
		checkCount("Envoy.FailureVolume", e.FailureVolume, 1),
		check(e.Failures <= maxCount, "Envoy.Failures", e.Failures, "at most %d, or a negative number for none", maxCount),
		check(e.GatewayFailures <= maxCount, "Envoy.GatewayFailures", e.GatewayFailures, "at most %d", maxCount),
		checkPercent("Envoy.MaxPercent", e.MaxPercent, 0),
		check(e.Cap <= CapBefore, "Envoy.Cap", uint8(e.Cap), "CapAfter, CapAtLeastOne or CapBefore"),
	)
}

// successRate returns the tests of all servers.
func (e *Envoy) successRate(figures []Figures) []Test {
	tests := make([]Test, len(figures))
	sum, squares, n := 0.0, 0.0, 0
	for i, f := range figures {
		t := &tests[i]
		*t = Test{Rule: SuccessRate, Samples: f.Requests, Needed: e.SuccessVolume, Reason: FewRequests}
		if f.Requests >= e.SuccessVolume {
			t.Value, t.Reason = 1-f.failureShare(), None
			sum += t.Value
			n++
		}
	}
	mean := sum / float64(max(n, 1))
	for _, t := range tests {
		if t.Reason == None {
			squares += (t.Value - mean) * (t.Value - mean)
		}
	}
	threshold := mean - e.StdevFactor*math.Sqrt(squares/float64(max(n, 1)))
	for i := range tests {
		t := &tests[i]
		switch t.Peers = n - 1; {
		case t.Reason != None:
			t.Peers = n
		case n < e.SuccessHosts:
			t.Reason = FewPeers
		default:
			t.Median, t.Threshold = mean, threshold
			t.Outlier = t.Value < threshold
		}
		t.decideAtOnce()
	}
	return tests
}

// failurePercentage returns the tests of all servers.
func (e *Envoy) failurePercentage(figures []Figures) []Test {
	tests := make([]Test, len(figures))
	n := 0
	for _, f := range figures {
		n += oneIf(f.Requests >= e.FailureVolume)
	}
	for i, f := range figures {
		t := &tests[i]
		*t = Test{Rule: FailurePart, Samples: f.Requests, Needed: e.FailureVolume, Peers: n, Threshold: float64(e.FailurePercent) / 100}
		switch {
		case f.Requests < e.FailureVolume:
			t.Reason = FewRequests
		case n < e.FailureHosts:
			t.Peers--
			t.Reason = FewPeers
		default:
			t.Peers--
			t.Value = f.failureShare()
			parts, whole := int64(f.Failures)*100, int64(f.Requests)*int64(e.FailurePercent)
			t.Outlier = parts > whole || parts == whole && !e.FailureAbove
		}
		t.decideAtOnce()
	}
	return tests
}

// inARow returns the tests of a server for failures in a row.
func (e *Envoy) inARow(r runs) []Test {
	var tests []Test
	add := func(rule Rule, value, limit int, tripped bool) {
		if limit > 0 {
			t := runTest(rule, value, limit, tripped)
			t.decideAtOnce()
			tests = append(tests, t)
		}
	}
	add(GatewayFails, r.gateway, e.GatewayFailures, r.trippedGateway)
	add(AllFailures, r.all, e.Failures, r.tripped)
	return tests
}

// judgeEnvoy applies Envoy's rules and cap.
func (m *Monitor) judgeEnvoy(r *round, eligible []*view, now time.Time) {
	e := m.cfg.Envoy
	figures := make([]Figures, len(eligible))
	for i, v := range eligible {
		figures[i] = v.j.Figures
		v.j.Tests = e.inARow(v.s.runs())
	}
	if r.Closed {
		add := func(tests []Test) {
			for i, t := range tests {
				eligible[i].j.Tests = append(eligible[i].j.Tests, t)
			}
		}
		if e.StdevFactor >= 0 {
			add(e.successRate(figures))
		}
		if e.FailurePercent > 0 {
			add(e.failurePercentage(figures))
		}
	}
	ejected := 0
	for _, v := range r.views {
		ejected += oneIf(v.life.state == Ejected)
	}
	var found []*view
	for _, v := range eligible {
		reason := v.j.Reason
		if v.decide() {
			found = append(found, v)
			continue
		}
		if !r.Closed {
			v.j.Verdict, v.j.Reason = NotEvaluated, reason
		} else {
			v.recover()
		}
	}
	slices.SortFunc(found, worstFirst)
	r.Guard = Ruling{Members: len(r.views), Unhealthy: ejected + len(found), Limit: MaxEjected(len(r.views), e.MaxPercent)}
	for _, v := range found {
		switch {
		case !e.Cap.allows(ejected, len(r.views), e.MaxPercent):
			v.j.Reason = CapReached
		case m.cfg.Shadow:
			v.j.Reason = Shadowed
		default:
			ejected++
			v.j.Verdict, v.j.Reason = Eject, None
			v.eject(&m.cfg, now)
		}
	}
}
