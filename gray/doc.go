// Package gray finds servers that are alive and slow, or failing, by what their
// clients see, and says which of them to take out: gray failure. A heartbeat does
// not show it. A server a hundred times slower than its peers answers its health
// check all the same, and makes every request slow that fans out to all.
//
//	m, err := gray.New(gray.Config{})
//	m.Add("a", "b", "c", …)
//	…
//	if m.Admit(server, time.Now()) { … }            // before a request
//	m.Record(client, server, gray.OK, took)         // after it
//	…
//	for _, c := range m.Advance(time.Now()).Changes { … } // every 10 s
//
// # What is found
//
// In each interval a server is compared with the median of its peers, itself and
// the ejected ones left out. It is bad if
//
//   - its p99 latency, or with few requests its median, is above 3 times theirs,
//     and by 10 ms at least;
//   - its share of failures is above 3 times theirs, and by 5 percentage points;
//   - its share of failures is half or more, whatever the peers do;
//   - its last 5 requests failed.
//
// Each takes a number of requests, without which there is no verdict: no data is
// neither good nor bad. And each must hold in 3 of the last 5 intervals, so the
// price of few false alarms is half a minute: with ten equal servers and a
// heavy tail (lognormal, σ = 1.5) none was ejected in a simulated week. The tests
// by mean and standard deviation that are common elsewhere would have flagged one
// in every other interval, and miss three bad servers of ten.
//
// Attempts that were cancelled, timed out or lost against a hedge count as lower
// bounds of the latency they would have had. Otherwise the means against slow
// servers would hide them.
//
// Hedging hides a slow tail all the same. Hedges of 5 % cut off more than the 1 %
// beyond the p99, so that most peers' p99 is a lower bound and no measure: the
// verdict is then Keep for the reason FewPeers, and the median is what remains. A
// server that is slow in 8 % of its requests is ejected without hedges, and stays
// with them. What tells of it is Masked in [Figures].
//
// # What cannot be found that way
//
// If half of the group or more is slow no peer can tell. For that there is
// [Group].Degraded: the group itself is above a limit, or above what was usual.
// Give [Config].Limit if you know one: what is usual follows a change within
// hours, and creeping slowness unnoticed.
//
// # What is not done
//
// Above a cap of 20 % nobody is ejected, and one page goes out: see [Guard]. All
// that is unhealthy counts, ejected, found bad here or elsewhere, or silent, from
// the set of those that are members now. So a group of fewer than five never
// loses anybody, unless [GuardConfig].SmallGroup says otherwise. An ejected server
// comes back through a few requests on probation and a slow start, and is away
// for longer each time; only requests that it served well let that time fall.
// With [Config].Shadow nobody is ejected at all, and everything is counted.
//
// # Small groups
//
// With three peers or fewer that have enough requests, below [Config].MinPeers, no
// server is compared: its verdict is Keep for the reason FewPeers, or NotEvaluated.
// What remains is a share of failures of half or more, failures in a row, and
// the group's own alert. With fewer than three clients, or servers, the [Table]
// blames neither: what is slow is then FaultUnknown, and nobody is excused, so
// that one client with a slow path to a server sees a slow server.
//
// # Whose fault
//
// A [Table] of latencies by client and server tells a slow server from a slow
// client and from a slow path between two. The Monitor uses it too: who is slow
// by the fault of a path or of a client is not ejected.
//
// # Parts
//
// [Relative], [Guard], [Backoff] and [Table] are usable alone, and [Envoy] is the
// outlier detection of Envoy and gRPC for those who want that.
//
// # Limits
//
// A Monitor sees what the clients of one process see, or those whose records it
// is given. Many processes that each eject up to 20 % may eject different ones.
// It needs requests: an interval of 10 s with fewer than 50 to a server is no
// interval for it, but for failures in a row. A fault that strikes half of the
// clients at half of the servers is seen by nobody here. Latencies are kept to
// 1/16, from 1 µs to 73 minutes. And each path, from a client to a server, takes
// about 1.5 KB until it has been idle for 60 intervals.
package gray
