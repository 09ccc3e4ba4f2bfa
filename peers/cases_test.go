package peers_test

import (
	"math"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// These are inputs that broke other registries, with the right answer. Each
// subtest is a script on the instants t0 plus so many seconds.
//
// The cases of kind race are in race_test.go, B107 is in run_test.go, B087, B089
// and B111 are in claim_test.go, B110 is in memory_test.go, B140 to B153 in
// guard_test.go. The cases of kind backoff are about ejected hosts, which are
// another package's.
func TestCases(t *testing.T) {
	for _, c := range []struct {
		id, what string
		run      func(t *testing.T)
	}{
		{"B041", "registered and never heard", func(t *testing.T) {
			s := begin(t, peers.Config[string]{FirstBeat: 5 * time.Second}).register("a")
			assert.Equal(t, peers.StateUnknown, s.to(4.9).state("a"))
			s.to(6).expect("5 a: suspected (never heard)")
			assert.Equal(t, peers.StateSuspected, s.state("a"))
			_, registered := s.m.Peer("b", s.now)
			assert.False(t, registered, "never registered: neither alive nor dead")
			assert.Equal(t, peers.RefusedUnknown, s.m.Heartbeat("b", s.now))
		}},
		{"B043", "creation is no life, nor is a replay", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("a")
			assert.Equal(t, peers.StateUnknown, s.state("a"))
			last := peers.Beat{Incarnation: 7, Seq: 3}
			assert.Equal(t, peers.Accepted, s.m.HeartbeatSeq("a", last, s.now))
			p, _ := s.m.Peer("a", s.now)
			s.m.Remove("a", s.now)
			assert.Equal(t, peers.RefusedUnknown, s.m.HeartbeatSeq("a", last, s.now))
			require.NoError(t, s.m.Register("a", s.now, peers.Registration{Last: p.Last}))
			assert.Equal(t, peers.RefusedStale, s.m.HeartbeatSeq("a", last, s.now))
			assert.Equal(t, peers.StateUnknown, s.state("a"))
			assert.Equal(t, peers.Accepted, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 7, Seq: 4}, s.now))
			assert.Equal(t, peers.StateTrusted, s.state("a"))
		}},
		{"B044", "the monitor starts with a hundred known peers", func(t *testing.T) {
			for _, delay := range []float64{0, 30} {
				m := newMonitor(t, peers.Config[string]{FirstBeat: 4 * time.Second})
				s := &script{TB: t, m: m, sub: subscribe(t, m, peers.SubscriptionConfig{}), now: t0}
				var keys []string
				for i := range 100 {
					keys = append(keys, strconv.Itoa(i))
				}
				s.register(keys...)
				s.stalledTo(delay).to(delay + 1).expect()
				for i, key := range keys {
					s.to(delay + 1 + float64(i)/100).beat(key)
				}
				for _, line := range s.events() {
					assert.NotContains(t, line, "suspected")
				}
				s.register("late").to(delay + 5.98).events()
				s.to(delay + 5.99).expect(strconv.FormatFloat(delay+5.99, 'g', -1, 64) + " late: suspected (never heard)")
			}
		}},
		{"B050 B056", "the wall clock jumps, the monotonic does not", func(t *testing.T) {
			// A time with a monotonic reading and another wall clock cannot be
			// made up; that it counts alone is the detector's affair. The other
			// way round, without a monotonic reading, is B051.
			m := newMonitor(t, peers.Config[string]{})
			sub := subscribe(t, m, peers.SubscriptionConfig{})
			now := time.Now()
			require.NoError(t, m.Register("a", now, peers.Registration{}))
			for range 5 {
				m.Advance(now)
				m.Heartbeat("a", now)
				now = now.Add(time.Second)
			}
			p, _ := m.Peer("a", now)
			assert.Equal(t, time.Second, now.Sub(p.LastHeartbeat))
			for _, line := range drain(sub) {
				assert.NotContains(t, line, "suspected")
			}
		}},
		{"B051 B056", "a clock without monotonic reading is set", func(t *testing.T) {
			s := begin(t, peers.Config[string]{NewDetector: phi}).register("a", "b").beats(20, "a", "b")
			s.events()
			s.stalledTo(3620) // one hour forward, while a second passes
			assert.Equal(t, []string{"3620 stalled (late round) for 1h0m0s, health score 1"}, s.events())
			s.beats(3640, "a", "b").expect("3621 recovered")
			s.stalledTo(3600) // and 40 s back
			s.expect("3600 stalled (clock set back) for 40s, health score 1")
			s.beats(3610, "a", "b").expect("3601 recovered")
			p, _ := s.m.Peer("a", s.now)
			assert.InDelta(t, 1, p.Mean, 0.2, "no giant sample")

			s.stalledTo(10) // back to the past for good
			s.to(12).expect("10 stalled (clock set back) for 1h0m0s, health score 1", "11 recovered")
			s.beat("a").to(13).beat("a").to(14).beat("a").to(15).beat("a")
			s.to(18).expect("14.334 b: suspected (silent)")
		}},
		{"B053", "stamps of the sender do not matter", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("a")
			for i := range 5 {
				s.to(float64(i)).beat("a") // whatever the sender's clock says
			}
			s.expect("0 a: trusted (first heartbeat)")
		}},
		{"B054", "the machine was suspended for an hour", func(t *testing.T) {
			// With a monotonic reading: see TestSuspended. Without one it is a
			// late round.
			s := begin(t, peers.Config[string]{}).register("a", "b", "c").beats(10, "a", "b", "c")
			s.events()
			s.stalledTo(3611).expect("3611 stalled (late round) for 1h0m1s, health score 1")
			s.beat("a", "b").to(3613).expect("3612 recovered")
			lines := s.to(3615).events()
			assert.Equal(t, "3613.9 c: suspected (silent)", lines[0]) // a round was promised for 10.1
			assert.ElementsMatch(t, []string{"3614 a: suspected (silent)", "3614 b: suspected (silent)"}, lines[1:])
		}},
		{"B060", "nobody has read the socket for 30 s", func(t *testing.T) {
			all := []string{"a", "b", "c", "d", "e"}
			s := begin(t, peers.Config[string]{NewDetector: phi}).register(all...).beats(100, all...)
			s.events()
			s.stalledTo(130).expect("130 stalled (late round) for 30s, health score 1")
			for range 30 {
				s.beat(all...) // the queue is read
			}
			s.to(130.5).expect()
			s.beats(140, all...).expect("131 recovered")
		}},
		{"B062", "a backlog that somebody knows of", func(t *testing.T) {
			queued := 0
			s := begin(t, peers.Config[string]{
				NewDetector: fixed(500 * time.Millisecond),
				Doubt:       peers.Doubt{Backlog: func() bool { return queued > 0 }, MaxLateness: time.Second, MaxGrace: 5 * time.Second},
			}).register("a").beat("a")
			queued = 30
			s.stalledTo(0.6).expect("0 a: trusted (first heartbeat)")
			for ; queued > 0; queued-- {
				s.beat("a")
			}
			s.to(1).expect()
			queued = 1
			s.to(5.5).expect()
			s.to(6).expect("5.6 a: suspected (silent)") // after 5 s a backlog is heeded no longer
		}},
		{"B063", "a round due after 3 s comes after 60", func(t *testing.T) {
			s := begin(t, peers.Config[string]{Doubt: peers.Doubt{Period: 3 * time.Second}})
			for i := range 100 {
				s.register(strconv.Itoa(i)).beat(strconv.Itoa(i))
			}
			s.events()
			s.stalledTo(60).expect("60 stalled (late round) for 57s, health score 1")
		}},
		{"B065", "the lateness is added to the lease", func(t *testing.T) {
			s := begin(t, peers.Config[string]{
				NewDetector: fixed(90 * time.Second),
				Doubt:       peers.Doubt{Period: time.Minute, MaxFactor: 1},
			}).register("a").beat("a")
			s.events()
			s.stalledTo(110).expect("110 stalled (late round) for 50s, health score 0") // 60 s was the time
			s.to(139.999).expect()
			s.to(140).expect("140 recovered", "140 a: suspected (silent)")
		}},
		{"B066", "one detector takes a minute", func(t *testing.T) {
			slow := &slowDetector{during: func() {}}
			s := begin(t, peers.Config[string]{NewDetector: func(key string) (liveness.Detector, error) {
				d, err := liveness.NewFixedTimeout(3 * time.Second)
				if key == "a" {
					slow.Detector = d
					return slow, err
				}
				return d, err
			}}).register("a", "b", "c").beat("a").to(0.01).beat("b", "c")
			s.events()
			s.to(2.99)
			slow.during = func() { // a minute passes, and the others beat
				slow.during = func() {}
				s.m.Heartbeat("b", at(62))
				s.m.Heartbeat("c", at(62))
			}
			s.stalledTo(3.05).expect("3.05 a: suspected (silent)")
			s.stalledTo(63)
			assert.Equal(t, peers.StateTrusted, s.state("b"))
			assert.Equal(t, peers.StateTrusted, s.state("c"))
		}},
		{"B068", "heartbeats read in one go teach nothing", func(t *testing.T) {
			s := begin(t, peers.Config[string]{NewDetector: phi}).register("a").beats(70, "a")
			s.stalledTo(100)
			for range 30 {
				s.beat("a")
			}
			p, _ := s.m.Peer("a", s.now)
			assert.InDelta(t, 1, p.Mean, 0.06)
			assert.Less(t, p.Deadline.Sub(s.now), 10*time.Second, "twice 4.1 s, as the score is 1")
			for _, line := range s.events() {
				assert.NotContains(t, line, "suspected")
			}
		}},
		{"B069", "a gap of 19.17 s", func(t *testing.T) {
			s := begin(t, peers.Config[string]{NewDetector: phi}).register("a").beats(100, "a")
			s.events()
			s.to(119.17).beat("a")
			for now := 120.17; now < 130; now++ {
				s.to(now).beat("a")
			}
			lines := s.events()
			require.Len(t, lines, 2)
			assert.Contains(t, lines[0], "a: suspected (silent)")
			assert.Equal(t, "119.17 a: trusted (heard)", lines[1])
		}},
		{"B080", "a second instance without a gap", func(t *testing.T) {
			s := begin(t, peers.Config[string]{NewDetector: phi}).register("a")
			for i := range 10 {
				s.to(float64(i) / 2)
				s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, s.now)
			}
			s.to(5)
			assert.Equal(t, peers.AcceptedRestart, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 2}, s.now))
			s.expect("0 a: trusted (first heartbeat)", "5 a: restarted as 2")
			p, _ := s.m.Peer("a", s.now)
			assert.Equal(t, 1.0, p.Mean, "the prior alone")
			assert.Equal(t, peers.RefusedStale, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 1}, s.now))
		}},
		{"B081", "an absurd generation", func(t *testing.T) {
			const day = 86400
			s := begin(t, peers.Config[string]{}).register("a")
			hear := func(incarnation uint64) peers.Outcome {
				return s.m.HeartbeatSeq("a", peers.Beat{Incarnation: incarnation}, s.now)
			}
			assert.Equal(t, peers.Accepted, hear(1_400_000_000))
			assert.Equal(t, peers.RefusedAbsurd, hear(1<<62))
			assert.Equal(t, peers.AcceptedRestart, hear(1_400_000_001))
			assert.Equal(t, peers.AcceptedRestart, hear(1_400_000_001+400*day))
			assert.Equal(t, uint64(1), s.m.Status(s.now).Absurd)

			s.register("b") // a clock in nanoseconds
			const ns = 1_400_000_000_000_000_000
			assert.Equal(t, peers.Accepted, s.m.HeartbeatSeq("b", peers.Beat{Incarnation: ns}, s.now))
			assert.Equal(t, peers.AcceptedRestart, s.m.HeartbeatSeq("b", peers.Beat{Incarnation: ns + 400*day*1e9}, s.now))
		}},
		{"B083", "numbers do not wrap", func(t *testing.T) {
			for _, last := range []uint64{math.MaxInt64, math.MaxUint64} {
				s := begin(t, peers.Config[string]{}).register("a")
				assert.Equal(t, peers.Accepted, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 5, Seq: last}, s.now))
				assert.Equal(t, peers.RefusedStale, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 5, Seq: 1}, s.now))
				assert.Equal(t, peers.AcceptedRestart, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 6, Seq: 1}, s.now))
				assert.Equal(t, peers.RefusedAbsurd, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: 6, Seq: 1 << 40}, s.now))
			}
		}},
		{"B084", "numbers begin again after a restart", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("a")
			beats := func(incarnation uint64, from, n int) {
				for i := range n {
					s.to(float64(from + i))
					assert.True(t, s.m.HeartbeatSeq("a", peers.Beat{Incarnation: incarnation, Seq: uint64(i + 1)}, s.now).IsAccepted())
				}
			}
			beats(1, 0, 501)
			s.to(510).events()
			beats(2, 510, 6)
			s.to(517).expect("510 a: restarted as 2", "510 a: trusted (heard)")
		}},
		{"B086", "out of order", func(t *testing.T) {
			s := begin(t, peers.Config[string]{NewDetector: phi}).register("a")
			var got []peers.Outcome
			for i, seq := range []uint64{1, 2, 4, 3, 5} {
				s.to(float64(i))
				got = append(got, s.m.HeartbeatSeq("a", peers.Beat{Seq: seq}, s.now))
			}
			assert.Equal(t, []peers.Outcome{peers.Accepted, peers.Accepted, peers.Accepted, peers.RefusedStale, peers.Accepted}, got)
			assert.Equal(t, uint64(1), s.m.Status(s.now).Stale)
		}},
		{"B086", "duplicates are no life", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("a")
			for i := range 10 {
				s.to(float64(i))
				s.m.HeartbeatSeq("a", peers.Beat{Seq: 1}, s.now)
			}
			s.expect("0 a: trusted (first heartbeat)", "3 a: suspected (silent)")
		}},
		{"B101", "a flood of unknown senders", func(t *testing.T) {
			m := newMonitor(t, peers.Config[string]{})
			for i := range 100_000 {
				m.Heartbeat(strconv.Itoa(i), t0)
			}
			assert.Equal(t, 0, m.Len())
			assert.Equal(t, uint64(100_000), m.Status(t0).Unknown)

			m = newMonitor(t, peers.Config[string]{AutoRegister: true, MaxPeers: 100})
			accepted := 0
			for i := range 100_000 {
				if m.Heartbeat(strconv.Itoa(i), t0) == peers.AcceptedNew {
					accepted++
				}
			}
			assert.Equal(t, 100, accepted)
			assert.Equal(t, 100, m.Len())
			assert.Equal(t, uint64(99_900), m.Status(t0).Unknown)
			require.NoError(t, m.Check())
		}},
		{"B102", "a peer moves", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("old").beats(1, "old")
			s.m.Remove("old", s.now)
			s.register("new").beat("new")
			s.to(3.9)
			s.to(30) // suspected by then
			require.NoError(t, s.m.Reset("new", s.now))
			s.events()
			assert.Equal(t, peers.StateUnknown, s.to(31).state("new"))
			s.expect()
			_, registered := s.m.Peer("old", s.now)
			assert.False(t, registered)
			s.to(41).expect("40 new: suspected (never heard)")
		}},
		{"B108", "one event a transition, in order", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("a").beats(2, "a")
			for i := range 10 {
				s.stalledTo(6 + float64(i)/10)
			}
			s.m.Remove("a", s.now)
			s.stalledTo(7)
			s.m.Remove("a", s.now)
			s.to(30).expect("0 a: trusted (first heartbeat)",
				"6 stalled (late round) for 4s, health score 1", "6.9 a: removed", "7 recovered")
		}},
		{"B108", "silence, then removal", func(t *testing.T) {
			s := begin(t, peers.Config[string]{}).register("a").beats(2, "a").to(6)
			for range 10 {
				s.m.Advance(s.now)
			}
			assert.True(t, s.m.Remove("a", s.now))
			assert.False(t, s.m.Remove("a", s.now))
			s.to(30).expect("0 a: trusted (first heartbeat)", "5 a: suspected (silent)", "6 a: removed")
		}},
	} {
		t.Run(c.id+" "+c.what, c.run)
	}
}

// slowDetector does something while it is asked for its deadline.
type slowDetector struct {
	liveness.Detector
	during func()
}

func (d *slowDetector) Deadline(level float64) time.Time {
	deadline := d.Detector.Deadline(level)
	d.during()
	return deadline
}
