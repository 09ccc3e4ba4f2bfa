// Package qos tells how good a failure detector is on a network, and what a
// setting would cost: it replays recorded or simulated heartbeats through any
// [liveness.Detector] and measures what Chen, Toueg and Aguilera call its
// quality of service ("On the Quality of Service of Failure Detectors", IEEE
// Transactions on Computers 51(5), May 2002).
//
//   - [Replay] measures one detector at its own threshold: how long a crash goes
//     unnoticed, how often the detector is wrong, and for how long.
//   - [Sweep] does so at many thresholds and for many detectors, in one pass:
//     the curve of mistakes against detection time.
//   - [Calibrate] compares the mistakes that a φ promises with those that come,
//     and the price with that of the best constant timeout.
//
// It also answers the reverse question, which setting reaches a quality:
//
//   - [KnownLaw], [KnownMoments] and [KnownSpread], named after what is known of
//     the network, have the methods Configure, the cheapest interval and margin
//     for a wanted quality, and Predict, the quality of given ones.
//   - [PhiThreshold] is the threshold for a wanted rate of mistakes.
//   - [SizeLaw] and [SizeSamples] are the timeout for a wanted rate of false
//     positives, [HedgeDelay] the delay of a second request for a wanted extra
//     load, and [MeasureTimeout] the timeout of an operation in a Go test.
//
// # Heartbeats
//
// The first three read a stream of [Beat] values in order of arrival. It comes from
// a file ([Open], which also reads the output of ping), from a model of sender
// and network ([Simulation]), or from your own code. A stream is read once, and
// the memory used does not grow with it: times are summed up in moments and in
// histograms whose buckets are a fixed small fraction of the value wide.
//
// # What is measured
//
// Suspicions are evaluated at exact instants, not by polling: if the next
// heartbeat arrives after the instant at which the detector's level would reach
// the threshold, the detector was wrong from that instant on, until a heartbeat
// makes it trust again. The process of a stream is taken to be alive from its
// first heartbeat to its last, so every suspicion is a mistake; a stream that
// holds the death of its process says so, see [Beat.Life].
//
// A crash is silence from some instant on, on the clock of the monitor: the
// heartbeats that arrived before count, none arrives after. What the crash owes
// to the heartbeats in flight, at most one network delay, is not in it, because
// only synchronised clocks could tell.
package qos
