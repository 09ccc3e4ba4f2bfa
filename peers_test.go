package liveness_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/compat"
)

// What the test suites of other systems expect, as far as it is about one
// monitored process, with their tolerances. Systems that approximate the normal
// law by a logistic one are met in full by package compat and the law Logistic,
// and by a Gaussian with the same settings as far as the exact law can: where it
// misses a value of theirs, its own is asserted beside that.
//
// Not here: Satzger's histogram (andy2046, see TestSatzgerShare), and what is not
// about the detectors of this package: exponentially weighted moments (thatsme),
// registries, grace periods and listeners (chitchat, Scylla), and detectors that
// take a registration for a heartbeat (ZooKeeper-702).

// peerStart is when scripts start. It has no monotonic reading.
var peerStart = time.Date(2015, time.January, 1, 0, 0, 0, 0, time.UTC)

// peerLog10E scales a level of those systems whose φ is t/mean to ours.
const peerLog10E = 0.43429448190325182765

// peerNoPrior is a PriorWeight at which one gap outweighs the prior beyond rounding.
const peerNoPrior = 1e-100

// peerNoOutage is a Threshold at which every gap is learnt in full.
const peerNoOutage = 1e12

// peerClose asserts that got and want differ by the given relative error at most.
func peerClose(t *testing.T, want, got, bound float64, msg ...any) {
	t.Helper()
	if e := relErr(got, want); !(e <= bound) {
		assert.Fail(t, fmt.Sprintf("got %.17g, want %.17g: relative error %.2g > %g", got, want, e, bound), msg...)
	}
}

// A peerAction is what a script does at an instant. It returns what is wrong, or "".
type peerAction func(d liveness.Detector, now time.Time) string

// A peerStep is one line of a script.
type peerStep struct {
	at time.Duration // since the start
	do peerAction
}

// peerRun plays a script.
func peerRun(t *testing.T, d liveness.Detector, start time.Time, script ...[]peerStep) {
	t.Helper()
	for i, s := range slices.Concat(script...) {
		if problem := s.do(d, start.Add(s.at)); problem != "" {
			t.Errorf("step %d at %v: %s", i, s.at, problem)
		}
	}
}

// peerLevel asks for the suspicion in every way there is.
func peerLevel(d liveness.Detector, now time.Time) (level float64, problem string) {
	level = d.Suspicion(now)
	switch suspected := liveness.Suspected(d, now); {
	case !(level >= 0 && level <= math.MaxFloat64) || math.Signbit(level):
		problem = fmt.Sprintf("level is %v, want it finite and not below 0", level)
	case suspected && level < d.Threshold():
		problem = fmt.Sprintf("suspected at level %v, below %v", level, d.Threshold())
	case !suspected && level >= d.Threshold():
		problem = fmt.Sprintf("not suspected at level %v, above %v", level, d.Threshold())
	}
	return level, problem
}

// peerLevelIs is the action that asks for a level and judges it.
func peerLevelIs(want string, ok func(level float64) bool) peerAction {
	return func(d liveness.Detector, now time.Time) string {
		level, problem := peerLevel(d, now)
		if problem == "" && !ok(level) {
			problem = fmt.Sprintf("level is %.17g, want %s", level, want)
		}
		return problem
	}
}

func peerNear(want, tolerance float64) peerAction {
	return peerLevelIs(fmt.Sprintf("%v ± %v", want, tolerance), func(l float64) bool {
		return math.Abs(l-want) <= tolerance
	})
}

func peerExactly(want float64) peerAction {
	return peerLevelIs(fmt.Sprintf("%.17g", want), func(l float64) bool { return relErr(l, want) <= 1e-13 })
}

func peerBetween(low, high float64) peerAction {
	return peerLevelIs(fmt.Sprintf("between %v and %v", low, high), func(l float64) bool { return low < l && l < high })
}

func peerAbove(low float64) peerAction { return peerBetween(low, math.Inf(1)) }

func peerBeat(d liveness.Detector, now time.Time) string {
	d.Heartbeat(now)
	return ""
}

func peerAvailable(d liveness.Detector, now time.Time) string {
	level, problem := peerLevel(d, now)
	if problem == "" && liveness.Suspected(d, now) {
		problem = fmt.Sprintf("suspected at level %v, want available", level)
	}
	return problem
}

func peerSuspected(d liveness.Detector, now time.Time) string {
	level, problem := peerLevel(d, now)
	if problem == "" && !liveness.Suspected(d, now) {
		problem = fmt.Sprintf("available at level %v, want suspected", level)
	}
	return problem
}

// peerUnknown is "not monitoring": no level, no verdict, nothing to wait for.
func peerUnknown(d liveness.Detector, now time.Time) string {
	if at := d.Deadline(d.Threshold()); !at.IsZero() {
		return fmt.Sprintf("deadline is %v before the first heartbeat", at)
	}
	if d.Suspicion(now) != 0 || liveness.Suspected(d, now) {
		return "suspected before the first heartbeat"
	}
	return ""
}

// peerMonitoring is "monitoring": a heartbeat has been heard.
func peerMonitoring(d liveness.Detector, _ time.Time) string {
	if d.Deadline(d.Threshold()).IsZero() {
		return "no deadline after a heartbeat"
	}
	return ""
}

// peerBeats are n heartbeats, the first at from.
func peerBeats(n int, from, every time.Duration) []peerStep {
	steps := make([]peerStep, n)
	for i := range steps {
		steps[i] = peerStep{from + time.Duration(i)*every, peerBeat}
	}
	return steps
}

// Akka's AccrualFailureDetectorSpec; the same numbers are in Pekko, Akka.NET,
// GreptimeDB and hcoona's port. phi(x, mean, σ) is Logistic{mean, σ}.Phi(x).

func TestPeerAkkaDistribution(t *testing.T) {
	// "use good enough cumulative distribution function"
	for _, c := range []struct{ x, mean, sd, want, tolerance, exact float64 }{
		{0, 0, 10, 0.5, 0.001, 0.5},
		{6, 0, 10, 0.7257, 0.001, 0.72574688224992641971},
		{15, 0, 10, 0.9332, 0.001, 0.933192798731141934},
		{20, 0, 10, 0.97725, 0.001, 0.9772498680518207928},
		{25, 0, 10, 0.99379, 0.001, 0.99379033467422386483},
		{35, 0, 10, 0.99977, 0.001, 0.99976737092096447496},
		{40, 0, 10, 0.99997, 0.0001, 0.99996832875816688008},
		{22, 20, 3, 0.7475, 0.001, 0.74750746245307708694},
	} {
		for _, law := range []liveness.Distribution{liveness.Logistic{Mean: c.mean, StdDev: c.sd}, liveness.Gaussian{Mean: c.mean, StdDev: c.sd}} {
			assert.InDelta(t, c.want, 1-math.Pow(10, -law.Phi(c.x)), c.tolerance, "cdf(%v) of %#v", c.x, law)
		}
		cdf := 1 - math.Pow(10, -liveness.Gaussian{Mean: c.mean, StdDev: c.sd}.Phi(c.x))
		peerClose(t, c.exact, cdf, 1e-13, "cdf(%v, %v, %v)", c.x, c.mean, c.sd)
	}
	for x := range 40 {
		for _, law := range []liveness.Distribution{liveness.Logistic{StdDev: 10}, liveness.Gaussian{StdDev: 10}} {
			assert.Less(t, law.Phi(float64(x)), law.Phi(float64(x+1)), "at %d of %#v", x, law)
		}
	}

	// "return realistic phi values". Akka's approximation grows with the cube of
	// z where the normal law's φ grows with the square, and its tests pin that
	// down: from z = 4 on the exact law must miss them.
	for _, c := range []struct {
		x, mean, sd, want, tolerance, exact float64
		missed                              bool // by the exact law
	}{
		{0, 1000, 100, 0, 0.1, 3.309260121306722299e-24, false},
		{500, 1000, 100, 0.1, 0.1, 1.244912137388291749e-7, false}, // at the very edge of their tolerance
		{1000, 1000, 100, 0.3, 0.1, 0.30102999566398119521, false},
		{1200, 1000, 100, 1.6, 0.1, 1.643016080140937048, false},
		{1400, 1000, 100, 4.7, 0.1, 4.4993349075564788648, true},
		{1600, 1000, 100, 10.8, 0.1, 9.0058643274767042092, true},
		{1700, 1000, 100, 15.3, 0.1, 11.892853637475489837, true},
		{10, 0, 1, 38, 1, 23.118053405486075894, true},
		{-25, 0, 1, 0, 0, 1.3275065124337905673e-138, true}, // their 1 − CDF rounds to 1, a log-survival does not
	} {
		logistic := liveness.Logistic{Mean: c.mean, StdDev: c.sd}.Phi(c.x)
		assert.InDelta(t, c.want, logistic, c.tolerance, "phi(%v, %v, %v)", c.x, c.mean, c.sd)
		gaussian := liveness.Gaussian{Mean: c.mean, StdDev: c.sd}.Phi(c.x)
		peerClose(t, c.exact, gaussian, 1e-13, "phi(%v, %v, %v)", c.x, c.mean, c.sd)
		assert.Equal(t, c.missed, math.Abs(gaussian-c.want) > c.tolerance, "phi(%v, %v, %v)", c.x, c.mean, c.sd)
	}
	assert.Less(t, liveness.Logistic{Mean: 1000, StdDev: 500}.Phi(1100), liveness.Logistic{Mean: 1000, StdDev: 100}.Phi(1100),
		"a larger standard deviation is a lower phi")
	assert.Less(t, liveness.Gaussian{Mean: 1000, StdDev: 500}.Phi(1100), liveness.Gaussian{Mean: 1000, StdDev: 100}.Phi(1100),
		"a larger standard deviation is a lower phi")
}

// peerLaws are the laws with which Akka's sequences are played: Akka's own, and the exact one.
var peerLaws = []liveness.Distribution{liveness.Logistic{}, liveness.Gaussian{}}

// peerAkka is a detector with Akka's settings, whose zero value is what
// createFailureDetector of its spec defaults to, and one of peerLaws.
func peerAkka(t *testing.T, law liveness.Distribution, settings compat.Akka) *liveness.Phi {
	t.Helper()
	cfg := settings.PhiConfig()
	cfg.Distribution = law
	return newPhi(t, cfg)
}

// peerOf chooses what is exact for one of peerLaws.
func peerOf(law liveness.Distribution, logistic, gaussian float64) peerAction {
	if law == (liveness.Logistic{}) {
		return peerExactly(logistic)
	}
	return peerExactly(gaussian)
}

// The sequences that AccrualFailureDetectorSpec and DeadlineFailureDetectorSpec have in common.
var (
	peerAkkaMonitored = []peerStep{ // "mark node as monitored after a series of successful heartbeats"
		{0, peerUnknown},
		{0, peerBeat},
		{1000 * time.Millisecond, peerBeat},
		{1100 * time.Millisecond, peerBeat},
		{1200 * time.Millisecond, peerMonitoring},
		{1200 * time.Millisecond, peerAvailable},
	}
	peerAkkaDead = []peerStep{ // "mark node as dead if heartbeat are missed"
		{0, peerBeat},
		{1000 * time.Millisecond, peerBeat},
		{1100 * time.Millisecond, peerBeat},
		{1200 * time.Millisecond, peerAvailable},
		{8200 * time.Millisecond, peerSuspected},
	}
	// "mark node as available if it starts heartbeat again after being marked dead due to detection of failure"
	peerAkkaAgain = slices.Concat(peerBeats(1000, 0, time.Second), []peerStep{
		{1299000 * time.Millisecond, peerSuspected}, // after a pause of 5 minutes
		{1299100 * time.Millisecond, peerBeat},
		{1300000 * time.Millisecond, peerAvailable},
		{1300100 * time.Millisecond, peerBeat},
		{1307100 * time.Millisecond, peerSuspected}, // after a pause of 7 seconds: the long one has not blinded it
		{1307200 * time.Millisecond, peerBeat},
		{1308100 * time.Millisecond, peerAvailable},
		{1308200 * time.Millisecond, peerBeat},
		{1309100 * time.Millisecond, peerAvailable},
	})
	// "accept some configured missing heartbeats"
	peerAkkaMissing = slices.Concat(peerBeats(4, 0, time.Second), []peerStep{
		{7 * time.Second, peerAvailable},
		{8 * time.Second, peerBeat},
		{9 * time.Second, peerAvailable},
	})
	// "fail after configured acceptable missing heartbeats"
	peerAkkaMissed = slices.Concat(peerBeats(6, 0, time.Second), []peerStep{
		{5500 * time.Millisecond, peerAvailable},
		{6 * time.Second, peerBeat},
		{11 * time.Second, peerSuspected},
	})
)

// AccrualFailureDetectorSpec's sequences, at its minimum of 100 ms for the
// standard deviation and at the 10 ms of FailureDetectorRegistrySpec and joa's port.
func TestPeerAkkaSequences(t *testing.T) {
	const ms = time.Millisecond
	for _, law := range peerLaws {
		cases := []struct {
			name      string
			threshold float64
			pause     time.Duration
			script    []peerStep
		}{
			{"return phi value of 0.0 on startup for each address, when no heartbeats", 8, 0, []peerStep{
				{0, peerUnknown},
				{0, peerUnknown},
			}},
			{"return phi based on guess when only one heartbeat", 8, 0, []peerStep{
				{0, peerBeat},
				{1000 * ms, peerNear(0.3, 0.2)},
				{1000 * ms, peerOf(law, 0.30102999566398119521, 0.30102999566398119521)},
				{2000 * ms, peerNear(4.5, 0.3)},
				{2000 * ms, peerOf(law, 4.7366945827051809049, 4.4993349075564788648)},
				{3000 * ms, peerAbove(15)},
				{3000 * ms, peerOf(law, 21.241600212221333615, 15.206142551017154558)},
			}},
			{"return phi value using first interval after second heartbeat", 8, 0, []peerStep{
				{0, peerBeat},
				{100 * ms, peerAbove(0)},
				{200 * ms, peerBeat},
				{300 * ms, peerAbove(0)},
			}},
			{"monitored", 8, 0, peerAkkaMonitored},
			{"dead", 3, 0, peerAkkaDead},
			{"available again", 8, 3 * time.Second, peerAkkaAgain},
			{"missing", 8, 3 * time.Second, peerAkkaMissing},
			{"missed", 8, 3 * time.Second, peerAkkaMissed},
		}
		for _, c := range cases {
			for _, floor := range []time.Duration{100 * ms, 10 * ms} {
				t.Run(fmt.Sprintf("%s, %v, %T", c.name, floor, law), func(t *testing.T) {
					d := peerAkka(t, law, compat.Akka{Threshold: c.threshold, AcceptableHeartbeatPause: c.pause, MinStdDeviation: floor})
					peerRun(t, d, peerStart, c.script)
				})
			}
		}

		// "use maxSampleSize heartbeats": at intervals of 500 ms phi becomes what it
		// was at intervals of 100 ms, once those have left the window of 3. Each
		// time it is asked for one interval after the last heartbeat. Akka.NET
		// runs this with a pause of 3 s.
		for _, c := range []struct {
			pause time.Duration
			want  peerAction // both times, so they are equal to theirs ± 0.001
		}{
			{0, peerExactly(0.30102999566398119521)},
			{3 * time.Second, peerNear(0, 0.0005)},
		} {
			d := peerAkka(t, law, compat.Akka{MaxSampleSize: 3, AcceptableHeartbeatPause: c.pause})
			peerRun(t, d, peerStart,
				peerBeats(4, 0, 100*ms), []peerStep{{400 * ms, c.want}},
				peerBeats(4, 1000*ms, 500*ms), []peerStep{{3000 * ms, c.want}})
		}
	}
	// With a floor of 10 ms ours takes one heartbeat more. A gap of 700 ms after
	// three of 100 ms is then an outage, learnt only up to the deadline of 156 ms,
	// and the 500 ms after it another, learnt up to 267 ms, which is still there
	// after three. (Akka would not learn them at all, and never recover.)
	d := peerAkka(t, liveness.Gaussian{}, compat.Akka{MaxSampleSize: 3, MinStdDeviation: 10 * ms})
	phi1 := peerExactly(0.30102999566398119521)
	peerRun(t, d, peerStart,
		peerBeats(4, 0, 100*ms), []peerStep{{400 * ms, phi1}},
		peerBeats(4, 1000*ms, 500*ms), []peerStep{{3000 * ms, peerAbove(0.303)}},
		peerBeats(1, 3000*ms, 0), []peerStep{{3500 * ms, phi1}})
}

// DeadlineFailureDetectorSpec: an interval of 1 s and an acceptable pause of 4 s.
func TestPeerAkkaDeadline(t *testing.T) {
	for _, script := range [][]peerStep{peerAkkaMonitored, peerAkkaDead, peerAkkaAgain, peerAkkaMissing, peerAkkaMissed} {
		peerRun(t, newFixed(t, time.Second+4*time.Second), peerStart, script)
	}
}

// FailureDetectorRegistrySpec, as far as it is about one resource: a removed
// one is a new detector.
func TestPeerAkkaRegistry(t *testing.T) {
	const ms = time.Millisecond
	for _, law := range peerLaws {
		fresh := func(threshold float64) *liveness.Phi {
			return peerAkka(t, law, compat.Akka{Threshold: threshold, MinStdDeviation: 10 * ms})
		}

		// "mark node as available after a series of successful heartbeats"
		peerRun(t, fresh(8), peerStart, peerAkkaMonitored)

		// "mark node as dead if heartbeats are missed": a heartbeat of another resource is none of this one's.
		first, second := fresh(3), fresh(3)
		peerRun(t, first, peerStart, peerAkkaDead[:4])
		peerRun(t, second, peerStart, peerBeats(1, 5200*ms, 0))
		peerRun(t, first, peerStart, peerAkkaDead[4:])
		peerRun(t, second, peerStart, []peerStep{{5200 * ms, peerAvailable}})

		// "mark node as available after explicit removal of connection and receiving heartbeat again"
		peerRun(t, fresh(8), peerStart,
			[]peerStep{{0, peerBeat}, {1000 * ms, peerBeat}, {1100 * ms, peerBeat}, {2200 * ms, peerAvailable}, {2200 * ms, peerMonitoring}})
		peerRun(t, fresh(8), peerStart,
			[]peerStep{{3300 * ms, peerAvailable}, {3300 * ms, peerUnknown}},
			peerBeats(3, 4400*ms, 1100*ms),
			[]peerStep{{6700 * ms, peerAvailable}, {6700 * ms, peerMonitoring}})
	}
}

// Akka.NET's roll-over test: heartbeats at −300, −200, −100, 0,
// 100, 200 and 300 around the largest time, and available after each. Our
// instants do not wrap: they end 292 years from the start of the program, and
// all later ones count as that end. The script is played at both ends, in
// units of an hour, which is more than a test takes.
func TestPeerAkkaNETRollOver(t *testing.T) {
	const far = time.Duration(math.MaxInt64)
	start := time.Now()
	for _, end := range []time.Time{start.Add(far), start.Add(-far)} {
		for _, d := range []liveness.Detector{
			newPhi(t, liveness.PhiConfig{ExpectedInterval: time.Hour}),
			peerAkka(t, liveness.Logistic{}, compat.Akka{FirstHeartbeatEstimate: time.Hour}),
			newFixed(t, 2*time.Hour),
		} {
			for i := -3; i <= 3; i++ {
				peerRun(t, d, end, []peerStep{
					{time.Duration(i) * time.Hour, peerBeat},
					{time.Duration(i) * time.Hour, peerAvailable},
					{time.Duration(i) * time.Hour, peerExactly(0)},
				})
			}
			if end.Before(start) {
				peerRun(t, d, start, []peerStep{{0, peerSuspected}, {far, peerSuspected}})
			}
		}
	}
}

// The means and variances that other suites expect of their windows, in their
// units, all of the population; and what stays in the window.
func TestPeerWindow(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	counted := make([]int, 1001)
	for i := range counted {
		counted[i] = i
	}
	for _, c := range []struct {
		suite          string
		capacity       int
		unit           time.Duration
		samples, kept  []int // kept nil: all
		mean, variance float64
	}{
		// Akka, AccrualFailureDetectorSpec, "Statistics for heartbeats", each ± 1e-5
		{"Akka", 20, ms, []int{100, 200, 125, 340, 130}, nil, 179, 7584},
		{"Akka", 600, ms, []int{1000}, nil, 1000, 0},
		{"Akka", 3, ms, []int{100, 110, 90}, nil, 100, 66 + 2.0/3},
		{"Akka", 3, ms, []int{100, 110, 90, 140}, []int{110, 90, 140}, 113 + 1.0/3, 422 + 2.0/9},
		{"Akka", 3, ms, []int{100, 110, 90, 140, 80}, []int{90, 140, 80}, 103 + 1.0/3, 688 + 8.0/9},
		// Cassandra, ArrayBackedBoundedStatsTest
		{"Cassandra", 4, s, nil, nil, 0, 0},
		{"Cassandra", 4, s, []int{1, 2, 3, 4, 5}, []int{2, 3, 4, 5}, 3.5, 1.25},
		{"Cassandra", 5, s, counted, []int{996, 997, 998, 999, 1000}, 998, 2},
		// hcoona, LongIntervalHistory
		{"hcoona", 5, s, []int{1, 2, 3, 4, 5, 6, 7}, []int{3, 4, 5, 6, 7}, 5, 2},
		// chitchat, test_bounded_array_stats, now and before
		{"chitchat", 5, s, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{5, 6, 7, 8, 9}, 7, 2},
		{"chitchat", 10, s, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, nil, 5, 20.0 / 3},
		{"chitchat", 10, s, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, []int{4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 8.5, 8.25},
		// dunstall, window
		{"dunstall", 4, ms, []int{1, 2, 3, 4}, nil, 2.5, 1.25}, // deviation 1.118034
		{"dunstall", 2, ms, []int{1, 2, 11, 12}, []int{11, 12}, 11.5, 0.25},
		// ipfs-cluster, Test_meanVariance
		{"ipfs-cluster", 8, s, nil, nil, 0, 0},
		{"ipfs-cluster", 8, s, []int{2, 4, 4, 4, 5, 5, 7, 9}, nil, 5, 4},
		{"ipfs-cluster", 8, s, []int{-2, -4, -4, -4, -5, -5, -7, -9}, nil, -5, 4},
		// uds5501, window of 10
		{"uds5501", 10, ms, []int{1630, 4421, 1514, 216, 231, 931, 4182, 102, 104, 241, 5132},
			[]int{4421, 1514, 216, 231, 931, 4182, 102, 104, 241, 5132}, 1707.4, 3755791.64},
		// samueleresca: deviation 0.8164965809277263
		{"samueleresca", 3, s, []int{1, 2, 3}, nil, 2, 2.0 / 3},
	} {
		t.Run(fmt.Sprintf("%s %d of %d", c.suite, c.capacity, len(c.samples)), func(t *testing.T) {
			w := newWindow(t, c.capacity)
			for i, n := range c.samples {
				w.Add(time.Duration(n) * c.unit)

				// chitchat compares the running sum with a deque's.
				sum := 0
				present := c.samples[max(0, i+1-c.capacity) : i+1]
				for _, n := range present {
					sum += n
				}
				peerClose(t, float64(sum)/float64(len(present))*c.unit.Seconds(), w.Mean(), 1e-15, "after %d", i+1)
			}
			unit := c.unit.Seconds()
			peerClose(t, c.mean*unit, w.Mean(), 1e-15)
			peerClose(t, c.variance*unit*unit, w.Variance(), 1e-15)
			peerClose(t, math.Sqrt(c.variance)*unit, w.StdDev(), 1e-15)

			kept := c.kept
			if kept == nil {
				kept = c.samples
			}
			want := make([]time.Duration, 0, len(kept))
			for _, n := range kept {
				want = append(want, time.Duration(n)*c.unit)
			}
			assert.Equal(t, want, append([]time.Duration{}, slices.Collect(w.All())...))
			assert.Equal(t, len(kept), w.Len())
			assert.Equal(t, c.capacity, w.Cap())
		})
	}
}

// Cassandra, ArrivalWindowTest, and hcoona's port of it. What they call phi is
// t/mean, 1.0 and 22.03, each ± 0.01; Cassandra compares 1/ln 10 of it with its
// threshold, which is our level. Hellblazer's ports, with the factor, expect
// 0.4342 and 9.566 of the same script. Cassandra starts with a gap of 2 s, which
// has left its window of 4; our prior has faded to nothing in ours.
func TestPeerCassandra(t *testing.T) {
	const ms = time.Millisecond
	fresh := func(settings compat.Cassandra) liveness.Detector {
		d, err := settings.New()
		require.NoError(t, err)
		return d
	}
	unscaled := func(want, tolerance float64) peerAction { return peerNear(want*peerLog10E, tolerance*peerLog10E) }
	peerRun(t, fresh(compat.Cassandra{SampleSize: 4}), peerStart, peerBeats(5, 111*ms, 111*ms), []peerStep{
		{666 * ms, unscaled(1.0, 0.01)},
		{666 * ms, unscaled(1.0, 1e-13)}, // hcoona: exactly
		{666 * ms, peerNear(0.4342, 0.01)},
		{3000 * ms, unscaled(22.03, 0.01)},
		{3000 * ms, peerExactly(2445.0 / 111 * peerLog10E)},
		{3000 * ms, peerNear(9.566, 0.01)},
	})

	// FailureDetectorTest.testConvictAfterLeft: a threshold of 0 convicts on
	// any data. Ours has to be above 0, and convicts from the first nanosecond
	// on; at the heartbeat itself the level is 0, which convicts nobody.
	peerRun(t, fresh(compat.Cassandra{PhiConvictThreshold: math.SmallestNonzeroFloat64}), peerStart, []peerStep{
		{0, peerUnknown},
		{0, peerBeat},
		{0, peerAvailable},
		{1, peerSuspected},
		{111 * ms, peerBeat},
		{111 * ms, peerAvailable},
		{111*ms + 1, peerSuspected},
	})
}

// Hazelcast, PhiAccrualFailureDetectorTest.
func TestPeerHazelcast(t *testing.T) {
	const ms = time.Millisecond
	for _, law := range peerLaws {
		cfg := compat.Hazelcast{Threshold: 1, SampleSize: 100,
			MinStdDev: 100 * ms, MaxNoHeartbeat: 1000 * ms, HeartbeatInterval: 100 * ms}.PhiConfig()
		cfg.Distribution = law
		d := newPhi(t, cfg)
		assert.True(t, d.Deadline(0).IsZero(), "lastHeartbeat_whenNoHeartbeat")
		peerRun(t, d, peerStart, []peerStep{
			{0, peerUnknown},              // member_isAssumedAlive_beforeFirstHeartbeat, nonSuspected_beforeFirstHeartbeat
			{0, peerBeat},                 //
			{0, peerAvailable},            // member_isAlive_whenHeartbeat
			{0, peerNear(0, 0)},           // suspicionLevel_whenHeartbeat
			{500 * ms, peerAvailable},     // member_isAlive_beforeHeartbeatTimeout
			{500 * ms, peerBetween(0, 1)}, // suspicionLevel_beforeHeartbeatTimeout
			{500 * ms, peerOf(law, 7.1644598466566766535e-12, 4.2846957036515782520e-10)},
			{2000 * ms, peerSuspected},                                             // member_isNotAlive_afterHeartbeatTimeout
			{2000 * ms, peerBetween(1, 1e9)},                                       // suspicionLevel_afterHeartbeatTimeout
			{2000 * ms, peerOf(law, 28.585703173476685193, 18.947464415572386704)}, // z = 9
		})
		assert.Equal(t, peerStart, d.Deadline(0), "lastHeartbeat")
	}

	for _, c := range []struct {
		field    string
		settings compat.Hazelcast
	}{
		{"Threshold", compat.Hazelcast{Threshold: -1}},                   // construct_withNegativeThreshold
		{"MinStdDev", compat.Hazelcast{MinStdDev: -ms}},                  // construct_withNegativeMinStdDev
		{"HeartbeatInterval", compat.Hazelcast{HeartbeatInterval: -ms}},  // construct_withNegativeFirstHeartbeatEstimation
		{"MaxNoHeartbeat", compat.Hazelcast{MaxNoHeartbeat: -ms}},        // construct_withNegativeAcceptableHeartbeatPause
		{"MinStdDev", compat.Hazelcast{MinStdDev: 1}},                    // their 1 is 1 ms, ours 1 ns
		{"Threshold", compat.Hazelcast{Threshold: math.Copysign(0, -1)}}, // a zero that was computed
	} {
		d, err := c.settings.New()
		assert.ErrorContains(t, err, c.field)
		assert.Nil(t, d)
	}

	// construct_withZeroThreshold, …ZeroMinStdDev, …ZeroFirstHeartbeatEstimation
	// are errors there. In Go settings a zero means the documented default.
	d := newPhi(t, liveness.PhiConfig{})
	assert.Equal(t, 8.0, d.Threshold())
	assert.Equal(t, liveness.Stats{Mean: 1, StdDev: 0.55, Weight: 2}, d.Stats())
}

// komamitsu, PhiAccuralFailureDetectorTest, which is also in Geode, dotNext
// (PhiAccrualFailureDetectorTests.MainTest, with 100 samples) and 33arc: 290
// heartbeats each second, from the 201st on without every fifth, then none.
//
// These systems use Akka's logistic approximation. From i = 294 on they expect
// what the exact tail, at the same mean and the floor of 500 ms, reaches later:
// with a Gaussian the process is dead at 295 and not at 294.
func TestPeerKomamitsu(t *testing.T) {
	inf := math.Inf(1)
	ranges := [][2]float64{{1, 3}, {3, 8}, {8, 16}, {16, 30}, {30, 50}, {50, 70}, {70, 100}, {100, inf}, {100, inf}} // from i = 291
	for _, c := range []struct {
		samples            int
		logistic, gaussian []float64 // from i = 291
	}{
		{200,
			[]float64{1.4724096755282916199, 4.3791566433585273373, 10.117773303320213978, 20.144455806637998787,
				35.930214385113254032, 58.946077410392139445, 90.663073254153928715, 132.55223028807789553, 186.08457688384331357},
			[]float64{1.473338101960322419, 4.1933342307603241002, 8.5573056775440198539, 14.612725911456110985,
				22.378726194096396329, 31.864641849327349648, 43.075667685654595587, 56.014975233382341231, 70.684637303820789135}},
		{100,
			[]float64{1.3135681448055128058, 4.0419827815386871903, 9.4839268930855624301, 19.088920725697437435,
				34.327953221983444622, 56.672052753480343716, 87.592247691867408403, 128.55956640882391237, 181.04503727602912930},
			[]float64{1.3146414488764439187, 3.8992586563200099271, 8.1209815917761312141, 14.031673323847126111,
				21.651827623411501146, 30.991309588010574083, 42.05555742196405021, 54.847868842204675493, 69.370388228406432194}},
	} {
		for _, law := range peerLaws {
			exact := law == (liveness.Gaussian{})
			var script []peerStep
			for i := range 300 {
				at := time.Duration(i) * time.Second
				add := func(actions ...peerAction) {
					for _, a := range actions {
						script = append(script, peerStep{at, a})
					}
				}
				switch {
				case i > 290:
					add(peerOf(law, c.logistic[i-291], c.gaussian[i-291]))
					verdict := peerAvailable
					if i > 294 || i == 294 && !exact {
						verdict = peerSuspected
					}
					add(verdict)
					if i <= 293 || !exact {
						add(peerBetween(ranges[i-291][0], ranges[i-291][1]))
					}
				case i > 200 && i%5 == 0:
					add(peerBetween(0.1, 0.5), peerAvailable)
				default:
					add(peerBeat, peerNear(0, 0), peerAvailable) // theirs: below 0.1
				}
			}
			d := peerAkka(t, law, compat.Akka{Threshold: 16, MaxSampleSize: c.samples,
				MinStdDeviation: 500 * time.Millisecond, FirstHeartbeatEstimate: 500 * time.Millisecond})
			peerRun(t, d, peerStart, script)
		}
	}
}

// dotNext, PhiAccrualFailureDetectorTests.PhiNaNRegression and EmptyPhi.
func TestPeerDotNext(t *testing.T) {
	const from = 2*time.Hour + 50*time.Minute
	for _, law := range peerLaws {
		d := peerAkka(t, law, compat.Akka{Threshold: 16, MaxSampleSize: 100,
			MinStdDeviation: 500 * time.Millisecond, FirstHeartbeatEstimate: 500 * time.Millisecond})
		peerRun(t, d, peerStart, []peerStep{
			{0, peerUnknown},
			{from + 45_140_856_300, peerBeat},
			{from + 45_140_856_300, peerNear(0, 0)},
			{from + 45_966_991_000, peerBeat},
			{from + 46_793_309_000, peerBeat},
			// Theirs: not NaN. The law: mean 0.66476, of which the prior 0.49495 parts, at the floor of 0.5.
			{from + 47_793_309_000, peerOf(law, 0.60004638107742520909, 0.59984825586805815271)},
		})
	}
}

// chitchat, failure_detector.rs. Its phi is t/mean, without 1/ln 10, so its
// threshold 8 is ours of 3.47. Its prior counts as 5 gaps for good, where ours
// fades to nothing as the window fills: 4.5 after one gap of ten.
func TestPeerChitchatSamplingWindow(t *testing.T) {
	const s = time.Second
	cfg := liveness.PhiConfig{Distribution: liveness.Exponential{}, Threshold: 8 * peerLog10E,
		WindowSize: 10, ExpectedInterval: 2 * s, PriorWeight: 5}
	peerRun(t, newPhi(t, cfg), peerStart, []peerStep{
		{0, peerBeat},
		{3 * s, peerBeat},
		{3 * s, peerNear(0, 0)},
		// Theirs: 1/mean, mean (3 + 5·2)/(1 + 5) = 2.167. Ours: (3 + 4.5·2)/(1 + 4.5) = 2.182.
		{4 * s, peerExactly(5.5 / 12 * peerLog10E)},
		// Theirs drops a gap of 6 s, above the maximum of 5 s, and stays at
		// 2.167. Ours is no outage at its deadline of 40 s, and is learnt:
		// (3 + 6 + 4·2)/(2 + 4) = 2.833.
		{9 * s, peerBeat},
		{11 * s, peerExactly(2 * 6.0 / 17 * peerLog10E)},
		{11 * s, peerAvailable},
	})
	// After a reset, which is a new detector: no phi before the first heartbeat
	// (a window that was reset has none before the second).
	peerRun(t, newPhi(t, cfg), peerStart, []peerStep{
		{0, peerUnknown},
		{100 * s, peerBeat},
		{102 * s, peerBeat},
		{106 * s, peerExactly(2 * peerLog10E)}, // as theirs: mean 2 whatever the prior's weight
	})
}

// chitchat's defaults: threshold 8, 1000 gaps, prior 5 s.
func TestPeerChitchatLiveness(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	fresh := func() *liveness.Phi {
		return newPhi(t, liveness.PhiConfig{Distribution: liveness.Exponential{}, Threshold: 8 * peerLog10E,
			WindowSize: 1000, ExpectedInterval: 5 * s, PriorWeight: 5})
	}

	// Known difference: with a single heartbeat theirs is dead, for there is no
	// phi before the second. An earlier version had it live, and dead 40 s later:
	// that is ours, 8 times the prior.
	peerRun(t, fresh(), peerStart, []peerStep{
		{0, peerBeat},
		{1 * s, peerAvailable},
		{40*s - 1*ms, peerAvailable},
		{40*s + 1*ms, peerSuspected},
		{41 * s, peerSuspected},
	})
	// A few fast heartbeats do not outweigh the prior.
	peerRun(t, fresh(), peerStart, peerBeats(1, 0, 0), peerBeats(5, 1*s, 200*ms), []peerStep{
		{1800*ms + 6*s, peerAvailable},
		{1800*ms + 40*s, peerSuspected},
	})
	// Many do.
	peerRun(t, fresh(), peerStart, peerBeats(1000, 0, 200*ms), []peerStep{
		{999*200*ms + 6*s, peerSuspected},
	})

	// test_failure_detector: 2001 heartbeats, each of one of three nodes, 1 or 2 s apart.
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Duration(0)
	nodes := []*liveness.Phi{fresh(), fresh(), fresh()}
	for range 2001 {
		now += time.Duration(1+random.IntN(2)) * s
		peerRun(t, nodes[random.IntN(3)], peerStart, peerBeats(1, now, 0))
	}
	for _, d := range nodes {
		peerRun(t, d, peerStart, []peerStep{
			{now, peerAvailable},
			{now + 50*s, peerSuspected},
			{now + 25*time.Hour, peerSuspected},
		})
	}

	// test_failure_detector_node_state_from_live_to_down_to_live
	d, now := fresh(), 0
	steps := func(n int) {
		for range n {
			now += time.Duration(1+random.IntN(2)) * s
			peerRun(t, d, peerStart, peerBeats(1, now, 0))
		}
	}
	steps(2001)
	peerRun(t, d, peerStart, []peerStep{{now, peerAvailable}, {now + 20*s, peerSuspected}})
	now += 20 * s
	steps(501)
	peerRun(t, d, peerStart, []peerStep{{now, peerAvailable}, {now + 6*s, peerAvailable}, {now + 20*s, peerSuspected}})
}

// dunstall, accrual_test.go, each ± 1e-6: a Gaussian of the last 5 gaps and
// nothing else. Ours is told to learn like that: without a prior, and every gap
// in full, for 600 ms after 100 and 200 would be an outage at the usual levels.
//
// Its second value, 11.892836, is 1 − CDF, which has cancelled to five digits: a
// law that cancels like it meets that too.
//
// Known difference: with no more than one heartbeat it has no phi; ours has a
// prior, so that a process that dies then is found out too.
func TestPeerDunstall(t *testing.T) {
	const ms = time.Millisecond
	d := newPhi(t, liveness.PhiConfig{WindowSize: 5, MinStdDev: time.Microsecond,
		Threshold: peerNoOutage, PriorWeight: peerNoPrior})
	peerRun(t, d, peerStart, []peerStep{
		{0, peerUnknown}, // TestAccrualPhiEmpty
		{100 * ms, peerBeat},
		{200 * ms, peerBetween(0, 0.001)}, // TestAccrualPhiOneHeartbeat: 0
		{200 * ms, peerBeat},
		{150 * ms, peerNear(0, 0)}, // TestAccrualPhiBeforeLast
		{400 * ms, peerBeat},
		{600 * ms, peerNear(0.799546, 1e-6)},
		{600 * ms, peerExactly(0.79954554149197050003)},
		{900 * ms, peerExactly(11.892853637475489837)}, // theirs: 11.892836
		{1000 * ms, peerBeat},
		{2000 * ms, peerBeat},
		{2500 * ms, peerBeat},
		{2700 * ms, peerNear(0.091436, 1e-6)},
		{2700 * ms, peerExactly(0.091436172157574295913)},
		{2701 * ms, peerBeat},
		{2702 * ms, peerBeat},
		{2703 * ms, peerBeat},
		{3000 * ms, peerNear(0.262772, 1e-6)},
		{3000 * ms, peerExactly(0.26277225388553010333)},
	})

	d = newPhi(t, liveness.PhiConfig{WindowSize: 5, MinStdDev: time.Microsecond, Distribution: cancelling{},
		Threshold: peerNoOutage, PriorWeight: peerNoPrior})
	peerRun(t, d, peerStart, []peerStep{
		{100 * ms, peerBeat},
		{200 * ms, peerBeat},
		{400 * ms, peerBeat},
		{600 * ms, peerNear(0.799546, 1e-6)},
		{900 * ms, peerNear(11.892836, 1e-6)},
	})
}

// cancelling is the normal law as one writes it down: good for φ up to 15 or so.
type cancelling struct{ liveness.Gaussian }

func (cancelling) Fit(s liveness.Stats) liveness.Distribution {
	return cancelling{liveness.Gaussian{Mean: s.Mean, StdDev: s.StdDev}}
}

func (l cancelling) Phi(x float64) float64 {
	cdf := 0.5 * math.Erfc(-(x-l.Mean)/(l.StdDev*math.Sqrt2))
	return min(-math.Log10(1-cdf), math.MaxFloat64)
}

// ipfs-cluster, monitor/metrics/prob_test.go.
//
// Known differences: where 1 − CDF cancels to 0 it expects +Inf, and for a
// deviation of 0 NaN, at the mean as elsewhere. Ours are always numbers.
func TestPeerIPFSCluster(t *testing.T) {
	law := func(samples ...int) liveness.Gaussian {
		w := newWindow(t, len(samples))
		for _, n := range samples {
			w.Add(time.Duration(n) * time.Second)
		}
		return liveness.Gaussian{Mean: w.Mean(), StdDev: w.StdDev()}
	}
	cdf := func(g liveness.Gaussian, x float64) float64 { return 1 - math.Pow(10, -g.Phi(x)) }

	rising, falling := law(2, 4, 4, 4, 5, 5, 7, 9), law(-2, -4, -4, -4, -5, -5, -7, -9)
	peerClose(t, 0.16023139227784901733, rising.Phi(4), 1e-13)
	peerClose(t, 0.51069198926524077447, falling.Phi(-4), 1e-13)
	peerClose(t, 0.3085375387259869, cdf(rising, 4), 1e-13)
	peerClose(t, 0.6914624612740131, cdf(falling, -4), 1e-13)

	// "infinity edge case": theirs is −log10 of 1 − CDF, which is 0
	far := law(0, 0, 0, 0, 1, 1, 1, 1, 2, 2)
	peerClose(t, 34.311865524199972322, far.Phi(10), 1e-13)
	assert.Equal(t, math.Inf(1), -math.Log10(1-cdf(far, 10)))

	// "NaN edge case" and "zero values"
	for _, mean := range []int{10000001, 0} {
		constant := law(mean, mean)
		assert.Equal(t, 0.0, constant.Phi(float64(mean)))
		assert.Equal(t, math.MaxFloat64, constant.Phi(float64(mean)+1))
	}
}

// piko: t/mean, with a bootstrap interval of 2000 ns that leaves the window, ± 1 %.
func TestPeerPiko(t *testing.T) {
	fresh := func() *liveness.Phi {
		return newPhi(t, liveness.PhiConfig{Distribution: liveness.Exponential{}, WindowSize: 5,
			ExpectedInterval: 2000 * time.Nanosecond})
	}
	peerRun(t, fresh(), peerStart, []peerStep{
		{100, peerBeat},
		{200, peerExactly(0.05 * peerLog10E)},
	})
	peerRun(t, fresh(), peerStart, peerBeats(6, 100, 100), []peerStep{
		{700, peerExactly(1 * peerLog10E)},
		{2000, peerExactly(14 * peerLog10E)},
	})
}

// vektra: 21 pings a second apart, window 20, an exponential law.
func TestPeerVektra(t *testing.T) {
	const s = time.Second
	d := newPhi(t, liveness.PhiConfig{Distribution: liveness.Exponential{}, WindowSize: 20})
	peerRun(t, d, peerStart, peerBeats(21, 0, s), []peerStep{
		{21 * s, peerBetween(0, 1)},
		{21 * s, peerExactly(1 * peerLog10E)},
		{40 * s, peerAbove(8)},
		{40 * s, peerExactly(20 * peerLog10E)},
	})
	last := 0.0
	for i := time.Duration(1); i <= 9900; i++ {
		level := d.Suspicion(peerStart.Add((20 + i) * s))
		assert.Greater(t, level, last, "after %d s", i)
		last = level
	}
}

// gekka, internal/cluster/phi_accrual_detector_test.go.
//
// Known difference: a process without heartbeats is "not available" there. It
// is unknown here, and not suspected.
func TestPeerGekka(t *testing.T) {
	for _, law := range peerLaws {
		t.Run(fmt.Sprintf("%T", law), func(t *testing.T) {
			peerGekka(t, func(threshold float64, floor, pause time.Duration) *liveness.Phi {
				return peerAkka(t, law, compat.Akka{Threshold: threshold, MinStdDeviation: floor, AcceptableHeartbeatPause: pause})
			}, peerOf(law, 136.62901621191618317, 57.194583806897007873))
		})
	}
}

// peerGekka is TestPeerGekka with one law, whose φ at z = 16 is given.
func peerGekka(t *testing.T, fresh func(threshold float64, floor, pause time.Duration) *liveness.Phi, at16 peerAction) {
	const ms, s = time.Millisecond, time.Second
	t.Run("TestPhiStaysLowForRegularHeartbeats", func(t *testing.T) {
		peerRun(t, fresh(10, 50*ms, 0), peerStart, peerBeats(101, 0, 1*s), []peerStep{
			{100 * s, peerNear(0, 0)},
			{100*s + 500*ms, peerBetween(0, 1)},
			{100*s + 500*ms, peerAvailable},
		})
	})
	t.Run("TestPhiIncreasesAfterSuddenStop", func(t *testing.T) {
		peerRun(t, fresh(10, 50*ms, 0), peerStart, peerBeats(101, 0, 100*ms), []peerStep{{12 * s, peerAbove(3)}})
	})
	t.Run("TestPhiExceedsThresholdWhenNodeAppearsDead", func(t *testing.T) {
		peerRun(t, fresh(5, 50*ms, 0), peerStart, peerBeats(101, 0, 200*ms), []peerStep{{30 * s, peerSuspected}})
	})
	t.Run("TestPhiRemainsReasonableUnderJitter", func(t *testing.T) {
		var script []peerStep
		for i := range time.Duration(500) {
			script = append(script, peerStep{i * 200 * ms, peerBeat}, peerStep{i*200*ms + 80*ms, peerBeat})
		}
		peerRun(t, fresh(10, 50*ms, 0), peerStart, script, []peerStep{
			{499*200*ms + 80*ms, peerNear(0, 0)},
			{500 * 200 * ms, peerBetween(0, 2)}, // when the next one comes
			{500 * 200 * ms, peerAvailable},
		})
	})
	t.Run("TestInitialStateReturnsZeroPhi", func(t *testing.T) {
		peerRun(t, fresh(10, 200*ms, 0), peerStart, []peerStep{{0, peerUnknown}})
	})
	t.Run("TestSingleHeartbeatSeedsBaseline", func(t *testing.T) {
		peerRun(t, fresh(10, 200*ms, 0), peerStart, []peerStep{
			{0, peerBeat},
			{0, peerAvailable},
			{5 * s, peerAbove(10)},
			{5 * s, at16}, // the prior is 1 ± 0.25 s: z = 16
			{5 * s, peerSuspected},
		})
	})
	t.Run("acceptable pause", func(t *testing.T) { // mean 1 s, deviation 100 ms, pause 10 s
		peerRun(t, fresh(10, 100*ms, 10*s), peerStart, peerBeats(100, 0, 1*s), []peerStep{
			{104 * s, peerNear(0, 0)}, // theirs: at most 1; z = -60
			{104 * s, peerAvailable},
			{119 * s, peerSuspected},
		})
	})
}

// IoTDB, DetectorTest. It uses the logistic approximation, and expects φ from 35
// to 50 where the normal law has 23.118, at z = 10: so at its threshold of 30 a
// process is dead there after 13 s, and with a Gaussian after 14 s.
func TestPeerIoTDB(t *testing.T) {
	const ms, s = time.Millisecond, time.Second
	fixed := func() *liveness.FixedTimeout { return newFixed(t, 20*s) }
	// testFixedDetector
	peerRun(t, fixed(), peerStart, []peerStep{{0, peerBeat}, {18 * s, peerAvailable}, {21 * s, peerSuspected}})

	for _, law := range peerLaws {
		exact := law == (liveness.Gaussian{})

		// testPhiCalculation1 to 3: five gaps of 1 s
		for _, pause := range []time.Duration{0, 3 * s} {
			calculation := func(floor time.Duration, script ...peerStep) {
				d := peerAkka(t, law, compat.Akka{MinStdDeviation: floor, AcceptableHeartbeatPause: pause})
				peerRun(t, d, peerStart, peerBeats(6, 0, s))
				peerRun(t, d, peerStart.Add(5*s+pause), script)
			}
			at10 := peerBetween(35, 50)
			if exact {
				at10 = peerExactly(23.118053405486075894)
			}
			calculation(200*ms,
				peerStep{1 * s, peerBetween(0, 1)},
				peerStep{1 * s, peerExactly(0.30102999566398119521)},
				peerStep{2 * s, peerBetween(5, 10)},
				peerStep{2 * s, peerOf(law, 7.2999473944602063823, 6.5426456723906544963)},
				peerStep{3 * s, at10},
				peerStep{3 * s, peerOf(law, 37.584713052871219669, 23.118053405486075894)})
			calculation(300*ms,
				peerStep{1 * s, peerBetween(0, 1)},
				peerStep{2 * s, peerBetween(1, 5)},
				peerStep{2 * s, peerOf(law, 3.4479704797711510165, 3.367481634313817733)},
				peerStep{3 * s, peerBetween(10, 15)},
				peerStep{3 * s, peerOf(law, 13.705947809327166671, 10.883261964434377887)})
		}

		phi := func() *liveness.Phi {
			return peerAkka(t, law, compat.Akka{Threshold: 30, AcceptableHeartbeatPause: 10 * s, MinStdDeviation: 200 * ms})
		}
		four := peerBeats(4, -3*s, s)
		// testComparisonQuickFailureDetection
		peerRun(t, fixed(), peerStart, four, []peerStep{{13 * s, peerAvailable}})
		at13 := peerSuspected
		if exact {
			at13 = peerAvailable
		}
		peerRun(t, phi(), peerStart, four, []peerStep{{13 * s, at13}, {14 * s, peerSuspected}})
		// testFalsePositiveOnExceptionallyLongGCPause
		peerRun(t, fixed(), peerStart, four, []peerStep{{17 * s, peerAvailable}})
		peerRun(t, phi(), peerStart, four, []peerStep{{17 * s, peerSuspected}})
		// testPhiAdaptionToFrequentGCPause: both of 15 s are outages here, and learnt in part.
		at, pauses := time.Duration(0), peerBeats(1, 0, 0)
		for _, gap := range []time.Duration{s, s, s, 15 * s, 100 * ms, s, s, s, 15 * s, 100 * ms, s, s} {
			at += gap
			pauses = append(pauses, peerStep{at, peerBeat})
		}
		peerRun(t, fixed(), peerStart, pauses, []peerStep{{at + 21*s, peerSuspected}})
		peerRun(t, phi(), peerStart, pauses, []peerStep{{at + 21*s, peerAvailable}})
		// testColdStart: below 60 samples theirs falls back to the fixed timeout,
		// ours has its prior. The verdict is the same.
		peerRun(t, fixed(), peerStart, four, []peerStep{{21 * s, peerSuspected}})
		peerRun(t, phi(), peerStart, four, []peerStep{{21 * s, peerSuspected}})
	}
}

// Apache Gossip: a heartbeat every 100 ms with a uniform jitter of ±25 ms, and
// phi one mean after the last is −log10 ½ ± 0.1. (Theirs is null up to 5
// samples, where ours has its prior.)
func TestPeerApacheGossip(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	d := newPhi(t, liveness.PhiConfig{WindowSize: 100, ExpectedInterval: 100 * time.Millisecond, MinStdDev: time.Millisecond})
	last := time.Duration(0)
	for range 200 {
		last += time.Duration((75 + 50*random.Float64()) * float64(time.Millisecond))
		peerRun(t, d, peerStart, peerBeats(1, last, 0))
	}
	mean := time.Duration(d.Stats().Mean * float64(time.Second))
	peerRun(t, d, peerStart, []peerStep{
		{last + mean, peerNear(math.Log10(2), 0.1)},
		{last + mean, peerNear(math.Log10(2), 1e-6)}, // the mean to the nanosecond
	})
}

// OurSim and ZooKeeper-702, which take the inverse of phi for a timeout: arrivals
// in ms, threshold 2, timeouts in whole milliseconds, cut off. While they have
// no law (before the first gap, at a deviation of 0) theirs is a constant 100.
//
// Not here: their Chen estimates the period too, so its numbers are not those of
// NFD-E, which knows it.
func TestPeerOurSim(t *testing.T) {
	const ms = time.Millisecond
	timeout := func(want time.Duration) peerAction {
		return func(d liveness.Detector, now time.Time) string {
			if got := d.Deadline(2).Sub(now).Truncate(ms); got != want {
				return fmt.Sprintf("timeout is %v, want %v", got, want)
			}
			return ""
		}
	}
	d := newPhi(t, liveness.PhiConfig{Threshold: 2, Distribution: liveness.Exponential{}, PriorWeight: peerNoPrior})
	peerRun(t, d, peerStart, []peerStep{
		{60 * ms, peerBeat},
		{120 * ms, peerBeat},
		{120 * ms, timeout(276 * ms)},
		{190 * ms, peerBeat},
		{190 * ms, timeout(299 * ms)},
	})
	// "Phi normal". Theirs rounds on the way, 63 + 5·2.32635 = 74.6 with the
	// deviation of the sample; exactly it is 63.33 + 4.714·2.32635 = 74.3.
	d = newPhi(t, liveness.PhiConfig{MinStdDev: time.Microsecond, PriorWeight: peerNoPrior, Threshold: peerNoOutage})
	peerRun(t, d, peerStart, []peerStep{
		{0, peerBeat}, // there, the registration
		{60 * ms, peerBeat},
		{120 * ms, peerBeat},
		{190 * ms, peerBeat},
		{190 * ms, timeout(74 * ms)},
	})
	// updatePingSample(50, mean 50, deviation 2)
	assert.Equal(t, 230.0, math.Floor(liveness.Exponential{Mean: 50}.Quantile(2)))
}

// Chen, Toueg and Aguilera's NFD-E by its definition: the expected arrivals of
// a sender with a period of 100 ms whose heartbeats 0 to 6 arrive at 0, 100,
// 205, 300, 398, 520 and 600 ms.
func TestPeerChenNFDE(t *testing.T) {
	const (
		ms     = time.Millisecond
		margin = 30 * ms
	)
	for _, numbered := range []bool{true, false} {
		d := newChen(t, liveness.ChenConfig{Interval: 100 * ms, Margin: margin})
		for seq, c := range []struct{ arrival, expected time.Duration }{
			{0, 100 * ms},
			{100 * ms, 200 * ms},
			{205 * ms, 301_666_667}, // 301.6666… ms
			{300 * ms, 401_250_000},
			{398 * ms, 500_600_000},
			{520 * ms, 603_833_333}, // 603.8333… ms
			{600 * ms, 703_285_714}, // 703.285714285… ms
		} {
			if at := peerStart.Add(c.arrival); numbered {
				d.HeartbeatSeq(uint64(seq), at)
			} else {
				d.Heartbeat(at)
			}
			assert.Equal(t, c.expected, d.Deadline(1).Add(-margin).Sub(peerStart), "after heartbeat %d", seq)
			peerRun(t, d, peerStart, []peerStep{
				{c.arrival, peerNear(0, 0)},
				{c.expected, peerNear(0, 0)},
				{c.expected + margin/2, peerExactly(0.5)},
				{c.expected + margin - 1, peerAvailable},
				{c.expected + margin, peerSuspected},
				{c.expected + margin, peerExactly(1)},
			})
		}
	}
}

// Golden values of the laws, by 60-digit arithmetic.

func TestPeerGoldenGaussian(t *testing.T) {
	g := liveness.Gaussian{Mean: 0, StdDev: 1}
	for _, c := range []struct{ z, phi float64 }{
		{-8, 2.7017288495439213e-16},
		{-5, 1.2449121373882917e-7},
		{-3, 5.8664931379006669e-4},
		{-2, .0099943795341087089},
		{-1, .075026012957818023},
		{0, .3010299956639812},
		{1, .7995455414919705},
		{2, 1.643016080140937},
		{3, 2.8696990359293691},
		{4, 4.4993349075564789},
		{5, 6.5426456723906545},
		{6, 9.0058643274767042},
		{7, 11.89285363747549},
		{8, 15.206142551017155},
		{10, 23.118053405486076},
		{15, 50.435219614275511},
		{20, 88.560095343075592},
		{30, 197.30920926166095},
		{37.5, 307.33673707464464},
		{38, 315.53978970396251},
		{40, 349.43700645934584},
		{50, 544.96633586199665},
		{100, 2173.8715428690344},
		{1000, 217150.64004199439},
	} {
		peerClose(t, c.phi, g.Phi(c.z), 1e-13, "phi(%v)", c.z)
		peerClose(t, c.z, g.Quantile(c.phi), 1e-13, "quantile(%v)", c.phi)
	}
	// To as many digits as are known.
	for _, c := range []struct {
		phi float64
		z   string
	}{
		{1, "1.28155156554"},
		{2, "2.32634787404"},
		{3, "3.09023230617"},
		{4, "3.71901648546"},
		{5, "4.26489079392"},
		{8, "5.61200124417"},
		{10, "6.3613409024"},
		{12, "7.0344838253"},
		{16, "8.22208221613"},
		{20, "9.2623400898"},
		{30, "11.4640246884"},
	} {
		z := g.Quantile(c.phi)
		assert.Equal(t, c.z, peerDigits(z, c.z), "quantile(%v)", c.phi)
		peerClose(t, c.phi, g.Phi(z), 1e-13, "phi(quantile(%v))", c.phi)
	}
}

// peerDigits formats x with as many decimals as like has.
func peerDigits(x float64, like string) string {
	decimals := 0
	for i := range like {
		if like[i] == '.' {
			decimals = len(like) - i - 1
		}
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func TestPeerGoldenLogistic(t *testing.T) {
	l := liveness.Logistic{Mean: 0, StdDev: 1}
	for _, c := range []struct{ z, phi float64 }{
		{3, 2.9094753264849541},
		{4, 4.7366945827051809},
		{5, 7.2999473944602064},
		{6, 10.782600858295707},
		{8, 21.241600212221334},
		{10, 37.58471305287122},
		{20, 259.04797256565165},
		{25, 496.19610301322945}, // Akka's own code has +Inf from 21.6 on
		{100, 30715.807296413732},
	} {
		peerClose(t, c.phi, l.Phi(c.z), 1e-13, "phi(%v)", c.z)
		peerClose(t, c.z, l.Quantile(c.phi), 1e-13, "quantile(%v)", c.phi)
	}
	for phi, z := range map[float64]string{8: "5.22598664409", 10: "5.79902471473", 16: "7.11968092777"} {
		assert.Equal(t, z, peerDigits(l.Quantile(phi), z), "quantile(%v)", phi)
	}
}

func TestPeerGoldenExponential(t *testing.T) {
	for _, mean := range []float64{1e-3, 0.111, 1, 60, 86400} {
		e := liveness.Exponential{Mean: mean}
		for _, times := range []float64{1e-9, 0.5, 1, 2, 18.42068074, 1e6} {
			peerClose(t, peerLog10E*times, e.Phi(times*mean), 1e-13, "%v times %v", times, mean)
		}
		assert.Equal(t, "18.42068074", peerDigits(e.Quantile(8)/mean, "18.42068074"))
		peerClose(t, 8, e.Phi(e.Quantile(8)), 1e-13)
	}
}

func TestPeerGoldenLogNormal(t *testing.T) {
	for _, c := range []struct{ mu, sigma, x, phi float64 }{
		{0, 1, 2, .61241692752046543},
		{0, 1, 10, 1.9726055646765},
		{0, .25, 2, 2.5558586917160859},
		{0, .25, 4, 7.8331908043952223},
		{math.Log(1000), .1, 1500, 4.600246770552752},
		{math.Log(1000), .1, 3000, 27.652024697375286},
		{0, .01, 2, 1045.5304695332492},
	} {
		l := liveness.LogNormal{Mu: c.mu, Sigma: c.sigma}
		peerClose(t, c.phi, l.Phi(c.x), 1e-12, "phi of %+v at %v", l, c.x)
		peerClose(t, c.x, l.Quantile(c.phi), 1e-12, "quantile of %+v at %v", l, c.phi)
	}
}
