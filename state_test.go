package liveness_test

import (
	"encoding"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// restorable is what every detector of the package is.
type restorable interface {
	liveness.Detector
	encoding.BinaryMarshaler
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

var _ = []restorable{
	&liveness.Phi{}, &liveness.FixedTimeout{}, &liveness.Chen{}, &liveness.Bertier{}, &liveness.TwoWindow{},
	&liveness.RTO{}, &liveness.Quantile{}, &liveness.Satzger{}, &liveness.LossAware{},
}

// restorables are all detectors, and some that differ in what they save.
func restorables(t testing.TB, interval time.Duration) []named {
	all := detectors(t, interval)
	for name, cfg := range lossAwareKinds() {
		cfg.Interval = interval
		all = append(all, named{"LossAware/" + name, func() liveness.Detector { return newLossAware(t, cfg) }})
	}
	return append(all, named{"Phi/empirical small", func() liveness.Detector {
		return newPhi(t, liveness.PhiConfig{ExpectedInterval: interval, WindowSize: 20})
	}})
}

func save(t testing.TB, d liveness.Detector) []byte {
	t.Helper()
	data, err := d.(restorable).MarshalBinary()
	require.NoError(t, err)
	return data
}

// restore returns d after the state was restored to it.
func restore[D liveness.Detector](t testing.TB, d D, data []byte) D {
	t.Helper()
	require.NoError(t, any(d).(restorable).UnmarshalBinary(data))
	return d
}

// drive sends n heartbeats of a process that beats every second, more or less:
// it loses some, pauses, dies, sends some twice and some all at once.
func drive(d liveness.Detector, rng *rand.Rand, at time.Time, seq uint64, n int) (time.Time, uint64) {
	numbered, isNumbered := d.(interface{ HeartbeatSeq(uint64, time.Time) })
	for range n {
		steps, gap := uint64(1), 0.9+0.2*rng.Float64()
		switch rng.IntN(60) {
		case 0:
			gap *= 3
			steps = 3
		case 1:
			gap *= 8
		case 2:
			gap *= 500
		case 3:
			gap = 0
		case 4, 5:
			gap /= 1000
		case 6:
			gap = -0.1
			steps = 0
		}
		at, seq = at.Add(seconds(gap)), seq+steps
		if isNumbered {
			numbered.HeartbeatSeq(seq, at)
		} else {
			d.Heartbeat(at)
		}
	}
	return at, seq
}

// answers are what d says for silences and levels of all sizes, after its last heartbeat.
func answers(d liveness.Detector) []float64 {
	last := d.Deadline(0)
	var all []float64
	for s := 1e-3; s < 1e7; s *= 1.7 {
		all = append(all, d.Suspicion(last.Add(seconds(s))))
	}
	for _, level := range []float64{1e-3, 0.3, 1, 2.5, d.Threshold(), 8, 20} {
		all = append(all, float64(d.Deadline(level).Sub(last)))
	}
	due := d.Deadline(d.Threshold())
	if due.Before(last.AddDate(200, 0, 0)) && (!liveness.Suspected(d, due) || liveness.Suspected(d, due.Add(-1))) {
		all = append(all, math.NaN())
	}
	return all
}

// requireUnheard checks that d has heard nothing.
func requireUnheard(t testing.TB, d liveness.Detector, now time.Time) {
	t.Helper()
	for _, now := range []time.Time{now, now.AddDate(50, 0, 0)} {
		require.Zero(t, d.Suspicion(now))
		require.False(t, liveness.Suspected(d, now))
	}
	require.True(t, d.Deadline(d.Threshold()).IsZero())
	require.True(t, d.Deadline(0.5).IsZero())
}

// TestStateInLockStep: a restored detector is one that only forgot its last
// heartbeat, bit for bit and for good.
func TestStateInLockStep(t *testing.T) {
	lengths := []int{0, 1, 2, 3, 40, 150, 250, 600, 1500}
	if testing.Short() || raceEnabled {
		lengths = []int{0, 1, 2, 40, 250}
	}
	for _, c := range restorables(t, time.Second) {
		t.Run(c.name, func(t *testing.T) {
			for i, n := range lengths {
				rng := rand.New(rand.NewPCG(uint64(i), 7))
				d := c.fresh()
				at, seq := drive(d, rng, t0, 1, n)
				data := save(t, d)
				used := c.fresh() // what it had learnt goes
				drive(used, rng, at, 1, 100)
				answers(used)
				for _, restored := range []liveness.Detector{c.fresh(), used} {
					restore(t, restored, data)
					require.Equal(t, data, save(t, restored))
					requireUnheard(t, restored, at)
				}
				restored := restore(t, used, data)
				liveness.Unheard(d)
				at = at.Add(time.Hour)
				for k := range 60 {
					after, _ := drive(d, rand.New(rand.NewPCG(uint64(k), 8)), at, seq, 1+k)
					drive(restored, rand.New(rand.NewPCG(uint64(k), 8)), at, seq, 1+k)
					require.Equal(t, answers(d), answers(restored), "%d heartbeats, and %d rounds", n, k)
					require.Equal(t, save(t, d), save(t, restored))
					at, seq = after.Add(time.Second), seq+1000
				}
			}
		})
	}
}

// TestStateGoesOn: after one heartbeat a restored detector answers what the saved
// one did after its last, if it goes by gaps.
func TestStateGoesOn(t *testing.T) {
	for _, c := range restorables(t, time.Second) {
		d := c.fresh()
		if _, numbered := d.(interface{ Missed() uint64 }); numbered {
			continue
		}
		drive(d, rand.New(rand.NewPCG(1, 2)), t0, 1, 700)
		want := answers(d)
		restored := restore(t, c.fresh(), save(t, d))
		restored.Heartbeat(t0.AddDate(1, 0, 0))
		assert.Equal(t, want, answers(restored), c.name)
		if d, ok := d.(*liveness.Phi); ok {
			assert.Equal(t, d.Stats(), restored.(*liveness.Phi).Stats(), c.name)
			assert.Equal(t, d.Evidence(), restored.(*liveness.Phi).Evidence(), c.name)
		}
		if d, ok := d.(*liveness.Satzger); ok {
			share := restored.(*liveness.Satzger).Share(restored.Deadline(0).Add(time.Second))
			assert.Equal(t, d.Share(d.Deadline(0).Add(time.Second)), share)
			assert.NotZero(t, share)
		}
	}
}

// TestStateAfterAnOutage: the heartbeats that queued up in it are not to be
// expected after a restart, so what comes fast is learnt.
func TestStateAfterAnOutage(t *testing.T) {
	d := newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}})
	begin(t, d).gaps(200, 1).gaps(1, 600)
	restored := restore(t, newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}}), save(t, d))
	begin(t, restored).gaps(1, 0.001)
	assert.Equal(t, 202, restored.Stats().Count)
	d.Heartbeat(d.Deadline(0).Add(time.Millisecond))
	assert.Equal(t, 201, d.Stats().Count)
}

// TestStateOfSequences: EA starts again, the rest does not.
func TestStateOfSequences(t *testing.T) {
	for _, c := range restorables(t, time.Second) {
		d, numbered := c.fresh().(interface {
			restorable
			HeartbeatSeq(uint64, time.Time)
			Missed() uint64
			Ignored() uint64
		})
		if !numbered {
			continue
		}
		rng := rand.New(rand.NewPCG(3, 2))
		drive(d, rng, t0, 100, 700)
		require.NotZero(t, d.Missed())
		require.NotZero(t, d.Ignored())
		restored, fresh := restore(t, c.fresh(), save(t, d)), c.fresh()
		at := t0.AddDate(0, 0, 1)
		for _, r := range []liveness.Detector{restored, fresh} {
			r.(interface{ HeartbeatSeq(uint64, time.Time) }).HeartbeatSeq(3, at) // the sender was restarted too
		}
		assert.Equal(t, d.Missed(), restored.(interface{ Missed() uint64 }).Missed(), c.name)
		assert.Equal(t, d.Ignored(), restored.(interface{ Ignored() uint64 }).Ignored(), c.name)
		switch d := d.(type) {
		case *liveness.Bertier:
			margin := restored.(*liveness.Bertier).Margin()
			assert.Equal(t, d.Margin(), margin)
			assert.NotEqual(t, fresh.(*liveness.Bertier).Margin(), margin)
			assert.Equal(t, time.Second+margin, restored.Deadline(1).Sub(at))
		case *liveness.LossAware:
			p, r := d.Losses()
			gotP, gotR := restored.(*liveness.LossAware).Losses()
			assert.Equal(t, []float64{p, r}, []float64{gotP, gotR})
		default:
			assert.Equal(t, answers(fresh), answers(restored), c.name)
		}
	}
	// A number that was absurd is no excuse for the one after it.
	d := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
	d.HeartbeatSeq(1, t0)
	d.HeartbeatSeq(1e6, t0.Add(time.Second))
	restore(t, d, save(t, d))
	d.HeartbeatSeq(1, t0)
	d.HeartbeatSeq(1e6+1, t0.Add(time.Second))
	assert.Zero(t, d.Missed())
	assert.Equal(t, uint64(2), d.Ignored())
}

// TestStateSizes: what the documentation says of them.
func TestStateSizes(t *testing.T) {
	sizes := map[string]struct{ least, most int }{
		"FixedTimeout": {6, 6}, "Chen": {8, 10}, "TwoWindow": {8, 10}, "Bertier": {24, 26}, "RTO": {23, 23},
		"Quantile": {3500, 4500}, "Satzger": {3500, 4500},
		"Phi": {7500, 8500}, "Phi/gaussian": {3500, 4500}, "LossAware/default": {3500, 4500},
	}
	for _, c := range restorables(t, time.Second) {
		size, ok := sizes[c.name]
		if !ok {
			continue
		}
		d := c.fresh()
		rng := rand.New(rand.NewPCG(1, 1))
		at := t0
		for range 30_000 {
			d.Heartbeat(at)
			at = at.Add(seconds(0.95 + 0.1*rng.Float64()))
		}
		n := len(save(t, d))
		t.Logf("%s: %d bytes", c.name, n)
		assert.True(t, size.least <= n && n <= size.most, "%s: %d bytes", c.name, n)
	}
}

func TestStateIntoAnotherSize(t *testing.T) {
	gap := func(i int) float64 { return 1 + 0.01*float64(i%17) }
	feed := func(d liveness.Detector, from, to int) {
		at := t0
		d.Heartbeat(at)
		for i := from; i < to; i++ {
			at = at.Add(seconds(gap(i)))
			d.Heartbeat(at)
		}
	}
	makers := map[string]func(size int) liveness.Detector{
		"Phi/gaussian": func(n int) liveness.Detector {
			return newPhi(t, liveness.PhiConfig{WindowSize: n, Distribution: liveness.Gaussian{}})
		},
		"Phi/shifted": func(n int) liveness.Detector {
			return newPhi(t, liveness.PhiConfig{WindowSize: n, Distribution: liveness.ShiftedExponential{}})
		},
		"Phi/logstudent": func(n int) liveness.Detector {
			return newPhi(t, liveness.PhiConfig{WindowSize: n, Distribution: liveness.LogStudentT{}})
		},
		"Quantile": func(n int) liveness.Detector { return newQuantile(t, liveness.QuantileConfig{WindowSize: n}) },
		"Satzger":  func(n int) liveness.Detector { return newSatzger(t, liveness.SatzgerConfig{WindowSize: n}) },
	}
	for name, fresh := range makers {
		for _, size := range []int{120, 500, 2000} {
			from := fresh(500)
			feed(from, 0, 800)
			into := restore(t, fresh(size), save(t, from))
			into.Heartbeat(t0)
			want := fresh(size)
			feed(want, 800-min(size, 500), 800)
			assert.Equal(t, answers(want), answers(into), "%s: 500 into %d", name, size)
		}
	}
	for _, size := range []int{200, 400, 5000} {
		from := newPhi(t, liveness.PhiConfig{})
		feed(from, 0, 8000)
		into := restore(t, newPhi(t, liveness.PhiConfig{WindowSize: size}), save(t, from))
		feed(into, 0, 100)
		require.InDelta(t, 2, into.Evidence(), 1.2, "Empirical into %d", size)
		for _, level := range []float64{1, 3, 8} {
			now, then := into.Deadline(level).Sub(into.Deadline(0)), from.Deadline(level).Sub(from.Deadline(0))
			assert.InEpsilon(t, then.Seconds(), now.Seconds(), 0.1, "Empirical into %d, level %v", size, level)
		}
	}
	late := func(size int) *liveness.LossAware {
		return newLossAware(t, liveness.LossAwareConfig{Interval: time.Second, WindowSize: size})
	}
	from := late(1000)
	drive(from, rand.New(rand.NewPCG(1, 1)), t0, 1, 3000)
	into := restore(t, late(100), save(t, from))
	p, r := from.Losses()
	gotP, gotR := into.Losses()
	assert.InDelta(t, p, gotP, 0.005)
	assert.Equal(t, r, gotR)
	again := restore(t, late(100), save(t, into))
	assert.Equal(t, save(t, into), save(t, again))
}

// TestStateIntoAnotherLaw: the gaps are used, as if they had just been seen.
func TestStateIntoAnotherLaw(t *testing.T) {
	laws := append([]liveness.Distribution{liveness.Empirical{}, liveness.Logistic{}, weibull{}}, ownLaws...)
	const pause = 500 * time.Millisecond
	fresh := func(law liveness.Distribution) *liveness.Phi {
		return newPhi(t, liveness.PhiConfig{Distribution: law, AcceptablePause: pause})
	}
	for _, from := range laws {
		for _, into := range laws {
			n := 600
			if from == (liveness.Empirical{}) {
				n = 200 // that it saves
			}
			saved, want := fresh(from), fresh(into)
			at := t0
			for i := range n + 1 {
				saved.Heartbeat(at)
				want.Heartbeat(at)
				at = at.Add(seconds(0.9 + 0.1*float64(i%3)))
			}
			restored := restore(t, fresh(into), save(t, saved))
			restored.Heartbeat(t0)
			assert.Equal(t, answers(want), answers(restored), "%T into %T", from, into)
			assert.Equal(t, want.Stats(), restored.Stats(), "%T into %T", from, into)
		}
	}
	// Outages are a law's own.
	saved := fresh(liveness.LogNormal{})
	drive(saved, rand.New(rand.NewPCG(2, 2)), t0, 1, 500)
	restored := restore(t, fresh(liveness.Gaussian{}), save(t, saved))
	drive(restored, rand.New(rand.NewPCG(2, 3)), t0, 1, 500)
}

func TestStateIntoAnotherType(t *testing.T) {
	want := func(into, from liveness.Detector, message string) {
		t.Helper()
		assert.EqualError(t, into.(restorable).UnmarshalBinary(save(t, from)), message)
	}
	phi := newPhi(t, liveness.PhiConfig{})
	chen := newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second})
	rto := newRTO(t, liveness.RTOConfig{})
	want(phi, chen, "liveness: state of a Chen, want one of a Phi")
	want(chen, rto, "liveness: state of an RTO, want one of a Chen")
	want(rto, phi, "liveness: state of a Phi, want one of an RTO")
	all := restorables(t, time.Second)
	for _, a := range all {
		for _, b := range all {
			err := a.fresh().(restorable).UnmarshalBinary(save(t, b.fresh()))
			if fmt.Sprintf("%T", a.fresh()) == fmt.Sprintf("%T", b.fresh()) {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, "liveness: state of a")
				assert.ErrorContains(t, err, "want one of a")
			}
		}
	}
}

func TestStateOfZeroValues(t *testing.T) {
	for _, d := range []restorable{
		new(liveness.Phi), new(liveness.FixedTimeout), new(liveness.Chen), new(liveness.Bertier), new(liveness.TwoWindow),
		new(liveness.RTO), new(liveness.Quantile), new(liveness.Satzger), new(liveness.LossAware),
	} {
		name := fmt.Sprintf("%T", d)[len("*liveness."):]
		message := fmt.Sprintf("liveness: %s not made by New%[1]s", name)
		_, err := d.MarshalBinary()
		assert.EqualError(t, err, message)
		assert.EqualError(t, d.UnmarshalBinary(nil), message)
		b, err := d.AppendBinary([]byte("kept"))
		assert.EqualError(t, err, message)
		assert.Equal(t, "kept", string(b))
		assert.Zero(t, d.Suspicion(t0))
	}
}

func TestStateAppends(t *testing.T) {
	for _, c := range restorables(t, time.Second) {
		d := c.fresh().(restorable)
		drive(d, rand.New(rand.NewPCG(1, 1)), t0, 1, 50)
		b, err := d.AppendBinary([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+string(save(t, d)), string(b))
	}
}

// sealed returns a state with a right checksum.
func sealed(body ...[]byte) []byte {
	b := slices.Concat(body...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)))
}

func varint(x int64) []byte     { return binary.AppendVarint(nil, x) }
func uvarint(x uint64) []byte   { return binary.AppendUvarint(nil, x) }
func floats(x float64) []byte   { return binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)) }
func floats32(x float32) []byte { return binary.LittleEndian.AppendUint32(nil, math.Float32bits(x)) }

// TestStateDamaged: whatever happens to a state, it is an error, and nothing else.
func TestStateDamaged(t *testing.T) {
	for _, c := range restorables(t, time.Second) {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, 5))
			saved := c.fresh()
			drive(saved, rng, t0, 1, 300)
			data := save(t, saved)
			d := c.fresh().(restorable)
			drive(d, rng, t0, 1, 100)
			before, said := save(t, d), answers(d)
			refused := func(data []byte, what string, args ...any) {
				t.Helper()
				err := d.UnmarshalBinary(data)
				require.ErrorContains(t, err, "liveness: state of ", what, args)
			}
			every := 1 + len(data)/200
			for n := 0; n < len(data); n += every {
				refused(data[:n], "the first %d bytes", n)
				if n < len(data)-4 {
					refused(sealed(data[:n]), "the first %d bytes, sealed", n)
				}
				damaged := slices.Clone(data)
				damaged[n] ^= 1 << rng.IntN(8)
				refused(damaged, "byte %d changed", n)
			}
			refused(append(slices.Clone(data), 0), "a byte more")
			refused(sealed(data[:len(data)-4], []byte{0}), "a byte more, sealed")
			refused(sealed(data[:1], []byte{2}, data[2:len(data)-4]), "another version")
			refused(sealed([]byte{0}, data[1:len(data)-4]), "another kind")
			refused(sealed(data[:2], uvarint(1<<40), data[2:len(data)-4]), "a long row")
			require.Equal(t, before, save(t, d))
			require.Equal(t, said, answers(d))
		})
	}
}

func TestStateErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	phi := func() restorable { return newPhi(t, liveness.PhiConfig{}) }
	gauss := func() restorable { return newPhi(t, liveness.PhiConfig{Distribution: liveness.Gaussian{}}) }
	rto := func() restorable { return newRTO(t, liveness.RTOConfig{}) }
	quantile := func() restorable { return newQuantile(t, liveness.QuantileConfig{}) }
	chen := func() restorable { return newChen(t, liveness.ChenConfig{Interval: time.Second, Margin: time.Second}) }
	bertier := func() restorable { return newBertier(t, liveness.BertierConfig{Interval: time.Second}) }
	lossAware := func() restorable { return newLossAware(t, liveness.LossAwareConfig{Interval: time.Second}) }
	calm := slices.Concat(uvarint(1<<21), []byte{0, 0, 0, 0})
	noGaps := slices.Concat(uvarint(0), calm)
	level := func(seen uint64, means, moment, slope float64) []byte {
		return slices.Concat(uvarint(seen), floats(means), floats(means), floats(means), floats(moment), floats(0), floats(slope))
	}
	zeros := func(n int) []byte { return make([]byte, 8*n) }
	for _, c := range []struct {
		d    func() restorable
		body []byte
		want string
	}{
		{gauss, slices.Concat([]byte{0}, noGaps), "unknown law 0"},
		{gauss, slices.Concat([]byte{77}, noGaps), "unknown law 77"},
		{gauss, []byte{1}, "it ends before the number of gaps"},
		{gauss, slices.Concat([]byte{1}, uvarint(1<<20+1)), "number of gaps is 1048577, want a number from 0 to 1048576"},
		{gauss, slices.Concat([]byte{1}, uvarint(100), calm), "it ends within the gaps"},
		{gauss, slices.Concat([]byte{1}, uvarint(1), []byte{0x80}), "it ends before the gaps"},
		{gauss, slices.Concat([]byte{1}, uvarint(1), varint(0), calm), "number 1 of the gaps is 0, want 1 to"},
		{gauss, slices.Concat([]byte{1}, uvarint(2), varint(5), varint(-6), calm), "number 2 of the gaps is -1, want 1 to"},
		{gauss, slices.Concat([]byte{1}, uvarint(2), varint(math.MaxInt64), varint(1), calm), "number 2 of the gaps is -9223372036854775808"},
		{gauss, slices.Concat([]byte{1}, uvarint(0), uvarint(1<<21+1)), "number of gaps since an outage is 2097153"},
		{gauss, slices.Concat([]byte{1}, uvarint(0), uvarint(3), uvarint(0)), "share of an outage is 0"},
		{gauss, slices.Concat([]byte{1}, uvarint(0), uvarint(3), uvarint(1<<63)), "share of an outage is 9223372036854775808"},
		{gauss, slices.Concat([]byte{1}, uvarint(0), uvarint(1<<21), []byte{5}), "number of outages in a row is 5, want at most 4"},
		{gauss, slices.Concat([]byte{1}, uvarint(0), uvarint(1<<21), []byte{0, 4}), "number of recent outages is 4, want at most 3"},
		{gauss, slices.Concat([]byte{1}, uvarint(0), uvarint(1<<21), []byte{0, 0, 2}), "death is 2, want at most 1"},
		{gauss, slices.Concat([]byte{1}, noGaps, []byte{1}), "there are bytes after its end"},
		{gauss, slices.Concat([]byte{1}, []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f}), "number of gaps is above 64 bits"},

		// Those of an Empirical are read by a Gaussian too.
		{gauss, slices.Concat([]byte{9}, noGaps), "it ends before the number of gaps behind the level"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(334)), "number of gaps behind the level is 334"},
		{phi, slices.Concat([]byte{9}, noGaps, level(3, nan, 0, 0)), "quick mean is NaN"},
		{phi, slices.Concat([]byte{9}, noGaps, level(3, 0, 0, 0)), "quick mean is 0"},
		{phi, slices.Concat([]byte{9}, noGaps, level(3, inf, 0, 0)), "quick mean is +Inf"},
		{phi, slices.Concat([]byte{9}, noGaps, level(3, 1, -1, 0)), "second moment is -1"},
		{phi, slices.Concat([]byte{9}, noGaps, level(3, 1, 1, 1.5)), "slope is 1.5, want a number from 0 to 1"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), floats(0.71)), "correction is 0.71, want a number from -1 to 0.7"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(10_001)), "number of ratios is 10001"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(2), floats32(1)), "it ends within the ratios"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(1), floats32(0)), "ratio is 0"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(1), floats32(-1)), "ratio is -1"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(1), floats32(float32(nan))), "ratio is NaN"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(1), floats32(float32(inf))), "ratio is +Inf"},
		{phi, slices.Concat([]byte{9}, noGaps, uvarint(0), zeros(4), uvarint(0), uvarint(1), floats32(0.5)), "ratio is 0.5, want a number from 1 to 2.1e+38"},
		{phi, slices.Concat([]byte{9}, noGaps, level(333, 1, 1, 0), zeros(4), uvarint(0), uvarint(0), uvarint(0)), "0 ratios of 333 gaps"},

		{quantile, slices.Concat(uvarint(1), varint(-3), calm), "number 1 of the gaps is -3"},
		{rto, []byte{3}, "phase is 3, want at most 2"},
		{rto, []byte{1}, "it ends before the SRTT"},
		{rto, slices.Concat([]byte{1}, floats(0), floats(0)), "SRTT is 0"},
		{rto, slices.Concat([]byte{1}, floats(nan), floats(0)), "SRTT is NaN"},
		{rto, slices.Concat([]byte{2}, floats(1), floats(-1)), "RTTVAR is -1"},
		{rto, slices.Concat([]byte{2}, floats(1), floats(inf)), "RTTVAR is +Inf"},
		{chen, uvarint(1), "it ends before the number of ignored heartbeats"},
		{bertier, slices.Concat(uvarint(1), uvarint(1), floats(nan)), "delay is NaN"},
		{bertier, slices.Concat(uvarint(1), uvarint(1), floats(0), floats(-1)), "var is -1"},
		{lossAware, slices.Concat(uvarint(1), uvarint(1), uvarint(1), varint(1e16)), "number 1 of the latenesses is 10000000000000000"},
		{lossAware, slices.Concat(uvarint(1), uvarint(1), uvarint(0), floats(1e7)), "weight of heartbeats after one that arrived is 1e+07"},
		{lossAware, slices.Concat(uvarint(1), uvarint(1), uvarint(0), floats(10), floats(11)), "weight of the bursts begun is 11, want a number from 0 to 10"},
		{lossAware, slices.Concat(uvarint(1), uvarint(1), uvarint(0), floats(10), floats(1), floats(nan)), "weight of heartbeats after one that went missing is NaN"},
		{lossAware, slices.Concat(uvarint(1), uvarint(1), uvarint(0), floats(10), floats(1), floats(0), floats(1)), "weight of the bursts continued is 1"},
		{lossAware, slices.Concat(uvarint(1), uvarint(1), uvarint(0), zeros(4), uvarint(0), []byte{4}), "number of outages is 4"},
	} {
		d := c.d()
		data := sealed(save(t, d)[:2], c.body)
		assert.ErrorContains(t, d.UnmarshalBinary(data), ": "+c.want)
	}
	d := gauss()
	assert.EqualError(t, d.UnmarshalBinary(nil), "liveness: state of a Phi: 0 bytes are too few")
	assert.EqualError(t, d.UnmarshalBinary([]byte("P\x0112345")), "liveness: state of a Phi: wrong checksum: it is damaged or cut short")
	assert.EqualError(t, d.UnmarshalBinary([]byte("P\x0212345")), "liveness: state of a Phi: version 2, want 1")
	assert.EqualError(t, d.UnmarshalBinary([]byte("?\x0112345")), "liveness: state of nothing known, want one of a Phi")
	assert.EqualError(t, d.UnmarshalBinary(sealed([]byte("P\x01\x01"), noGaps, []byte{1})), "liveness: state of a Phi: there are bytes after its end")
}

// TestStateAllocates: no more than the receiver has room for.
func TestStateAllocates(t *testing.T) {
	from := newPhi(t, liveness.PhiConfig{WindowSize: 100_000, Distribution: liveness.Gaussian{}})
	begin(t, from).gaps(100_000, 1)
	data := save(t, from)
	into := newPhi(t, liveness.PhiConfig{WindowSize: 10, Distribution: liveness.Gaussian{}})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		require.NoError(t, into.UnmarshalBinary(data))
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100*1000))
	assert.Equal(t, 10, into.Stats().Count)
}

// TestStateWhileHeartbeatsArrive is for the race detector, above all.
func TestStateWhileHeartbeatsArrive(t *testing.T) {
	for _, c := range restorables(t, time.Second) {
		d := c.fresh().(restorable)
		at, _ := drive(d, rand.New(rand.NewPCG(1, 1)), t0, 1, 250)
		first := save(t, d)
		var done sync.WaitGroup
		run := func(f func(i int)) {
			done.Go(func() {
				for i := range 100 {
					f(i)
				}
			})
		}
		run(func(i int) { d.Heartbeat(at.Add(time.Duration(i) * time.Second)) })
		run(func(int) {
			data, err := d.MarshalBinary()
			if err != nil || c.fresh().(restorable).UnmarshalBinary(data) != nil {
				t.Errorf("%s: a state that was saved is refused", c.name)
			}
		})
		run(func(i int) {
			if i%10 == 0 && d.UnmarshalBinary(first) != nil {
				t.Errorf("%s: a state that was saved is refused", c.name)
			}
		})
		run(func(i int) {
			now := at.Add(time.Duration(i) * time.Second)
			if level := d.Suspicion(now); !(level >= 0) {
				t.Errorf("%s: level %v", c.name, level)
			}
			liveness.Suspected(d, now)
			d.Deadline(1)
		})
		done.Wait()
	}
}

// A slow law takes its time to fit, and lets something happen meanwhile.
type slow struct {
	weibull
	meanwhile func()
}

func (s *slow) Fit(stats liveness.Stats) liveness.Distribution {
	if f := s.meanwhile; f != nil {
		s.meanwhile = nil
		f()
	}
	return s.weibull.Fit(stats)
}

// TestStateWhileALawIsFitted: whoever has asked is answered about the silence
// before; afterwards nothing of it is left.
func TestStateWhileALawIsFitted(t *testing.T) {
	for name, ask := range map[string]func(*testing.T, *liveness.Phi, time.Time){
		"Deadline": func(t *testing.T, d *liveness.Phi, last time.Time) {
			assert.True(t, d.Deadline(d.Threshold()).After(last))
			requireUnheard(t, d, last)
		},
		"Suspected": func(t *testing.T, d *liveness.Phi, last time.Time) {
			assert.False(t, d.Suspected(last.Add(time.Second)))
			requireUnheard(t, d, last)
		},
		"Suspicion": func(t *testing.T, d *liveness.Phi, last time.Time) {
			assert.Positive(t, d.Suspicion(last.Add(time.Second)))
			requireUnheard(t, d, last)
		},
		"Heartbeat": func(t *testing.T, d *liveness.Phi, last time.Time) {
			d.Heartbeat(last.Add(time.Hour))
			assert.Equal(t, last.Add(time.Hour), d.Deadline(0))
		},
	} {
		for _, heartbeats := range []int{0, 5} { // after the restoring, as many as before
			t.Run(fmt.Sprint(name, heartbeats), func(t *testing.T) {
				law := &slow{}
				d := newPhi(t, liveness.PhiConfig{Distribution: law})
				empty := save(t, d)
				last := begin(t, d).gaps(4, 1).last
				law.meanwhile = func() {
					require.NoError(t, d.UnmarshalBinary(empty))
					for i := range heartbeats {
						d.Heartbeat(last.AddDate(0, 0, -1).Add(time.Duration(i) * 3 * time.Second))
					}
				}
				if heartbeats == 0 {
					ask(t, d, last)
					assert.Zero(t, d.Stats().Count)
					return
				}
				switch name {
				case "Deadline":
					d.Deadline(d.Threshold())
				case "Suspected":
					d.Suspected(last)
				case "Suspicion":
					d.Suspicion(last)
				case "Heartbeat":
					return
				}
				want := newPhi(t, liveness.PhiConfig{Distribution: weibull{}})
				begin(t, want).gaps(heartbeats-1, 3)
				assert.Equal(t, answers(want), answers(d))
			})
		}
	}
}

func TestWindowState(t *testing.T) {
	extremes := []time.Duration{0, math.MinInt64, math.MaxInt64, -1, 1, math.MinInt64, 7, 7}
	for _, n := range []int{0, 3, 5, 8} {
		w := newWindow(t, 5)
		for _, d := range extremes[:n] {
			w.Add(d)
		}
		data, err := w.MarshalBinary()
		require.NoError(t, err)
		for _, capacity := range []int{2, 5, 9} {
			into := newWindow(t, capacity)
			into.Add(42)
			require.NoError(t, into.UnmarshalBinary(data))
			all := slices.Collect(w.All())
			assert.Equal(t, all[max(0, len(all)-capacity):], slices.Collect(into.All()))
			want := newWindow(t, capacity)
			for d := range into.All() {
				want.Add(d)
			}
			assert.Equal(t, want.Stats(), into.Stats())
		}
		other := newWindow(t, 5)
		other.Add(1)
		for i := range data {
			assert.Error(t, other.UnmarshalBinary(data[:i]))
		}
		assert.Equal(t, 1, other.Len())
	}
	var zero liveness.Window
	_, err := zero.MarshalBinary()
	assert.EqualError(t, err, "liveness: Window not made by NewWindow")
	assert.EqualError(t, zero.UnmarshalBinary(nil), "liveness: Window not made by NewWindow")
	assert.EqualError(t, newWindow(t, 1).UnmarshalBinary(save(t, newRTO(t, liveness.RTOConfig{}))),
		"liveness: state of an RTO, want one of a Window")
}

// requireSane checks what has to hold of a detector that was just restored,
// whatever it was told.
func requireSane(t *testing.T, name string, d restorable) {
	t.Helper()
	saved := save(t, d)
	requireUnheard(t, d, t0)
	at := t0
	for _, gap := range []float64{0, 1, 0.001, 100, 1e5, 1} {
		at = at.Add(seconds(gap))
		d.Heartbeat(at)
		require.False(t, liveness.Suspected(d, d.Deadline(0)), name)
		level := 0.0
		for s := 1e-9; s < 1e9; s *= 10 {
			next := d.Suspicion(at.Add(seconds(s)))
			require.True(t, next >= level && next <= math.MaxFloat64, "%s: level %v after %v", name, next, level)
			level = next
		}
		if due := d.Deadline(d.Threshold()); due.Before(at.AddDate(200, 0, 0)) {
			require.GreaterOrEqual(t, d.Suspicion(due), d.Threshold(), name)
			require.Less(t, d.Suspicion(due.Add(-1)), d.Threshold(), name)
		}
	}
	require.NoError(t, d.UnmarshalBinary(save(t, d)), name)
	require.NoError(t, d.UnmarshalBinary(saved), name)
	require.Equal(t, saved, save(t, d), name)
}

// TestStateMadeUp: states that are well-formed, with numbers that no heartbeats would have taught.
func TestStateMadeUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	// number is from low to high, often one of them, else of any magnitude.
	number := func(low, high float64) float64 {
		switch rng.IntN(4) {
		case 0:
			return low
		case 1:
			return high
		case 2:
			return low + (high-low)*rng.Float64()
		}
		floor := max(low, 1e-40)
		return floor * math.Pow(high/floor, rng.Float64())
	}
	signed := func(high float64) float64 {
		if rng.IntN(2) == 0 {
			return -number(0, high)
		}
		return number(0, high)
	}
	count := func(most int) []byte {
		n := int(number(0, float64(most)))
		return uvarint(uint64(n))
	}
	row := func(most int, draw func() int64) []byte {
		n := []int{0, 1, 2, 30, most}[rng.IntN(5)]
		b, last := uvarint(uint64(n)), int64(0)
		for range n {
			x := draw()
			b, last = append(b, varint(x-last)...), x
		}
		return b
	}
	extreme := []func() int64{
		func() int64 { return 1 },
		func() int64 { return math.MaxInt64 },
		func() int64 { return int64(min(number(1, 9e18), 9e18)) },
		func() int64 { return 1e9 + rng.Int64N(3) },
	}
	gaps := func() []byte { return row(1200, extreme[rng.IntN(len(extreme))]) }
	outages := func() []byte {
		flags := []byte{byte(rng.IntN(5)), byte(rng.IntN(4)), byte(rng.IntN(2)), byte(rng.IntN(2))}
		if rng.IntN(2) == 0 {
			return slices.Concat(uvarint(1<<21), flags)
		}
		return slices.Concat(uvarint(rng.Uint64N(1<<21)), uvarint(uint64(extreme[rng.IntN(len(extreme))]())), flags)
	}
	ratios := func(n int, low, high float64) []byte {
		b, same := uvarint(uint64(n)), rng.IntN(3) == 0
		x := float32(number(low, high))
		for range n {
			if !same {
				x = float32(number(low, high))
			}
			b = append(b, floats32(min(max(x, float32(low)), float32(high)))...)
		}
		return b
	}
	tiers := func() []byte {
		b := uvarint(333)
		for range 3 {
			b = append(b, floats(number(0.9, 9.3e18))...)
		}
		b = slices.Concat(b, floats(number(0, 1e38)), floats(signed(1e38)), floats(number(0, 1)))
		for range 4 {
			b = append(b, floats(-1+number(0, 1.7))...)
		}
		return slices.Concat(b, ratios(200+rng.IntN(1000), 1e-19, 2e19), ratios(rng.IntN(600), 1, 2e38), ratios(rng.IntN(300), 1, 2e38))
	}
	bodies := map[byte]func() []byte{
		'F': func() []byte { return nil },
		'C': func() []byte { return slices.Concat(uvarint(rng.Uint64()), count(10)) },
		'2': func() []byte { return slices.Concat(uvarint(rng.Uint64()), count(10)) },
		'B': func() []byte {
			return slices.Concat(count(10), count(10), floats(signed(1.7e16)), floats(number(0, 3.4e16)))
		},
		'R': func() []byte {
			return slices.Concat([]byte{byte(1 + rng.IntN(2))}, floats(number(5e-324, 8.6e15)), floats(number(0, 8.6e15)))
		},
		'Q': func() []byte { return slices.Concat(gaps(), outages()) },
		'S': func() []byte { return slices.Concat(gaps(), outages()) },
		'L': func() []byte {
			arrived, gone := number(0, 1e6), number(0, 101)
			return slices.Concat(count(10), count(10), row(1200, func() int64 { return int64(signed(8.6e15)) }),
				floats(arrived), floats(number(0, arrived)), floats(gone), floats(number(0, gone)),
				uvarint(rng.Uint64()>>rng.IntN(64)), []byte{byte(rng.IntN(4))})
		},
		'P': func() []byte {
			if rng.IntN(2) == 0 {
				return slices.Concat([]byte{9}, gaps(), outages(), tiers())
			}
			return slices.Concat([]byte{byte(1 + rng.IntN(8))}, gaps(), outages())
		},
	}
	rounds := 60
	if testing.Short() || raceEnabled {
		rounds = 5
	}
	for _, c := range restorables(t, time.Second) {
		header := save(t, c.fresh())[:2]
		for range rounds {
			d := c.fresh().(restorable)
			require.NoError(t, d.UnmarshalBinary(sealed(header, bodies[header[0]]())), c.name)
			requireSane(t, c.name, d)
		}
	}
}

// FuzzUnmarshal gives every detector bytes, as they are and as the body of a
// state of its kind: they are refused, or it works, and saves what it restores.
func FuzzUnmarshal(f *testing.F) {
	for _, c := range restorables(f, time.Second) {
		for _, n := range []int{0, 5, 400} {
			d := c.fresh()
			drive(d, rand.New(rand.NewPCG(1, uint64(n))), t0, 1, n)
			data := save(f, d)
			f.Add(data)
			f.Add(data[2 : len(data)-4])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, c := range restorables(t, time.Second) {
			header := save(t, c.fresh())[:2]
			for _, data := range [][]byte{data, sealed(header, data)} {
				d := c.fresh().(restorable)
				if err := d.UnmarshalBinary(data); err != nil {
					require.ErrorContains(t, err, "liveness: ")
					require.Equal(t, save(t, c.fresh()), save(t, d))
					continue
				}
				saved := save(t, d)
				require.Equal(t, saved, save(t, restore(t, c.fresh(), saved)))
				requireSane(t, c.name, d)
			}
		}
	})
}
