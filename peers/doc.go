// Package peers watches any number of processes: a registry that gives each of
// them a [liveness.Detector], tells subscribers whom to suspect and whom to trust
// again, and doubts itself before it accuses others.
//
//	m, err := peers.New(peers.Config[string]{
//		NewDetector: func(string) (liveness.Detector, error) {
//			return liveness.NewPhi(liveness.PhiConfig{ExpectedInterval: time.Second})
//		},
//	})
//	…
//	sub, err := m.Subscribe(peers.SubscriptionConfig{Threshold: 8})
//	go m.Run(ctx)
//	m.Register("db-1", time.Now(), peers.Registration{})
//	m.Heartbeat("db-1", time.Now()) // whenever one arrives
//	for e := range sub.Events(ctx) { … }
//
// # Deadlines, not polling
//
// Of each peer the monitor knows one instant at which to look at it, no later
// than its earliest deadline. Heartbeats leave that alone. When it comes, a peer
// that was heard lately is looked at again later; of one that has been silent the
// detector is asked for the true deadline, and that is the next instant. So a
// heartbeat costs little more than that of the detector, a round costs for those
// that are due, and a death is noticed at its deadline and not at the next poll.
//
// There is one exception. A detector may cut its wait all at once by more than the
// time since it was asked, or by more than a quarter, as a short window does when an
// outlier leaves it. The monitor learns that with the ninth heartbeat after it last
// asked. A peer that dies before that is noticed when the longer wait is over.
//
// [Monitor.Advance] does it for a given instant, and the same calls have the same
// results; [Monitor.Run] calls it by the real clock.
//
// # States
//
// A registered peer is unknown until it is heard, and suspected when that takes
// longer than its first-beat limit. After that it is trusted or suspected, by
// each subscription's own threshold, and by that of its detector in a [Peer].
// Whoever is suspected for long is to be evicted, unless the [Guard] finds that
// there are too many. What that means is up to who reads the event: nothing is
// removed but by [Monitor.Remove].
//
// # A heartbeat that is no life
//
// Heartbeats of peers that are not registered are refused and counted, or
// register them, see [Config].AutoRegister. Those that carry an incarnation or a
// number are life only if they are newer than the last: see [Beat].
//
// # Doubt
//
// A monitor that was stalled finds everybody silent. It notices, says so and
// convicts nobody for it: see [Doubt]. If a large share is suspected together,
// the fault is likelier here or in the network: see [Guard].
//
// # Several monitors
//
// A suspicion is one observer's opinion. [Opinions] combines those of several,
// and tells a peer that is cut off from some from a dead one. [Suspicion] is the
// wait that shortens with each that confirms, [Claim] and [Member] the order of
// what goes round about one member, [Health] the score by which a process that
// does badly itself gives others more time. They are parts for a membership
// protocol, and need no Monitor.
//
// # Time
//
// As in package liveness, every instant is an argument and no method but Run
// reads the clock; instants from time.Now are best, for they carry a monotonic
// reading. Those of heartbeats and of rounds have to be of one clock: where only
// some carry such a reading, a step of the wall clock comes between them. An
// instant more than 292 years from the start of the program counts as if it were
// that far away, and a heartbeat from the future as if it came when its peer is
// looked at next.
//
// # Cost
//
// Beside its detector a peer takes about 140 bytes. A heartbeat allocates
// nothing. The program examples/million measures it all.
package peers
