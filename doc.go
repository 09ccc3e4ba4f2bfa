// Package liveness tells which processes of a distributed system to believe
// alive, and how sure to be.
//
// Nobody can know that a silent process is dead; one can only say how unlikely
// its silence would be if it were alive. So a [Detector] is fed the arrival
// times of heartbeats and reports a level of suspicion, and each consumer
// chooses the threshold at which it acts:
//
//	d, err := liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: time.Second})
//	…
//	d.Heartbeat(time.Now())                    // whenever one arrives
//	if liveness.Suspected(d, time.Now()) { … } // whenever it matters
//	wakeAt := d.Deadline(d.Threshold())        // or: when to look again
//
// # Which detector
//
//   - [Phi], the φ accrual detector, learns the law of the gaps between
//     heartbeats and reports φ = −log10 P(the next one is later than now): 3
//     means one mistake in a thousand heartbeats. With the law [Empirical], the
//     default, it keeps that promise on real networks. It is the one to begin with.
//   - [LossAware] is a φ for heartbeats with sequence numbers and a known period:
//     it tells loss from delay. Take it if the rate of mistakes is what you can
//     state, and Chen if it is the detection time.
//   - [Chen] (NFD-E) is for senders with a known period; it costs less, and its
//     margin is yours to choose. [TwoWindow] (2W-FD) is steadier where delays
//     shift, and [Bertier] finds the margin by itself.
//   - [RTO] (RFC 6298), [Quantile] and [Satzger] are what others use; each says
//     what its threshold means.
//   - [FixedTimeout] is for links whose worst case is known.
//
// # Choosing a threshold
//
// Of n monitored processes that each send a heartbeat h times a second, a φ that
// keeps its promise makes
//
//	n · h · 10^−t
//
// mistakes a second at the threshold t; so one mistake in T seconds asks for
// t = log10(n · h · T). For 100 processes at one heartbeat a second and one
// mistake a week that is 7.8. What has been seen reaches to about 2 after 1000
// heartbeats, 3 after 5000 and 3.4 after 25 000 ([Phi.Evidence] says how far);
// beyond it φ is extrapolated, and patient: on a simulated link of one heartbeat a
// second that loses 1 % in bursts of three, 4 costs 13 s and 8 costs 83 s. So choose the smallest threshold whose mistakes you can bear,
// try it on recorded heartbeats of your own, for which package qos is made, and
// make what is done upon a suspicion reversible.
//
// The promise of other laws is another one: with a [Gaussian], the field's usual
// choice, and no floor, a φ of 3 has been reached by live processes 6 to 46 times
// as often as it says on eight of ten recorded traces.
//
// # Time
//
// Every method that depends on time takes it as an argument; nothing here reads
// a clock. Give the time at which a heartbeat arrived on this machine, from
// time.Now: it carries a monotonic reading, which steps of the wall clock do not
// touch. Times without one (from Date, Unix, Parse, Round(0) or another process)
// are compared by the wall clock, with its steps: a step forward looks like an
// outage and a step back like heartbeats out of order, and both are survived,
// but they are not told from the real thing. Both kinds may be mixed. Instants
// are kept to the nanosecond, up to 292 years from the start of the program.
//
// On Linux, among others, the monotonic clock stands still while the machine is
// suspended, so a monitor that was asleep does not suspect its processes for
// its own sleep, unless it works with times from the wall clock. A monitored
// machine that was asleep looks like an outage.
//
// # Restarts
//
// A monitor that is restarted need not start blind. Every detector of this package,
// and [Window], is an [encoding.BinaryMarshaler] and an [encoding.BinaryUnmarshaler]:
// save what it has learnt now and then, and restore it into one that its
// constructor has made.
//
//	data, err := d.MarshalBinary()
//	…
//	err = d.UnmarshalBinary(data)
//
// What is saved is what was learnt: gaps, how losses come, what is remembered of
// outages. What is not saved is
//
//   - the configuration: that of the receiver counts. If its window is smaller, it
//     takes the latest gaps; if its law is another one, the gaps alone;
//   - that the process was heard. A restored detector has heard nothing: the level
//     is 0, and Deadline the zero Time, until its first heartbeat, which teaches no
//     gap. So the time for which the monitor was down is held against nobody. A
//     process that died meanwhile is unknown, not suspected: see [Suspected];
//   - when a heartbeat is due by its number, which is an instant of a clock that
//     may be another one afterwards: see [Chen.UnmarshalBinary].
//
// The bytes may come from anywhere. Those that are damaged, cut short, of another
// type or of an unknown version are an error, and the detector stays as it was. The
// checksum is no signature: who can write the bytes decides what was learnt, within
// what could have been, but nothing else. No more is allocated than the receiver's
// window takes. A thousand gaps take some 4 KB, and a [Phi] with all defaults 8 KB.
//
// # Limits
//
// A detector sees heartbeats, not work: a process may beat and be useless, and
// one that is paused, cut off or overloaded looks like a dead one. Suspicion is
// an opinion of one observer. It will be wrong at times, in both directions.
//
// A monitor that was itself stalled (by a collection, a SIGSTOP, a starved CPU)
// finds every process silent. Feed the heartbeats that wait in the socket before
// you ask; if many processes become suspected at one instant, suspect yourself.
// Package peers does that, for any number of processes. For those that live and
// are slow see package gray, and for acting on a suspicion that may be wrong
// package fence.
//
// # Coming from other systems
//
// Package compat takes the settings of Akka and Pekko, Cassandra and Hazelcast by
// their names and with their defaults. Akka computes φ by a logistic approximation
// that is above the true one: its 8 is 7.06, see [AkkaPhi], and [Logistic] for the
// same approximation. Cassandra's φ is that of an [Exponential], in decades like
// ours: its 8 is φ = 8, after 18.4 mean intervals.
package liveness
