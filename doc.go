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
//     means one mistake in a thousand heartbeats, as far as the law is right.
//     It is the one to begin with.
//   - [Chen] (NFD-E) is for senders with a known period, above all where
//     heartbeats carry sequence numbers: losses do not blur what it knows
//     about delays.
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
// mistake a week that is 7.8. No law fits a real network that far out: with the
// Gaussian, the field's usual choice, and no floor, a φ of 3 has been reached by
// live processes 6 to 46 times as often as it promises on eight of ten recorded
// traces. And the floor of [PhiConfig] makes φ smaller than the promise where
// heartbeats are regular. So try a threshold on recorded heartbeats of your own,
// for which package qos is made, and make what is done upon a suspicion
// reversible.
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
// # Limits
//
// A detector sees heartbeats, not work: a process may beat and be useless, and
// one that is paused, cut off or overloaded looks like a dead one. Suspicion is
// an opinion of one observer. It will be wrong at times, in both directions.
//
// A monitor that was itself stalled (by a collection, a SIGSTOP, a starved CPU)
// finds every process silent. Feed the heartbeats that wait in the socket before
// you ask; if many processes become suspected at one instant, suspect yourself.
//
// # Coming from other systems
//
// Package compat takes the settings of Akka and Pekko, Cassandra and Hazelcast by
// their names and with their defaults. Akka computes φ by a logistic approximation
// that is above the true one: its 8 is 7.06, see [AkkaPhi], and [Logistic] for the
// same approximation. Cassandra's φ is that of an [Exponential], in decades like
// ours: its 8 is φ = 8, after 18.4 mean intervals.
package liveness
