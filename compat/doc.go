// Package compat takes the settings of the failure detectors of Akka and Pekko,
// Cassandra and Hazelcast, and makes a detector of package liveness of them that
// suspects after the same silence, as far as heartbeats are regular. A setting
// left out has that system's own default.
//
//	d, err := compat.Akka{AcceptableHeartbeatPause: 3 * time.Second}.New()
//
// # Settings
//
//	Akka, Pekko                  default   field of Akka             of liveness.PhiConfig
//	threshold                    8         Threshold                 Threshold, of a Logistic
//	max-sample-size              1000      MaxSampleSize             WindowSize
//	min-std-deviation            100 ms    MinStdDeviation           MinStdDev
//	acceptable-heartbeat-pause   0         AcceptableHeartbeatPause  AcceptablePause
//	heartbeat-interval           1 s       FirstHeartbeatEstimate    ExpectedInterval
//
//	Cassandra                    default   field of Cassandra        of liveness.PhiConfig
//	phi_convict_threshold        8         PhiConvictThreshold       Threshold, of an Exponential
//	(SAMPLE_SIZE)                1000      SampleSize                WindowSize
//	fd_initial_value_ms          2000      InitialValue              ExpectedInterval
//	fd_max_interval_ms           as above  MaxInterval               none: see Cassandra.New
//
//	Hazelcast                    default   field of Hazelcast        of liveness.PhiConfig
//	….threshold                  10        Threshold                 Threshold, of a Logistic
//	….sample.size                200       SampleSize                WindowSize
//	….min.std.dev.millis         100       MinStdDev                 MinStdDev
//	….max.no.heartbeat.seconds   60        MaxNoHeartbeat            AcceptablePause
//	….heartbeat.interval.seconds 5         HeartbeatInterval         ExpectedInterval
//
// # Thresholds
//
// Akka, Pekko and Hazelcast compute φ by a logistic approximation that is above
// the true one: see [liveness.Logistic]. Their 8 is a true φ of 7.06, and the
// true φ of 8 is their 9.31; both ways are in the example of [Akka]. The
// detectors here keep the approximation, so that thresholds stay what they are.
//
// Cassandra convicts when t/mean · 1/ln 10 exceeds phi_convict_threshold. That is
// the φ of a [liveness.Exponential], in decades: its 8 is φ = 8, reached after
// 18.4 mean intervals. (What its class ArrivalWindow calls phi is t/mean, ln 10
// times as much.)
//
// # What is not the same
//
// The detectors learn by the rules of [liveness.Phi]. With regular heartbeats that
// makes next to no difference: the prior fades within a hundred gaps, where the
// samples that those systems begin with stay until the window has pushed them
// out. Till then the silence that is waited for differs by less than 2 % (with
// 10 % of jitter), and from then on by nothing. Where heartbeats are irregular:
//
//   - A gap that led to suspicion teaches Akka nothing. So it never gets used to
//     a process that became slower than its deadline. Hazelcast means to do the
//     same, but asks after it has moved the last heartbeat, and so learns every
//     outage whole: one of ten minutes among 200 samples of 5 s lets it wait
//     four minutes longer. Here an outage is learnt up to a deadline, and slower
//     heartbeats are followed.
//   - A pause within AcceptablePause is learnt whole there, and here up to the
//     deadline without the pause.
//   - They count in milliseconds (Cassandra does not), here in nanoseconds.
//   - A process that was never heard is dead to Hazelcast, and neither suspected
//     here nor in the others.
//   - Cassandra suspends its judgement after a pause of its own of more than 5 s
//     (max_local_pause_in_ms), which is not here: see the limits in the
//     documentation of package liveness.
package compat
