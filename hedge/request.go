package hedge

import (
	"slices"
	"time"
)

// A Request is one request, sent to one server or more. It is made by
// [Hedger.Start], and safe for concurrent use. It ends with [Request.Answered], or
// with [Request.Failed] for each attempt; one that is dropped without has taught
// nothing.
type Request struct {
	h        *Hedger
	attempts []attempt // in the order of their starts
	room     [2]attempt
	answered bool
}

type attempt struct {
	server string
	stats  *ServerStats
	start  time.Time
	failed bool
}

// Start begins a request with its first attempt, to server.
func (h *Hedger) Start(server string, now time.Time) *Request {
	r := &Request{h: h}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stats.Requests++
	h.budget.request()
	s := h.server(server)
	s.Attempts++
	r.room[0] = attempt{server: server, stats: s, start: now}
	r.attempts = r.room[:1]
	return r
}

// Hedge asks for another attempt, and returns the server to send it to: the
// first of servers, in the order the caller prefers, that the request was not
// sent to yet. ok is false if there is to be none: the group is degraded, too
// little has been learnt, the request has all the hedges it may have, no server
// is left, or the budget is empty. A request that was answered, or whose attempts
// have all failed, is not hedged either: a hedge is against an answer that does
// not come, and what to do about one that did is a matter of retries.
//
// It does not ask whether the delay has passed, which whoever waited knows.
func (r *Request) Hedge(now time.Time, servers ...string) (server string, ok bool) {
	degraded := r.h.degraded.Load()
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	refused := &r.h.stats
	candidate, left := r.unused(servers)
	switch {
	case degraded:
		refused.RefusedDegraded++
	case !r.h.latency.known:
		refused.RefusedWarmup++
	case !r.pending():
		refused.RefusedEnded++
	case len(r.attempts) > r.h.maxHedges:
		refused.RefusedMaxHedges++
	case !left:
		refused.RefusedNoServer++
	case !r.h.budget.take(now):
		refused.RefusedBudget++
	default:
		r.h.stats.Hedges++
		s := r.h.server(candidate)
		s.Attempts++
		s.Hedges++
		r.attempts = append(r.attempts, attempt{server: candidate, stats: s, start: now})
		return candidate, true
	}
	return "", false
}

// A Loss is an attempt that an answer to a later one overtook: to package gray it
// is HedgedAway after Elapsed, unless it Failed.
type Loss struct {
	Server string

	// Elapsed is how long it had been running: less than its latency would
	// have been.
	Elapsed time.Duration

	// Failed says that it had ended in an error, and so tells nothing of
	// latency.
	Failed bool
}

// Answered says that an answer of server came at now, and reports whether it was
// the first one. If so, it returns the attempts that it overtook, each a masked
// failure of its server: to be cancelled, and to be told to whatever judges
// servers by their latency, for which they are lower bounds. Attempts that began
// later than the answered one have lost to a server that was faster, and that is
// no failure.
//
// The latency of the first attempt is learnt, or, if it is not that one that was
// answered, that it took longer. A later answer, and one of a server that the
// request was not sent to, change nothing.
func (r *Request) Answered(server string, now time.Time) (overtaken []Loss, first bool) {
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	i := r.find(server)
	if r.answered || i < 0 || r.attempts[i].failed {
		return nil, false
	}
	r.answered = true
	r.attempts[i].stats.FirstAnswers++
	switch elapsed := now.Sub(r.attempts[0].start); {
	case i == 0:
		r.h.latency.learn(elapsed)
		return nil, true
	case !r.attempts[0].failed:
		r.h.latency.learnAtLeast(elapsed)
	}
	r.h.stats.HedgeWins++
	overtaken = make([]Loss, i)
	for j, a := range r.attempts[:i] {
		a.stats.Masked++
		overtaken[j] = Loss{Server: a.server, Elapsed: max(now.Sub(a.start), 0), Failed: a.failed}
	}
	return overtaken, true
}

// Failed says that the attempt to server ended in an error at now, or was given
// up: a timeout is a failure too, and without it only the fast ones would be
// learnt. It says of the latency that it would have been longer, so an error that
// came fast teaches nothing. It reports whether that was the end of the request:
// it was not answered, and no other attempt can be any more.
func (r *Request) Failed(server string, now time.Time) (ended bool) {
	r.h.mu.Lock()
	defer r.h.mu.Unlock()
	i := r.find(server)
	if r.answered || i < 0 || r.attempts[i].failed {
		return false
	}
	a := &r.attempts[i]
	a.failed = true
	a.stats.Failures++
	if i == 0 {
		r.h.latency.learnAtLeast(now.Sub(a.start))
	}
	return !r.pending()
}

// unused returns the first server that the request was not sent to.
func (r *Request) unused(servers []string) (server string, ok bool) {
	for _, s := range servers {
		if r.find(s) < 0 {
			return s, true
		}
	}
	return "", false
}

// pending reports whether an answer may still come.
func (r *Request) pending() bool {
	return !r.answered && slices.ContainsFunc(r.attempts, func(a attempt) bool { return !a.failed })
}

func (r *Request) find(server string) int {
	return slices.IndexFunc(r.attempts, func(a attempt) bool { return a.server == server })
}
