// Package hedge decides when a second request, to another server, is worth its
// load: the first one is late, and its answer may never come.
//
// It decides and counts, and sends nothing. A [Hedger] stands for a group of
// servers that are alike, and for one kind of request:
//
//   - The delay is learnt: the latency that the wanted share of first attempts
//     exceeds. For an extra load of 5 % that is their 95 % quantile.
//   - A budget caps what the delay does not: when everything becomes slow at
//     once, all requests are late, and hedging them would double the load of
//     servers that have too much of it.
//   - A request never goes to the same server twice.
//   - While the group is degraded, which the caller says, nothing is hedged.
//   - A hedge that wins hides that another server was slow, from the caller and
//     from its monitoring. So each win is counted as a masked failure of the
//     servers it overtook.
//
// A request and its attempts look like this; running them, with cancellation, is
// for others, for example failsafe-go, as the module
// example.com/liveness/integrations/failsafe does:
//
//	r := h.Start("a", time.Now())
//	… send to a …
//	delay, ok := h.Delay() // if not ok, wait without hedging
//	… if no answer has come after delay …
//	if server, ok := r.Hedge(time.Now(), "b", "c"); ok {
//		… send to it too …
//	}
//	… with the first answer, from server …
//	losses, first := r.Answered(server, time.Now()) // and cancel the others
//
// # What to record of each attempt
//
// A monitor that compares servers by their latency, such as that of package
// [example.com/liveness/gray], needs every attempt once, also those that nobody
// waits for any more: without them hedging hides the very server it works around.
//
//	the attempt                                outcome for gray               latency
//	its answer came, first or not              OK                             its own
//	it ended in an error                       Error, Unreachable, Timeout…   its own
//	a Loss, not Failed: overtaken, cancelled   HedgedAway                     Loss.Elapsed
//	a Loss that Failed                         none: recorded when it failed
//	began later than the answered one,         Cancelled                      its own until then
//	and was cancelled
//	the caller gave up the whole request       Cancelled                      its own until then
//
// If a lost attempt is not cancelled but left to answer, record its answer alone,
// and not the Loss too.
//
// # What it buys, and what not
//
// Hedging helps against stragglers that come at random: a second server is most
// likely not slow too. It does not help if a server is always slow and has more
// than the wanted share of the requests, since then its latency is what the delay
// is learnt from; and it hides that server instead of removing it. Hedge only
// requests that may be done twice.
package hedge
