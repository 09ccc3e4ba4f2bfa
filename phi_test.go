package liveness_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
)

// TestPhiFollowsItsLaw compares the detector with the law it says it has learnt.
func TestPhiFollowsItsLaw(t *testing.T) {
	for _, family := range append(ownLaws, weibull{}) {
		for _, pause := range []time.Duration{0, 1500 * time.Millisecond} {
			d := newPhi(t, liveness.PhiConfig{Distribution: family, AcceptablePause: pause, WindowSize: 100})
			rng := rand.New(rand.NewPCG(1, 1))
			s := begin(t, d)
			for range 250 {
				s.gaps(1, 0.8+0.4*rng.Float64())
				law := family.Fit(d.Stats())
				for _, x := range []float64{0.1, 0.9, 1, 1.2, 2, 5, 1000} {
					assert.InEpsilon(t, 1+law.Phi(x-pause.Seconds()), 1+s.after(x), 1e-12, "%T at %v s", family, x)
				}
				for _, level := range []float64{0.5, 1, 8, 30} {
					due := law.Quantile(level) + pause.Seconds()
					if due < math.MaxInt64/1e9 { // else it is out of reach
						assert.InDelta(t, due, s.detection(level), 2e-9+1e-12*due, "%T at level %v", family, level)
					}
				}
			}
		}
	}
}

// TestPhiDependsOnItsWindowAlone: a full window's samples decide, not what passed before.
func TestPhiDependsOnItsWindowAlone(t *testing.T) {
	a := begin(t, newPhi(t, liveness.PhiConfig{WindowSize: 50}))
	b := begin(t, newPhi(t, liveness.PhiConfig{WindowSize: 50}))
	rng := rand.New(rand.NewPCG(4, 4))
	for range 5000 {
		a.gaps(1, 0.5+rng.Float64())
	}
	for i := range 60 {
		gap := 1 + float64(i%7)/10
		a.gaps(1, gap)
		b.gaps(1, gap)
	}
	for x := 0.1; x < 10; x *= 1.1 {
		assert.Equal(t, b.after(x), a.after(x))
		assert.Equal(t, b.detection(x), a.detection(x))
	}
}

func TestPhiTeaching(t *testing.T) {
	tight := liveness.PhiConfig{MinStdDev: 100 * time.Millisecond, WindowSize: 100}
	regular := func(t *testing.T) (*script, *liveness.Phi, float64) {
		d := newPhi(t, tight)
		s := begin(t, d).gaps(200, 1)
		return s, d, s.detection(8)
	}

	t.Run("a gap up to the deadline teaches its length", func(t *testing.T) {
		s, d, wait := regular(t)
		s.gaps(1, wait)
		assert.InEpsilon(t, (99+wait)/100, d.Stats().Mean, 1e-12)
	})
	t.Run("an outage teaches the deadline as it stood", func(t *testing.T) {
		s, d, wait := regular(t)
		s.gaps(1, 600)
		assert.InEpsilon(t, (99+wait)/100, d.Stats().Mean, 1e-12)
		assert.Less(t, s.detection(8)/wait, 1.05)
	})
	t.Run("so does a second one; the third in a row teaches up to two waits, the next up to ten", func(t *testing.T) {
		s, d, wait := regular(t)
		s.gaps(1, 3).gaps(1, 3)
		sum := 98 + 2*wait
		assert.InEpsilon(t, sum/100, d.Stats().Mean, 1e-9)
		third := s.detection(8)
		s.gaps(1, 3600)
		sum += 2*third - 1
		assert.InEpsilon(t, sum/100, d.Stats().Mean, 1e-9)
		fourth := s.detection(8)
		s.gaps(1, 3600)
		sum += 10*fourth - 1
		assert.InEpsilon(t, sum/100, d.Stats().Mean, 1e-9)
	})
	t.Run("outages within a window do not build on each other", func(t *testing.T) {
		for _, law := range ownLaws {
			d := newPhi(t, liveness.PhiConfig{Distribution: law})
			s := begin(t, d).gaps(1500, 1)
			wait := s.detection(8)
			for n := range 8 {
				s.gaps(1, 600).gaps(10, 1)
				assert.InEpsilon(t, (1000+float64(n+1)*(wait-1))/1000, d.Stats().Mean, 1e-9)
			}
			assert.Less(t, s.detection(8)/wait, 1.6, "%T", law)
		}
	})
	t.Run("recurrent pauses become usual, where the law allows", func(t *testing.T) {
		for _, law := range []liveness.Distribution{liveness.Gaussian{}, liveness.LogNormal{}, liveness.StudentT{}, liveness.LogStudentT{}} {
			s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law, MinStdDev: time.Millisecond})).gaps(1500, 1)
			suspected := 0
			for n := range 100 {
				if s.suspected(2) && n >= 50 {
					suspected++
				}
				s.gaps(1, 2).gaps(19, 1)
			}
			assert.Zero(t, suspected, "%T", law)
		}
	})
	t.Run("a high threshold learns an outage no further than the level 8", func(t *testing.T) {
		for _, law := range ownLaws {
			d := newPhi(t, liveness.PhiConfig{Distribution: law, Threshold: 20})
			s := begin(t, d).gaps(1500, 1)
			eight := s.detection(8)
			s.gaps(1, 600)
			assert.InEpsilon(t, (999+eight)/1000, d.Stats().Mean, 1e-9, "%T", law)
			assert.Less(t, s.detection(20), 700.0)
		}
	})
	t.Run("a pause is not learnt", func(t *testing.T) {
		for _, law := range ownLaws {
			d := newPhi(t, liveness.PhiConfig{Distribution: law, AcceptablePause: time.Minute})
			s := begin(t, d).gaps(1500, 1)
			wait := s.detection(8)
			s.gaps(1, 60)
			assert.InEpsilon(t, (999+wait-60)/1000, d.Stats().Mean, 1e-9, "%T", law)
			assert.InEpsilon(t, wait, s.detection(8), 0.05, "%T", law)
		}
	})
	t.Run("outages a window apart are each cut", func(t *testing.T) {
		s, _, wait := regular(t)
		for range 10 {
			s.gaps(1, 600).gaps(100, 1)
			assert.InDelta(t, wait, s.detection(8), 1e-9)
		}
	})
	t.Run("a slower process is followed within a window", func(t *testing.T) {
		for _, slower := range []float64{2, 10, 100, 1e4} {
			s, d, _ := regular(t)
			s.gaps(100, slower)
			assert.False(t, s.suspected(slower), "%v times slower", slower)
			assert.InEpsilon(t, slower, d.Stats().Mean, 0.2, "%v times slower", slower)
		}
	})
	t.Run("another process after a death", func(t *testing.T) {
		s, d, _ := regular(t)
		s.gaps(1, 100).gaps(1, 5)
		assert.Equal(t, 100, d.Stats().Count, "one slow gap may be its start")
		s.gaps(1, 5)
		assert.Equal(t, 0, d.Stats().Count, "back to the prior")
		s.gaps(200, 5)
		assert.InEpsilon(t, 5, d.Stats().Mean, 1e-9)
	})
	t.Run("a slow start after a death is no habit", func(t *testing.T) {
		for _, law := range []liveness.Distribution{liveness.Gaussian{}, liveness.Exponential{}, liveness.LogNormal{}} {
			s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law})).gaps(1500, 1)
			wait := s.detection(8)
			s.gaps(1, 500).gaps(2, 40)
			assert.InEpsilon(t, wait, s.detection(8), 0.5, "%T", law)
		}
	})
	t.Run("the same process after a death and a slow start", func(t *testing.T) {
		s, d, wait := regular(t)
		s.gaps(1, 600).gaps(1, 30).gaps(1, 1).gaps(1, 5)
		assert.Equal(t, 100, d.Stats().Count)
		assert.Less(t, s.detection(8)/wait, 2.5)
	})
	t.Run("any regular process is trusted in the end, whatever the prior", func(t *testing.T) {
		for _, law := range ownLaws {
			for _, weight := range []float64{1e-100, 2, 190, 500, 1e4, 1e6} {
				for _, period := range []float64{1e-3, 5, 34, 100, 400, 3600} {
					s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law, PriorWeight: weight, WindowSize: 200}))
					for range 15 { // an odd short gap is no reason to begin again
						s.gaps(40, period).gaps(1, period/200)
					}
					for range 10 {
						require.False(t, s.suspected(period), "%T, weight %v, period %v s", law, weight, period)
						s.gaps(1, period)
					}
				}
			}
		}
	})
	t.Run("a crash loop does not blind", func(t *testing.T) {
		s, _, wait := regular(t)
		for range 2 {
			s.gaps(1, 600)
		}
		assert.Less(t, s.detection(8)/wait, 1.2)
	})
	t.Run("nothing from a repeated or an earlier time", func(t *testing.T) {
		s, d, wait := regular(t)
		before := d.Stats()
		s.d.Heartbeat(s.last)
		s.d.Heartbeat(s.last.Add(-time.Hour))
		s.d.Heartbeat(s.last.Add(-time.Second))
		assert.Equal(t, before, d.Stats())
		assert.Equal(t, wait, s.detection(8))
	})
	t.Run("a burst after an outage teaches nothing, as far as it can have queued up", func(t *testing.T) {
		s, d, wait := regular(t)
		s.gaps(1, 50).gaps(50, 1e-5)
		assert.InEpsilon(t, (99+wait)/100, d.Stats().Mean, 1e-9)
		s.gaps(1, 1e-5)
		assert.Less(t, d.Stats().Mean, 1.0, "one more than the outage had room for")
		s, d, _ = regular(t)
		s.gaps(1, 1e-5)
		assert.Less(t, d.Stats().Mean, 1.0, "there was no outage")
	})
	t.Run("usual heartbeats are not taken for queued ones", func(t *testing.T) {
		for _, window := range []int{1, 5, 20} {
			for _, law := range []liveness.Distribution{liveness.Gaussian{}, liveness.Exponential{}, liveness.LogNormal{}} {
				s := begin(t, newPhi(t, liveness.PhiConfig{Distribution: law, WindowSize: window})).gaps(100, 1)
				wait := s.detection(8)
				s.gaps(2, 600).gaps(1, 86400).gaps(300, 1)
				assert.InEpsilon(t, wait, s.detection(8), 1e-6, "%T, window %d", law, window)
			}
		}
	})
	t.Run("waits beyond all bounds do not overflow", func(t *testing.T) {
		d := newPhi(t, liveness.PhiConfig{
			Distribution: liveness.LogNormal{}, Threshold: 15, MinRelStdDev: 100, WindowSize: 300, ExpectedInterval: 10350 * time.Microsecond,
		})
		at := time.Date(1750, 1, 1, 0, 0, 0, 0, time.UTC)
		for range 200 {
			at = at.Add(10350 * time.Microsecond)
			d.Heartbeat(at)
		}
		for range 6 {
			at = at.AddDate(80, 0, 0)
			d.Heartbeat(at)
			d.Heartbeat(at.Add(time.Second))
			s := d.Stats()
			require.True(t, s.Mean > 0 && s.StdDev > 0, "%+v", s)
			require.True(t, d.Deadline(15).After(at))
		}
	})
	t.Run("an early consumer does not make it deaf", func(t *testing.T) {
		// With threshold 1 a gap in ten breaks the deadline. Cut at it, the
		// window would hold ever less spread and the deadline would shrink.
		early := newPhi(t, liveness.PhiConfig{Threshold: 1, MinStdDev: time.Millisecond})
		rng := rand.New(rand.NewPCG(5, 5))
		s := begin(t, early)
		mistakes := 0
		const n = 20_000
		for i := range n {
			gap := 1 + 0.1*rng.NormFloat64()
			if i >= n/2 && s.suspected(gap) {
				mistakes++
			}
			s.gaps(1, gap)
		}
		assert.InEpsilon(t, 0.1*n/2, float64(mistakes), 0.1)
		assert.InEpsilon(t, 0.1, early.Stats().StdDev, 0.1)
	})
	t.Run("a clock set back is noticed at the second heartbeat", func(t *testing.T) {
		s, _, wait := regular(t)
		back := s.last.Add(-time.Hour)
		s.d.Heartbeat(back)
		assert.Zero(t, s.d.Suspicion(back.Add(time.Minute)))
		s.d.Heartbeat(back.Add(time.Second))
		assert.Equal(t, back.Add(time.Second+seconds(wait)), s.d.Deadline(8))
	})
	t.Run("out of order by less than the wait, however often, is no clock set back", func(t *testing.T) {
		s, _, wait := regular(t)
		for range 10 {
			s.d.Heartbeat(s.last.Add(-time.Second))
		}
		assert.Equal(t, wait, s.detection(8))
	})
}

// TestPhiNests: suspicion at a higher threshold comes within suspicion at a lower one.
func TestPhiNests(t *testing.T) {
	thresholds := []float64{0.5, 1, 3, 8, 12}
	ds := make([]*script, len(thresholds))
	for i, threshold := range thresholds {
		ds[i] = begin(t, newPhi(t, liveness.PhiConfig{Threshold: min(threshold, 8), WindowSize: 200}))
	}
	rng := rand.New(rand.NewPCG(6, 6))
	for range 2000 {
		gap := math.Exp(0.5 * rng.NormFloat64())
		now := gap * rng.Float64()
		for i := range ds[1:] {
			require.LessOrEqual(t, ds[i].detection(thresholds[i]), ds[i+1].detection(thresholds[i+1]))
			require.Equal(t, ds[i].after(now), ds[i+1].after(now), "the level does not depend on the threshold")
		}
		for _, s := range ds {
			s.gaps(1, gap)
		}
	}
}

func TestPhiAllocatesNothing(t *testing.T) {
	for _, family := range ownLaws {
		d := newPhi(t, liveness.PhiConfig{Distribution: family})
		at := t0
		i := 0
		n := testing.AllocsPerRun(2000, func() {
			i++
			at = at.Add(seconds(1 + float64(i%10)/10 + float64(i/500%2)*60))
			d.Heartbeat(at)
			d.Suspicion(at.Add(time.Second))
			d.Suspected(at)
			d.Deadline(8)
			d.Deadline(float64(i % 5))
			d.Stats()
		})
		assert.Zero(t, n, "%T", family)
	}
}

// nosy is a law that asks its detector, which would hang if a lock were held.
type nosy struct {
	weibull
	ask func()
}

func (n nosy) Fit(s liveness.Stats) liveness.Distribution {
	n.ask()
	n.weibull = *n.weibull.Fit(s).(*weibull)
	return n
}
func (n nosy) Phi(x float64) float64        { n.ask(); return n.weibull.Phi(x) }
func (n nosy) Quantile(phi float64) float64 { n.ask(); return n.weibull.Quantile(phi) }

func TestPhiHoldsNoLockInForeignCode(t *testing.T) {
	var d *liveness.Phi
	inside := false
	law := nosy{ask: func() {
		if d == nil || inside {
			return
		}
		inside = true
		d.Stats()
		d.Deadline(3)
		d.Suspicion(t0.Add(time.Hour))
		inside = false
	}}
	d = newPhi(t, liveness.PhiConfig{Distribution: law})
	plain := newPhi(t, liveness.PhiConfig{Distribution: weibull{}})
	a, b := begin(t, d), begin(t, plain)
	for i := range 100 {
		gap := 1 + float64(i%5)/5 + float64(i/50*5)
		a.gaps(1, gap)
		b.gaps(1, gap)
		assert.Equal(t, b.after(2), a.after(2))
		assert.Equal(t, b.detection(8), a.detection(8))
	}
}

// TestPhiHeartbeatWhileItAsks: a heartbeat that comes while another one is
// compared with the deadline of a foreign law has moved that deadline.
func TestPhiHeartbeatWhileItAsks(t *testing.T) {
	var during func()
	law := nosy{ask: func() {
		if f := during; f != nil {
			during = nil
			f()
		}
	}}
	d := newPhi(t, liveness.PhiConfig{Distribution: law, WindowSize: 1})
	s := begin(t, d).gaps(2, 1)
	s.after(1) // has the law fitted, so that what is asked next is its quantile
	last := s.last
	during = func() { s.gaps(1, 4) }
	d.Heartbeat(last.Add(19 * time.Second))
	assert.Nil(t, during, "the law was asked")
	// 15 s after a gap of 4 s is no outage; after one of 1 s it would be, and be learnt as 4.8 s.
	assert.Equal(t, 15.0, d.Stats().Mean)
}

// faulty is a law that panics or answers nonsense on demand.
type faulty struct {
	panics *bool
	answer float64
}

func (f faulty) Fit(liveness.Stats) liveness.Distribution {
	if *f.panics {
		panic(errors.New("a faulty law"))
	}
	return f
}
func (f faulty) Phi(float64) float64      { return f.answer }
func (f faulty) Quantile(float64) float64 { return f.answer }

func TestPhiSurvivesAFaultyLaw(t *testing.T) {
	panics := false
	for _, answer := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), -1, 0, math.Copysign(0, -1)} {
		d := newPhi(t, liveness.PhiConfig{Distribution: faulty{panics: &panics, answer: answer}})
		s := begin(t, d).gaps(10, 1).gaps(3, 100)
		level := s.after(1)
		assert.True(t, level >= 0 && level <= math.MaxFloat64 && !math.Signbit(level), "%v from a law that answers %v", level, answer)
		assert.False(t, d.Deadline(8).IsZero())

		panics = true
		d.Heartbeat(s.last.Add(time.Second)) // no fit is needed for it
		assert.Panics(t, func() { d.Suspicion(t0) })
		assert.Panics(t, func() { d.Deadline(3) })
		assert.Panics(t, func() { d.Heartbeat(s.last.Add(time.Hour)) })
		panics = false
		assert.NotPanics(t, func() { d.Suspicion(t0) }) // and no lock was left behind
	}
}

// TestPhiConcurrently has every method run against every other, under the race detector.
func TestPhiConcurrently(t *testing.T) {
	for _, family := range []liveness.Distribution{liveness.Gaussian{}, liveness.LogNormal{}, weibull{}, liveness.LogStudentT{}, liveness.ShiftedExponential{}} {
		d := newPhi(t, liveness.PhiConfig{Distribution: family, WindowSize: 10})
		var wg sync.WaitGroup
		var clock atomic.Int64
		for g := range 4 {
			wg.Go(func() {
				for range 2000 {
					at := t0.Add(time.Duration(clock.Add(1)) * 10 * time.Millisecond)
					d.Heartbeat(at)
					level := d.Suspicion(at.Add(time.Second))
					if !(level >= 0 && level <= math.MaxFloat64) {
						t.Errorf("Suspicion = %v", level)
					}
					if d.Deadline(float64(g)).IsZero() || d.Deadline(8).IsZero() {
						t.Error("no deadline")
					}
					d.Suspected(at)
					d.Stats()
				}
			})
		}
		wg.Wait()
		last := t0.Add(8000 * 10 * time.Millisecond)
		assert.True(t, d.Deadline(0).Equal(last), "the latest heartbeat counts, whatever their order")
		assert.Equal(t, 10, d.Stats().Count)
	}
}

func FuzzPhi(f *testing.F) {
	f.Add(uint64(1), uint8(0), 8.0, int64(0), int64(1e9), int64(3e9))
	f.Add(uint64(7), uint8(1), 1e-9, int64(1e9), int64(-1), int64(1e18))
	f.Add(uint64(9), uint8(2), 1e11, int64(5), int64(1), int64(2))
	f.Add(uint64(3), uint8(3), 3.0, int64(1e6), int64(4e9), int64(-4e18))
	laws := append(ownLaws, weibull{})
	f.Fuzz(func(t *testing.T, seed uint64, law uint8, threshold float64, pause, a, b int64) {
		d, err := liveness.NewPhi(liveness.PhiConfig{
			Threshold: threshold, Distribution: laws[int(law)%len(laws)], WindowSize: 1 + int(seed%20), AcceptablePause: time.Duration(pause),
		})
		if err != nil {
			return
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		at := t0
		for i := range 60 {
			step := []time.Duration{time.Duration(a), time.Duration(b), time.Second, time.Duration(rng.Int64() >> rng.IntN(63))}[rng.IntN(4)]
			at = at.Add(step)
			d.Heartbeat(at)
			if i%10 != 0 {
				continue
			}
			last := d.Deadline(0)
			if year := last.Year(); year < 1800 || year > 2250 {
				continue // instants end 292 years from the start of the program
			}
			before := 0.0
			for silence := time.Duration(1); silence > 0; silence *= 3 {
				level := d.Suspicion(last.Add(silence))
				if !(level >= before && level <= math.MaxFloat64) {
					t.Fatalf("Suspicion is %v after %v of silence, and was %v", level, silence, before)
				}
				before = level
			}
			for _, level := range []float64{1e-3, 1, d.Threshold()} {
				due := d.Deadline(level)
				if due.Year() > 2250 || due.Sub(last) == math.MaxInt64 {
					continue // out of reach
				}
				if d.Suspicion(due) < level || d.Suspicion(due.Add(-1)) >= level {
					t.Fatalf("Deadline(%v) is %v after the last heartbeat, where Suspicion is %v, and %v a nanosecond before",
						level, due.Sub(last), d.Suspicion(due), d.Suspicion(due.Add(-1)))
				}
			}
			now := last.Add(time.Duration(rng.Int64() >> rng.IntN(63)))
			if got, want := liveness.Suspected(d, now), d.Suspicion(now) >= d.Threshold(); got != want {
				t.Fatalf("Suspected = %v, but Suspicion is %v with threshold %v", got, d.Suspicion(now), d.Threshold())
			}
		}
	})
}

func FuzzDistribution(f *testing.F) {
	f.Add(uint8(0), 1.0, 0.1, 1.5, 8.0)
	f.Add(uint8(2), 1e-9, 1e9, 1e-300, 1e-300)
	f.Add(uint8(1), 1e300, -1.0, 1e308, 1e12)
	f.Fuzz(func(t *testing.T, kind uint8, a, b, x, phi float64) {
		law := []liveness.Distribution{liveness.Gaussian{Mean: a, StdDev: b}, liveness.Exponential{Mean: a}, liveness.LogNormal{Mu: a, Sigma: b}}[kind%3]
		level := law.Phi(x)
		if !(level >= 0 && level <= math.MaxFloat64) || math.Signbit(level) {
			t.Fatalf("%+v: Phi(%v) = %v", law, x, level)
		}
		if next := math.Nextafter(x, math.Inf(1)); law.Phi(next) < level {
			t.Fatalf("%+v: Phi falls from %v at %v to %v at the next float64", law, level, x, law.Phi(next))
		}
		ok := func(scale float64) bool { return scale > 1e-100 && scale < 1e100 }
		if !ok(b) && kind%3 != 1 || !ok(math.Abs(a)) || a < 0 && kind%3 == 1 || !(phi >= 1e-300 && phi <= 1e12) {
			return
		}
		q := law.Quantile(phi)
		scale := math.Abs(q) + math.Abs(a) + b // z is rounded, too
		switch kind % 3 {
		case 1:
			scale = q
		case 2:
			scale = q * (1 + math.Abs(math.Log(q)) + math.Abs(a) + b) // ln q is rounded in units of its own size
		}
		if math.IsInf(q, 0) || !(q > 1e-300) && kind%3 != 0 {
			return
		}
		if slack := 1e-13 * scale; law.Phi(q-slack) > phi || law.Phi(q+slack) < phi {
			t.Fatalf("%+v: Quantile(%v) = %v, where Phi is %v to %v within %v", law, phi, q, law.Phi(q-slack), law.Phi(q+slack), slack)
		}
	})
}
