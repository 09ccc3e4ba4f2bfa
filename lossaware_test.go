package liveness_test

import (
	"bufio"
	"cmp"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/livenesstest"
)

func newLossAware(t testing.TB, cfg liveness.LossAwareConfig) *liveness.LossAware {
	t.Helper()
	return made(t, liveness.NewLossAware, cfg)
}

func lossAwareKinds() map[string]liveness.LossAwareConfig {
	return map[string]liveness.LossAwareConfig{
		"default": {Interval: time.Second},
		"early":   {Interval: time.Second, Threshold: 2, WindowSize: 50},
		"high":    {Interval: time.Second, Threshold: 12},
		"tight":   {Interval: time.Second, MinStdDev: time.Microsecond},
		"loose":   {Interval: time.Second, MinStdDev: 3 * time.Second},
		"one":     {Interval: time.Second, WindowSize: 1},
		"fast":    {Interval: time.Millisecond},
	}
}

func TestLossAwareConformance(t *testing.T) {
	for name, cfg := range lossAwareKinds() {
		t.Run(name, func(t *testing.T) {
			err := livenesstest.TestDetector(cfg.Interval, func() liveness.Detector { return newLossAware(t, cfg) })
			require.NoError(t, err)
		})
	}
}

func TestLossAwareConfig(t *testing.T) {
	for _, c := range []struct {
		cfg  liveness.LossAwareConfig
		want string
	}{
		{liveness.LossAwareConfig{}, "Interval"},
		{liveness.LossAwareConfig{Interval: 500}, "Interval"},
		{liveness.LossAwareConfig{Interval: time.Second, Threshold: -1}, "Threshold"},
		{liveness.LossAwareConfig{Interval: time.Second, Threshold: math.NaN()}, "Threshold"},
		{liveness.LossAwareConfig{Interval: time.Second, Threshold: 1e13}, "Threshold"},
		{liveness.LossAwareConfig{Interval: time.Second, WindowSize: -1}, "WindowSize"},
		{liveness.LossAwareConfig{Interval: time.Second, MinStdDev: 1}, "MinStdDev"},
	} {
		_, err := liveness.NewLossAware(c.cfg)
		assert.ErrorContains(t, err, c.want)
	}
	assert.Equal(t, 4.0, newLossAware(t, liveness.LossAwareConfig{Interval: time.Second}).Threshold())
	assert.PanicsWithValue(t, "liveness: LossAware not made by NewLossAware", func() { new(liveness.LossAware).Heartbeat(t0) })
}

// TestLossAwareVectors compares with 50-digit arithmetic, written from the
// formulas in the type's comment: a script of 60 numbers, 5 of them lost, then a
// heartbeat that is 0.7 s late, then one that is late by more than η.
func TestLossAwareVectors(t *testing.T) {
	d := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second})
	type vector struct{ silence, phi float64 }
	var last time.Time
	hear := func(seq uint64, at float64) {
		last = t0.Add(seconds(at))
		d.HeartbeatSeq(seq, last)
	}
	check := func(p, r float64, vectors ...vector) {
		t.Helper()
		gotP, gotR := d.Losses()
		assert.InDelta(t, p, gotP, 1e-14)
		assert.InDelta(t, r, gotR, 1e-14)
		for _, v := range vectors {
			got := d.Suspicion(last.Add(seconds(v.silence)))
			// EA is rounded to the nanosecond, which is 1e-10 of φ here.
			assert.InDelta(t, v.phi, got, 1e-9*(1+v.phi), "after %v s", v.silence)
		}
	}

	late := []float64{0, 30, 10, 50, 20, 40, 5, 15}
	for seq := range 60 {
		if !slices.Contains([]int{11, 12, 13, 30, 47}, seq) {
			hear(uint64(seq), float64(seq)+late[seq%8]/1000)
		}
	}
	check(0.063819199919949, 0.411946630336161,
		vector{.5, 0}, vector{.99, 0.753197652621632}, vector{1, 0.897002202024771},
		vector{1.01, 0.998585826751654}, vector{1.05, 1.15838707784474}, vector{1.2, 1.19469777978713},
		vector{1.9, 1.19504862924046}, vector{1.99, 1.5113346797982}, vector{2.02, 1.56593249431622},
		vector{2.1, 1.57962868997785}, vector{2.99, 1.89649372505599}, vector{3.02, 1.95109153957401},
		vector{3.5, 1.96536658979789}, vector{4.3, 2.3505218675558}, vector{10.02, 4.64720485637856},
		vector{1000.5, 385.968934711817})
	assert.EqualValues(t, 5, d.Missed())

	hear(60, 60.7)
	check(0.062657080810304, 0.411946630336161,
		vector{.01, 0}, vector{.3, 0}, vector{.5, 0.918032084121287}, vector{1, 1.18161106591746},
		vector{1.5, 1.55135841403673}, vector{2.31, 1.58733739912706})

	hear(61, 70)
	hear(62, 71.05)
	check(0.079557872653754, 0.351954366335877,
		vector{.5, 0}, vector{.97, 0.325274001976533}, vector{1, 0.600305642883401},
		vector{1.1, 0.917363591126745}, vector{2.1, 1.51827463374028}, vector{5.1, 2.87881556148718})

	before := d.Deadline(3)
	d.HeartbeatSeq(62, last.Add(time.Second))
	d.HeartbeatSeq(7, last.Add(time.Second))
	d.HeartbeatSeq(1<<60, last.Add(time.Second))
	assert.Equal(t, before, d.Deadline(3), "repeated, old and absurd numbers")
	assert.EqualValues(t, 3, d.Ignored())
}

// TestLossAwareKnowsNoLoss: what the config's comment says of a process of which nothing was ever lost.
func TestLossAwareKnowsNoLoss(t *testing.T) {
	d := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second})
	for seq := range 10_000 {
		d.HeartbeatSeq(uint64(seq), t0.Add(time.Duration(seq)*time.Second))
	}
	last := d.Deadline(0)
	p, r := d.Losses()
	assert.InDelta(t, 0.5/1001, p, 1e-6)
	assert.Equal(t, 0.5, r)
	assert.InDelta(t, 3.3, d.Deadline(4).Sub(last).Seconds(), 0.75)
	assert.InDelta(t, 16.6, d.Deadline(8).Sub(last).Seconds(), 0.75)
}

// TestLossAwareCountsByTime: without numbers, losses are seen from the times.
func TestLossAwareCountsByTime(t *testing.T) {
	numbered := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second})
	counted := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second})
	rng := rand.New(rand.NewPCG(3, 3))
	for seq := range 3000 {
		if seq > 0 && rng.Float64() < 0.1 {
			continue
		}
		at := t0.Add(time.Duration(seq)*time.Second + seconds(0.1*rng.Float64()))
		numbered.HeartbeatSeq(uint64(seq), at)
		counted.Heartbeat(at)
		for _, level := range []float64{0.5, 3, 4} {
			require.Equal(t, numbered.Deadline(level), counted.Deadline(level))
		}
	}
	assert.Equal(t, numbered.Missed(), counted.Missed())
}

// TestLossAwareOutages: an outage of the network says little of how losses come, the third does.
func TestLossAwareOutages(t *testing.T) {
	d := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second, Threshold: 6})
	seq := uint64(0)
	hear := func(n int) {
		for range n {
			d.HeartbeatSeq(seq, t0.Add(time.Duration(seq)*time.Second))
			seq++
		}
	}
	wait := func() float64 { return d.Deadline(6).Sub(d.Deadline(0)).Seconds() }
	hear(3000)
	usual := wait()
	for range 2 {
		seq += 5000
		hear(300)
		assert.InDelta(t, usual, wait(), 1e-3)
	}
	seq += 5000
	hear(300)
	_, r := d.Losses()
	assert.InDelta(t, 0.92, r, 0.01, "the third within a window is learnt as far as one waited")
	assert.Greater(t, wait(), 2*usual)
}

// TestLossAwareInexactInterval: how far the period may differ is documented.
func TestLossAwareInexactInterval(t *testing.T) {
	for _, period := range []float64{0.82, 0.95, 1.001, 1.05, 1.2} {
		d := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second})
		for seq := range 5000 {
			at := t0.Add(seconds(float64(seq) * period))
			if seq > 100 {
				require.False(t, d.Suspected(at), "period %v, heartbeat %d", period, seq)
			}
			d.HeartbeatSeq(uint64(seq), at)
		}
		p, _ := d.Losses()
		assert.Less(t, p, 0.001, "nothing was lost at a period of %v", period)
		assert.InDelta(t, period, d.Deadline(2).Sub(d.Deadline(0)).Seconds(), 0.05)
	}
}

// gilbert sends beats heartbeats a second apart, of which the network loses
// bursts, and yields those that arrive.
func gilbert(seed uint64, beats int, begins, stays float64, delay func(*rand.Rand) float64, yield func(seq uint64, at time.Time)) {
	rng := rand.New(rand.NewPCG(seed, 17))
	lost := false
	for seq := range beats {
		if lost = rng.Float64() < map[bool]float64{false: begins, true: stays}[lost]; !lost {
			yield(uint64(seq), t0.Add(time.Duration(seq)*time.Second+seconds(delay(rng))))
		}
	}
}

// TestLossAwareCalibrated: on the model that it assumes, with lateness of
// several laws, a level φ is reached by 10^−φ of the heartbeats.
func TestLossAwareCalibrated(t *testing.T) {
	beats := 150_000
	if testing.Short() || raceEnabled {
		beats = 50_000
	}
	exponential := func(rng *rand.Rand) float64 { return 0.02 * rng.ExpFloat64() }
	normal := func(rng *rand.Rand) float64 { return max(0.2+0.02*rng.NormFloat64(), 0) }
	logNormal := func(rng *rand.Rand) float64 { return 0.05 * math.Exp(0.8*rng.NormFloat64()) }
	for _, c := range []struct {
		name          string
		begins, stays float64
		delay         func(*rand.Rand) float64
	}{
		{"1 % alone", 0.01, 0.01, exponential},
		{"10 % alone", 0.1, 0.1, normal},
		{"bursts of 5, 2 %", 0.004, 0.8, logNormal},
		{"bursts of 5, 10 %", 0.022, 0.8, normal},
		{"bursts of 2, 2 %", 0.01, 0.5, exponential},
	} {
		d := newLossAware(t, liveness.LossAwareConfig{Interval: time.Second, MinStdDev: time.Millisecond})
		judged := 0
		var late [3]int
		gilbert(5, beats, c.begins, c.stays, c.delay, func(seq uint64, at time.Time) {
			if seq > 1000 {
				judged++
				for i := range late {
					if at.After(d.Deadline(float64(i + 1))) {
						late[i]++
					}
				}
			}
			d.HeartbeatSeq(seq, at)
		})
		for i, n := range late {
			promised := math.Pow(10, -float64(i+1)) * float64(judged)
			off := math.Log10(float64(n) / promised)
			// What chance allows at three standard errors, were bursts
			// independent, and the law of the lateness: it is exponential or
			// normal, not lognormal, up to a third of a decade off.
			bound := 3/math.Sqrt(promised)/math.Ln10 + 0.2
			t.Logf("%-18s φ = %d: %6d of %d, promised %8.0f: %+.2f decades, bound %.2f", c.name, i+1, n, judged, promised, off, bound)
			assert.Less(t, math.Abs(off), bound, "%s, φ = %d", c.name, i+1)
		}
	}
}

// TestLossAwareTraces replays the traces with sequence numbers.
func TestLossAwareTraces(t *testing.T) {
	folder := os.Getenv("LIVENESS_TRACES")
	if folder == "" {
		t.Skip("LIVENESS_TRACES names no folder of traces")
	}
	for _, c := range []struct {
		name     string
		interval time.Duration
		bound    [3]float64 // decades off at φ = 1, 2, 3
	}{
		{"pam25_tmobile_drive", 200 * time.Millisecond, [3]float64{0.3, 0.4, 0.7}},
		{"cicv5g_urban_n78_20hz", 50 * time.Millisecond, [3]float64{0.3, 0.5, 0.5}},
		// Two bursts decide here; its period is not steady.
		{"itsgw_cable_loss", time.Second, [3]float64{1, 2, 1}},
	} {
		numbers, arrivals := readNumbered(t, filepath.Join(folder, c.name+".csv"))
		d := newLossAware(t, liveness.LossAwareConfig{Interval: c.interval})
		var late [3]int
		judged := 0
		for i, at := range arrivals {
			if i > 200 {
				judged++
				for k := range late {
					level := float64(k + 1)
					due := d.Deadline(level)
					require.Equal(t, !at.Before(due), d.Suspicion(at) >= level)
					if at.After(due) {
						late[k]++
					}
				}
			}
			d.HeartbeatSeq(numbers[i], at)
			require.False(t, d.Suspected(d.Deadline(0)))
		}
		for k, n := range late {
			off := math.Log10(max(float64(n), 0.5) / (float64(judged) * math.Pow(10, -float64(k+1))))
			t.Logf("%s, φ = %d: %d of %d, %+.2f decades", c.name, k+1, n, judged, off)
			assert.Less(t, math.Abs(off), c.bound[k], "%s, φ = %d", c.name, k+1)
		}
	}
}

// readNumbered reads a trace of heartbeats sent and received, in the order of their arrival.
func readNumbered(t *testing.T, path string) (numbers []uint64, arrivals []time.Time) {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	type heartbeat struct {
		seq uint64
		at  int64
	}
	var all []heartbeat
	seq := uint64(0)
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		line := lines.Text()
		if strings.HasPrefix(line, "#") || line == "send_ns,recv_ns" {
			continue
		}
		seq++
		if _, received, _ := strings.Cut(line, ","); received != "" {
			at, err := strconv.ParseInt(received, 10, 64)
			require.NoError(t, err)
			all = append(all, heartbeat{seq, at})
		}
	}
	require.NoError(t, lines.Err())
	slices.SortStableFunc(all, func(a, b heartbeat) int { return cmp.Compare(a.at, b.at) })
	for _, h := range all {
		numbers, arrivals = append(numbers, h.seq), append(arrivals, t0.Add(time.Duration(h.at)))
	}
	return numbers, arrivals
}

// FuzzLossAware gives numbers and times of any kind, and checks what has to hold whatever they are.
func FuzzLossAware(f *testing.F) {
	f.Add([]byte{1, 100, 1, 110, 3, 101, 1, 99, 1, 180, 2, 100}, 1.0, uint16(100))
	f.Add([]byte{1, 100, 255, 255, 255, 255, 1, 100, 0, 1, 1, 1}, 8.0, uint16(1))
	f.Add([]byte{1, 7, 9, 8, 1, 250, 30, 3, 200, 200, 1, 120}, 1e-3, uint16(60000))
	f.Fuzz(func(t *testing.T, script []byte, level float64, floor uint16) {
		d := newLossAware(t, liveness.LossAwareConfig{
			Interval:   time.Second,
			WindowSize: 1 + int(floor%20),
			MinStdDev:  time.Microsecond + time.Duration(floor)*100*time.Microsecond,
		})
		seq, at := uint64(5), t0
		for i := 0; i+1 < len(script); i += 2 {
			if by := script[i]; by < 250 {
				seq += uint64(by) - 1
			} else {
				seq = seq*seq + uint64(by)
			}
			// From −10 years to 10 years, most of them some seconds.
			gap := seconds(math.Pow(math.Abs(float64(script[i+1])-50)/50, 12) * (1 + float64(i%7)/100))
			if script[i+1] < 50 {
				gap = -gap
			}
			at = at.Add(gap)
			if script[i]%3 == 0 {
				d.Heartbeat(at)
			} else {
				d.HeartbeatSeq(seq, at)
			}
			last := d.Deadline(0)
			require.Zero(t, d.Suspicion(last))
			require.False(t, d.Suspected(last))
			p, r := d.Losses()
			require.True(t, p > 0 && p < 1 && r > 0 && r < 0.996, "p = %v, r = %v", p, r)
			for _, level := range []float64{level, d.Threshold()} {
				due := d.Deadline(level)
				if level > 0 && due.Before(last.AddDate(200, 0, 0)) {
					require.True(t, due.After(last))
					require.GreaterOrEqual(t, d.Suspicion(due), level)
					require.Less(t, d.Suspicion(due.Add(-1)), level)
				}
			}
			before := 0.0
			for silence := time.Duration(1); silence < 1<<60; silence += 1 + silence/7 {
				for range 3 {
					level := d.Suspicion(last.Add(silence))
					require.True(t, level >= before && level <= math.MaxFloat64, "%v after %v", level, before)
					before = level
					silence++
				}
			}
		}
	})
}

func BenchmarkLossAware(b *testing.B) {
	run := func(name string, each func(d *liveness.LossAware, at time.Time)) {
		b.Run(name, func(b *testing.B) {
			d := newLossAware(b, liveness.LossAwareConfig{Interval: time.Second})
			seq := uint64(0)
			at := t0
			rng := rand.New(rand.NewPCG(1, 1))
			var jitter [1024]time.Duration
			for i := range jitter {
				jitter[i] = seconds(0.05 * rng.ExpFloat64())
			}
			next := func() time.Time {
				seq++
				if seq%64 == 0 {
					seq++
				}
				at = t0.Add(time.Duration(seq)*time.Second + jitter[seq%1024])
				d.HeartbeatSeq(seq, at)
				return at
			}
			for range 3000 {
				next()
			}
			b.ReportAllocs()
			for b.Loop() {
				if each != nil {
					each(d, next())
				} else {
					d.Suspicion(at.Add(1100 * time.Millisecond))
				}
			}
		})
	}
	run("heartbeat", func(*liveness.LossAware, time.Time) {})
	run("heartbeat and Suspected", func(d *liveness.LossAware, at time.Time) { d.Suspected(at) })
	run("heartbeat and Deadline of another level", func(d *liveness.LossAware, at time.Time) { d.Deadline(2) })
	run("Suspicion", nil)
}
