package main

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// tolerance is the relative error allowed where theory has an exact value. The
// reference values without a file were computed with 40 digits.
const tolerance = 1e-12

func near(t *testing.T, want, got float64, what string) {
	t.Helper()
	assert.InEpsilon(t, want, got, tolerance, what)
}

// theStudy is made once: most tests look at its tables.
var theStudy = newStudy(1, 1_000_000)

func TestTheLawIsTheOneTheTextNames(t *testing.T) {
	near(t, 0.050, median(usual), "median of the usual law")
	near(t, 0.050, median(steady), "median of the steady law")
	near(t, 0.150, median(busy), "median of the busy law")
	assert.Equal(t, []float64{1, 0.5, 1}, []float64{usual.Sigma, steady.Sigma, busy.Sigma})
}

func TestRateAndLevelAreInverse(t *testing.T) {
	for phi := 0.25; phi < 300; phi *= 1.7 {
		near(t, phi, level(rate(phi)), "level of the rate")
	}
	for _, p := range []float64{0.5, 0.1, 1e-3, 1e-9, 1e-91} {
		near(t, p, rate(level(p)), "rate of the level")
	}
}

func TestQuantiles(t *testing.T) {
	want := []struct {
		name string
		rtt  float64
	}{
		{"p50", 0.05},
		{"p90", 0.18011122396395788586},
		{"p99", 0.51202368281560677966},
		{"p99.9", 1.0991091989791987714},
		{"p99.99", 2.0611914963920271572},
	}
	require.Len(t, theStudy.quantiles, len(want))
	for i, q := range theStudy.quantiles {
		assert.Equal(t, want[i].name, q.name)
		near(t, want[i].rtt, q.rtt, q.name)
		near(t, want[i].rtt/0.05, q.medians, q.name)
		near(t, q.tail, rate(usual.Phi(q.rtt)), q.name+" and back")
		percentile, err := strconv.ParseFloat(q.name[1:], 64)
		require.NoError(t, err)
		assert.InDelta(t, 100-percentile, 100*q.tail, 1e-12, q.name)
	}
}

func TestSweepAgreesWithTheReference(t *testing.T) {
	file, err := os.Open("../../testdata/no_safe_timeout.csv")
	require.NoError(t, err)
	defer file.Close()
	records, err := csv.NewReader(file).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"timeout_ms", "false_positive_rate", "phi"}, records[0])
	records = records[1:]

	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		require.NoError(t, err)
		return x
	}
	require.Len(t, theStudy.sweep, len(records))
	for i, row := range theStudy.sweep {
		assert.Equal(t, number(records[i][0]), row.timeout.Seconds()*1000)
		near(t, number(records[i][1]), row.rate, row.timeout.String())
		near(t, number(records[i][2]), row.phi, row.timeout.String())
		// And back: the timeout for this φ is this one.
		near(t, row.timeout.Seconds(), usual.Quantile(row.phi), row.timeout.String())
	}
}

// The detection time is what the library's own detector takes: a crash just
// after a heartbeat is suspected then, and not a nanosecond earlier.
func TestDetectionTimeIsThatOfFixedTimeout(t *testing.T) {
	last := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range theStudy.sweep {
		d, err := liveness.NewFixedTimeout(row.timeout)
		require.NoError(t, err)
		d.Heartbeat(last)
		assert.False(t, liveness.Suspected(d, last.Add(row.detection-1)), "%v", row.timeout)
		assert.True(t, liveness.Suspected(d, last.Add(row.detection)), "%v", row.timeout)
	}
}

func TestTheHeadlineTimeout(t *testing.T) {
	row := at(theStudy.sweep, example)
	assert.Equal(t, 300*time.Millisecond, row.timeout)
	assert.InDelta(t, 0.0366, row.rate, 0.00005)
	assert.Panics(t, func() { at(theStudy.sweep, 301*time.Millisecond) })
}

func TestTargets(t *testing.T) {
	want := []target{
		{rate: 0.1, phi: 1, timeout: 0.18011122396395788586},
		{rate: 0.01, phi: 2, timeout: 0.51202368281560677966},
		{rate: 1e-3, phi: 3, timeout: 1.0991091989791987714},
		{rate: 1e-4, phi: 4, timeout: 2.0611914963920271572},
		{rate: 1e-6, phi: 6, timeout: 5.7990379625505894231},
		{rate: 1e-9, phi: 9, timeout: 20.127252478794287396},
	}
	require.Len(t, theStudy.targets, len(want))
	for i, got := range theStudy.targets {
		assert.Equal(t, want[i].rate, got.rate)
		near(t, want[i].phi, got.phi, "φ")
		near(t, want[i].timeout, got.timeout, "timeout")
		near(t, want[i].timeout/0.05, got.medians, "multiple of the median")
		near(t, got.rate, rate(usual.Phi(got.timeout)), "and back")
	}
}

func TestUnreasonableTimeouts(t *testing.T) {
	want := []struct {
		timeout   time.Duration
		rate, phi float64
	}{
		{time.Minute, 6.7018780199723472486e-13, 12.173803480967325494},
		{time.Hour, 2.4303272902871426294e-29, 28.614335236362885087},
		{24 * time.Hour, 4.4495555147666244205e-47, 46.351683370395583834},
		{365 * 24 * time.Hour, 1.3816065474380350648e-91, 90.859615617312723067},
		{36500 * 24 * time.Hour, 8.3536911550752392113e-137, 136.07812158510704987},
	}
	require.Len(t, theStudy.patience, len(want))
	for i, got := range theStudy.patience {
		assert.Equal(t, want[i].timeout, got.timeout)
		near(t, want[i].phi, got.phi, got.timeout.String())
		// A relative error of e in φ is one of φ·ln 10·e in the rate.
		assert.InEpsilon(t, want[i].rate, got.rate, tolerance*math.Ln10*got.phi, got.timeout.String())
	}
}

// The rate is above 0 exactly where φ is finite. Where 10^-φ is too small for a
// float64, φ still says so, up to the largest timeout there is.
func TestNoFiniteTimeoutIsSafe(t *testing.T) {
	for _, law := range []liveness.LogNormal{usual, steady, busy} {
		before := -1.0
		for timeout := 1e-3; timeout <= math.MaxFloat64/2; timeout *= 2 {
			phi := law.Phi(timeout)
			require.Less(t, phi, math.MaxFloat64, "timeout %g s", timeout)
			require.Greater(t, phi, before, "timeout %g s", timeout)
			if phi < 300 {
				require.Positive(t, rate(phi), "timeout %g s", timeout)
			}
			before = phi
		}
		assert.Less(t, law.Phi(math.MaxFloat64), math.MaxFloat64)
		assert.Equal(t, math.Inf(1), law.Quantile(math.Inf(1)), "a rate of 0 asks for this timeout")
	}
	assert.Positive(t, rate(usual.Phi(time.Duration(math.MaxInt64).Seconds())), "the longest Duration")
}

func TestLongerTimeoutsErrLessAndDetectLater(t *testing.T) {
	for _, rows := range [][]timeoutRow{theStudy.sweep, theStudy.patience} {
		for i := 1; i < len(rows); i++ {
			assert.Less(t, rows[i].rate, rows[i-1].rate)
			assert.Greater(t, rows[i].phi, rows[i-1].phi)
			assert.Greater(t, rows[i].detection, rows[i-1].detection)
		}
	}
}

func TestSteadyLaw(t *testing.T) {
	const ms = time.Millisecond
	want := []steadyRow{
		{100 * ms, 0.08282851900169848535, 1.0818201038848294163, 0.24410859578558273401, 2.9471563505871333051},
		{150 * ms, 0.014002205573945047264, 1.8538035505253404747, 0.13596860764142444274, 9.710513598974109522},
		{200 * ms, 0.0027806178623095221858, 2.5558586917160858934, 0.08282851900169848535, 29.787810876285918434},
		{300 * ms, 0.00016949808644663321619, 3.7708352004128698938, 0.036585751917042895697, 215.84758084311463233},
		{500 * ms, 2.060643395971720144e-6, 5.6859971584204595312, 0.010651099341700127225, 5168.8222050072271569},
		{time.Second, 1.0397983214543158926e-9, 8.9830508879831439526, 0.0013689334878580863369, 1316537.5050263833088},
	}
	require.Len(t, theStudy.steady, len(want))
	for i, got := range theStudy.steady {
		assert.Equal(t, want[i].timeout, got.timeout)
		near(t, want[i].rate, got.rate, got.timeout.String())
		near(t, want[i].phi, got.phi, got.timeout.String())
		near(t, want[i].usual, got.usual, got.timeout.String())
		near(t, want[i].ratio, got.ratio, got.timeout.String())
		assert.Positive(t, got.rate, "no timeout is safe here either")
	}
}

func TestSilences(t *testing.T) {
	const ms = time.Millisecond
	want := []silenceRow{
		{50 * ms, 0.30102999566398119521, 0.5},
		{100 * ms, 0.61241692752046543385, 0.24410859578558273401},
		{200 * ms, 1.0818201038848294163, 0.08282851900169848535},
		{500 * ms, 1.9726055646764999542, 0.010651099341700127225},
		{time.Second, 2.863617652346607108, 0.0013689334878580863369},
		{2 * time.Second, 3.9483769541642521473, 0.00011262195081580141132},
		{5 * time.Second, 5.6859971584204595312, 2.060643395971720144e-6},
		{10 * time.Second, 7.2333094979114318647, 5.8437348471431541294e-8},
		{30 * time.Second, 10.100912191533319703, 7.9266157972368036684e-11},
		{time.Minute, 12.173803480967325494, 6.7018780199723472486e-13},
		{10 * time.Minute, 20.533854289113611542, 2.9251336298237733341e-21},
		{time.Hour, 28.614335236362885087, 2.4303272902871426294e-29},
	}
	require.Len(t, theStudy.silence, len(want))
	for i, got := range theStudy.silence {
		assert.Equal(t, want[i].silence, got.silence)
		near(t, want[i].phi, got.phi, got.silence.String())
		near(t, want[i].alive, got.alive, got.silence.String())
	}
}

// Every doubling of the silence adds more to φ than the one before.
func TestSuspicionDoesNotSaturate(t *testing.T) {
	var doublings []time.Duration
	for d := 50 * time.Millisecond; d > 0; d *= 2 { // until it overflows
		doublings = append(doublings, d)
	}
	rows := silences(usual, doublings...)
	require.Greater(t, rows[len(rows)-1].silence, 100*year)
	for i := 2; i < len(rows); i++ {
		assert.Greater(t, rows[i].phi-rows[i-1].phi, rows[i-1].phi-rows[i-2].phi, "%v", rows[i].silence)
	}
}
