package watchdog_test

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/watchdog"
)

// t0 carries a monotonic reading, like the instants of a real program.
var t0 = time.Now()

func after(ms int) time.Time { return t0.Add(time.Duration(ms) * time.Millisecond) }

// A dog is a watchdog with the misses it has reported.
type dog struct {
	*watchdog.Watchdog
	misses []watchdog.Miss
}

func newDog(t testing.TB, wallClock bool) *dog {
	t.Helper()
	d := &dog{}
	w, err := watchdog.New(watchdog.Config{
		OnMiss:    func(m watchdog.Miss) { d.misses = append(d.misses, m) },
		WallClock: wallClock,
	})
	require.NoError(t, err)
	d.Watchdog = w
	return d
}

// add adds a part at t0.
func (d *dog) add(t testing.TB, name string, ms int) *watchdog.Part {
	t.Helper()
	p, err := d.Add(name, time.Duration(ms)*time.Millisecond, t0)
	require.NoError(t, err)
	return p
}

func TestScripts(t *testing.T) {
	type step struct {
		ms   int    // since t0
		what string // "kick NAME", "done NAME" or "check"
		ok   bool
	}
	for name, c := range map[string]struct {
		steps []step
		miss  string // empty: none
	}{
		"kicks in time": {[]step{
			{100, "kick fast", true}, {299, "kick fast", true}, {498, "kick fast", true}, {600, "kick slow", true},
			{697, "check", true},
		}, ""},
		"silence": {[]step{
			{199, "check", true}, {200, "check", false}, {201, "kick fast", false},
		}, `watchdog: part "fast" has not kicked for 200ms, its limit is 200ms`},
		"a kick that comes too late is a miss": {[]step{
			{150, "kick fast", true}, {350, "kick fast", false}, {351, "kick fast", false}, {352, "check", false},
		}, `watchdog: part "fast" has not kicked for 200ms, its limit is 200ms`},
		"a pause is seen by whoever kicks first": {[]step{
			{150, "kick fast", true}, {500, "kick slow", false},
		}, `watchdog: part "fast" has not kicked for 350ms, its limit is 200ms`},
		"the most overdue is named": {[]step{
			{900, "check", true}, {2100, "check", false},
		}, `watchdog: part "slow" has not kicked for 2.1s, its limit is 1s`},
		"one well part does not make up for another": {[]step{
			{190, "kick slow", true}, {199, "kick slow", true}, {200, "kick slow", false},
		}, `watchdog: part "fast" has not kicked for 200ms, its limit is 200ms`},
		"a kick from before the last one moves nothing": {[]step{
			{150, "kick fast", true}, {50, "kick fast", true}, {349, "check", true}, {350, "check", false},
		}, `watchdog: part "fast" has not kicked for 200ms, its limit is 200ms`},
		"what is done is no longer watched": {[]step{
			{150, "done fast", true}, {900, "kick fast", true}, {999, "check", true}, {1000, "kick fast", false},
		}, `watchdog: part "slow" has not kicked for 1s, its limit is 1s`},
		"an end that comes too late is a miss": {[]step{
			{200, "done fast", false}, {201, "check", false},
		}, `watchdog: part "fast" has not kicked for 200ms, its limit is 200ms`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDog(t, false)
			parts := map[string]*watchdog.Part{"fast": d.add(t, "fast", 200)}
			if name == "the most overdue is named" {
				parts["fast"].Done(t0)
				parts["fast"] = d.add(t, "fast", 2000)
			}
			parts["slow"] = d.add(t, "slow", 1000)
			for _, s := range c.steps {
				var verb, part string
				fmt.Sscan(s.what, &verb, &part)
				ok := false
				switch verb {
				case "kick":
					ok = parts[part].Kick(after(s.ms))
				case "done":
					ok = parts[part].Done(after(s.ms))
				default:
					ok = d.Check(after(s.ms))
				}
				assert.Equal(t, s.ok, ok, "%s at %d ms", s.what, s.ms)
			}
			miss, missed := d.Missed()
			if c.miss == "" {
				assert.False(t, missed)
				assert.Empty(t, d.misses)
				return
			}
			require.Len(t, d.misses, 1, "once")
			assert.EqualError(t, miss, c.miss)
			assert.Equal(t, miss, d.misses[0])
		})
	}
}

func TestDeadline(t *testing.T) {
	d := newDog(t, false)
	assert.Zero(t, d.Deadline(), "nothing to watch")
	assert.True(t, d.Check(after(math.MaxInt32)))
	slow := d.add(t, "slow", 1000)
	assert.Zero(t, d.Deadline().Sub(after(1000)))
	fast := d.add(t, "fast", 200)
	assert.Zero(t, d.Deadline().Sub(after(200)))
	fast.Kick(after(100))
	assert.Zero(t, d.Deadline().Sub(after(300)))
	fast.Done(after(200))
	assert.Zero(t, d.Deadline().Sub(after(1000)))
	slow.Done(after(200))
	assert.Zero(t, d.Deadline())
}

// TestWallClock: instants that have no monotonic reading. What a suspended machine
// looks like is in TestSuspension.
func TestWallClock(t *testing.T) {
	wall := t0.Round(0)
	d := newDog(t, true)
	p, err := d.Add("part", time.Second, wall)
	require.NoError(t, err)
	assert.True(t, p.Kick(wall.Add(900*time.Millisecond)))
	assert.True(t, p.Kick(wall.Add(800*time.Millisecond)), "out of order")
	assert.False(t, p.Kick(wall.Add(1900*time.Millisecond)))
}

func TestErrors(t *testing.T) {
	_, err := watchdog.New(watchdog.Config{})
	assert.EqualError(t, err, "watchdog: OnMiss is nil, want a function, such as watchdog.Kill")
	d := newDog(t, false)
	d.add(t, "flush", 200)
	for _, c := range []struct {
		name    string
		timeout time.Duration
		want    string
	}{
		{"", time.Second, `watchdog: name is "", want one that is not empty and not in use`},
		{"flush", time.Second, `watchdog: name is "flush", want one that is not empty and not in use`},
		{"poll", 0, "watchdog: timeout is 0s, want a duration from 1µs to 100 days"},
		{"poll", 500, "watchdog: timeout is 500ns, want a duration from 1µs to 100 days"},
		{"poll", -time.Second, "watchdog: timeout is -1s, want a duration from 1µs to 100 days"},
		{"poll", math.MaxInt64, "watchdog: timeout is 2562047h47m16.854775807s, want a duration from 1µs to 100 days"},
	} {
		p, err := d.Add(c.name, c.timeout, t0)
		assert.EqualError(t, err, c.want)
		assert.Nil(t, p)
	}
}

// TestAddAfterAMiss: whoever starts late learns of the miss from its first kick.
func TestAddAfterAMiss(t *testing.T) {
	d := newDog(t, false)
	d.add(t, "hangs", 100)
	require.False(t, d.Check(after(100)))
	late, err := d.Add("late", time.Second, after(200))
	require.NoError(t, err)
	assert.False(t, late.Kick(after(300)))
	assert.False(t, late.Done(after(300)))
	assert.Len(t, d.misses, 1)
}

// TestSetBack: instants without a monotonic reading, and a clock that was set back.
func TestSetBack(t *testing.T) {
	wall := t0.Round(0)
	at := func(ms int) time.Time { return wall.Add(time.Duration(ms) * time.Millisecond) }
	for _, wallClock := range []bool{false, true} {
		d := newDog(t, wallClock)
		p, err := d.Add("part", time.Second, wall)
		require.NoError(t, err)
		require.True(t, p.Kick(at(900)))
		assert.True(t, p.Kick(at(-60_000)), "by a minute")
		assert.True(t, d.Check(at(-59_001)))
		assert.False(t, d.Check(at(-59_000)), "it is not blind for that minute")
	}
	d := newDog(t, false)
	p := d.add(t, "part", 1000)
	require.True(t, p.Kick(after(900)))
	assert.True(t, p.Kick(after(-60_000)), "by the monotonic clock that is out of order")
	assert.True(t, d.Check(after(1899)))
}

// TestLateWorker: of several that kick one part, one is held up between reading the
// clock and its kick, by more than the timeout. That is out of order and no clock
// that was set back, as the monotonic one shows.
func TestLateWorker(t *testing.T) {
	for _, wallClock := range []bool{false, true} {
		d := newDog(t, wallClock)
		p := d.add(t, "part", 1000)
		for _, ms := range []int{900, 1800, 2700} {
			require.True(t, p.Kick(after(ms)))
		}
		assert.True(t, p.Kick(after(900)))
		assert.True(t, d.Check(after(3699)), "by the wall clock: %v", wallClock)
		assert.False(t, d.Check(after(3700)))
	}
}

// TestNoLockIsHeld: OnMiss may ask and change the watchdog.
func TestNoLockIsHeld(t *testing.T) {
	var w *watchdog.Watchdog
	called := 0
	w, err := watchdog.New(watchdog.Config{OnMiss: func(m watchdog.Miss) {
		called++
		_, missed := w.Missed()
		assert.True(t, missed)
		assert.False(t, w.Check(m.At))
		_, err := w.Add("another", time.Second, m.At)
		assert.NoError(t, err)
	}})
	require.NoError(t, err)
	p, err := w.Add("part", time.Second, t0)
	require.NoError(t, err)
	assert.False(t, p.Kick(after(1000)))
	assert.False(t, p.Done(after(1000)))
	assert.Equal(t, 1, called)
}

func TestConcurrentUse(t *testing.T) {
	var misses atomic.Int32
	w, err := watchdog.New(watchdog.Config{OnMiss: func(watchdog.Miss) { misses.Add(1) }})
	require.NoError(t, err)
	shared, err := w.Add("shared", time.Second, t0)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			own, err := w.Add(fmt.Sprint(i), time.Second, t0)
			assert.NoError(t, err)
			for ms := range 2000 {
				at := after(ms / 4) // nobody is further ahead than the timeout
				if !own.Kick(at) || !shared.Kick(at) || !w.Check(at) {
					t.Error("missed, though all kicked")
					return
				}
				w.Deadline()
			}
			own.Done(after(500))
		})
	}
	wg.Wait()
	assert.Zero(t, misses.Load())
	assert.Zero(t, w.Deadline().Sub(after(499+1000)))
	for range 8 {
		wg.Go(func() { assert.False(t, shared.Kick(after(5000))) })
	}
	wg.Wait()
	assert.EqualValues(t, 1, misses.Load())
}

// FuzzWatchdog compares a script of kicks with a plain model: a map of deadlines.
func FuzzWatchdog(f *testing.F) {
	f.Add([]byte{1, 50, 2, 50, 0, 99, 1, 2})
	f.Add([]byte{3, 250, 1, 250, 2, 250, 0, 0, 7, 1})
	f.Fuzz(func(t *testing.T, script []byte) {
		names := []string{"a", "b", "c"}
		timeouts := []int{100, 250, 700}
		d := newDog(t, false)
		parts := make([]*watchdog.Part, len(names))
		kicked := map[int]int{} // of those watched
		for i, name := range names {
			parts[i] = d.add(t, name, timeouts[i])
			kicked[i] = 0
		}
		now, well := 0, true
		for i := 0; i+1 < len(script); i += 2 {
			now = max(now+int(script[i+1])-20, 0) // at times out of order
			for part, last := range kicked {
				well = well && now-last < timeouts[part]
			}
			part := int(script[i]) % 4
			if part == 3 {
				require.Equal(t, well, d.Check(after(now)))
				continue
			}
			_, watched := kicked[part]
			if script[i] < 250 {
				require.Equal(t, well, parts[part].Kick(after(now)), "part %d at %d ms", part, now)
				if watched && well {
					kicked[part] = max(kicked[part], now)
				}
			} else {
				require.Equal(t, well, parts[part].Done(after(now)), "part %d at %d ms", part, now)
				delete(kicked, part)
			}
		}
		require.Equal(t, well, len(d.misses) == 0)
		require.LessOrEqual(t, len(d.misses), 1)
	})
}
