package main

import (
	"cmp"
	"context"
	"slices"
	"time"

	"example.com/liveness/gray"
	"example.com/liveness/hedge"
)

// hedging compares searches without and with it.
type hedging struct {
	Straggling percentage // share of the requests
	Delay      seconds    // typical, against those
	Random     pair
	Pinned     pair
	Replica    pair
	Masked     int  // failures of the slow server that nobody felt, with a replica
	Suspicious bool // the monitor found it all the same
	Before     int
	Refused    int
	Requests   int
	After      int
	Of         int
}

// A pair is the same searches without hedging and with it.
type pair struct {
	Without latency
	With    latency
	Extra   percentage
	Refused int // hedges, by the budget
}

// hedging sends second requests.
func (s *story) hedging(ctx context.Context) error {
	s.say("\n5. HEDGING HELPS AGAINST CHANCE ALONE")
	if err := s.monitor(true); err != nil {
		return err
	}
	// All requests of a search are sent at once, and on a busy machine late at once:
	// hedge.Config says what that asks of Burst.
	h, err := hedge.New(hedge.Config{Burst: float64(s.servers) / 4})
	if err != nil {
		return err
	}
	s.frontend.hedger = h
	f := &s.figures.Hedging
	s.pace(s.eased())
	found := false
	var delays []time.Duration
	window := func() error {
		delays = nil
		for range s.window {
			if d, ok := h.Delay(); ok {
				delays = append(delays, d)
			}
			d, err := s.next(ctx)
			if err != nil {
				return err
			}
			j, _ := d.Of(s.sick().name)
			found = found || j.Verdict == gray.Suppressed && j.Reason == gray.Shadowed
		}
		return nil
	}

	// In two of three searches there is one, and they are fewer than are hedged.
	share := min(1/float64(s.servers), 0.025)
	f.Straggling = percentage(share)
	s.cluster.setStragglers(share)
	h.SetDegraded(true) // it learns, and hedges nothing
	st, err := s.measure(ctx, 5, "stragglers, not hedged", window)
	if err != nil {
		return err
	}
	f.Random.Without = s.summary(st.samples)
	h.SetDegraded(false)
	if f.Random.With, err = s.hedged(ctx, "stragglers, hedged", &f.Random, window); err != nil {
		return err
	}
	slices.Sort(delays)
	f.Delay = secondsOf(quantile(delays, 0.5))
	s.cluster.setStragglers(0)

	s.frontend.pinned = s.patient()
	s.sick().slower.Store(true)
	f.Pinned.Without = s.figures.Slow.Sick
	if f.Pinned.With, err = s.hedged(ctx, "one slow, no copy", &f.Pinned, window); err != nil {
		return err
	}

	s.frontend.pinned = -1
	masked := s.masked()
	found = false
	f.Replica.Without = s.figures.Slow.Sick
	if f.Replica.With, err = s.hedged(ctx, "one slow, a copy", &f.Replica, window); err != nil {
		return err
	}
	f.Masked = s.masked() - masked
	f.Suspicious = found
	s.sick().slower.Store(false)

	if err := s.hedgedOutage(ctx); err != nil {
		return err
	}
	s.frontend.hedger = nil
	if err := s.calm(ctx); err != nil {
		return err
	}
	s.tellHedging()
	return cmp.Or(
		claim(f.Random.Without.Slow > 0.05, "stragglers made only %s of the searches slow", f.Random.Without.Slow),
		claim(f.Random.With.Slow < f.Random.Without.Slow/2, "hedging left %s of %s slow searches", f.Random.With.Slow, f.Random.Without.Slow),
		claim(f.Pinned.With.Slow > 0.95, "hedging helped against a slow server without a copy: %s were slow", f.Pinned.With.Slow),
		claim(f.Masked > 0 && f.Replica.With.Slow < 0.5, "%s of the searches were slow although there was a copy", f.Replica.With.Slow),
		claim(f.Of > 0 && f.After*1000 <= f.Of, "%d requests were hedged while the group was degraded", f.After),
	)
}

// hedged measures a stage, and what hedging cost in it.
func (s *story) hedged(ctx context.Context, name string, p *pair, f func() error) (latency, error) {
	h := s.frontend.hedger
	was := h.Stats()
	st, err := s.measure(ctx, 5, name, f)
	now := h.Stats()
	p.Extra = percent(float64(now.Hedges-was.Hedges), float64(now.Requests-was.Requests))
	p.Refused = int(now.RefusedBudget - was.RefusedBudget)
	return s.summary(st.samples), err
}

// masked returns how many attempts at the slow server were overtaken.
func (s *story) masked() int {
	for _, server := range s.frontend.hedger.Servers() {
		if server.Server == s.sick().name {
			return int(server.Masked)
		}
	}
	return 0
}

// hedgedOutage shows hedging while all are slow.
func (s *story) hedgedOutage(ctx context.Context) error {
	h, f := s.frontend.hedger, &s.figures.Hedging
	var began, alert hedge.Stats
	_, err := s.stage(ctx, 5, "outage", func() error {
		began = h.Stats()
		s.cluster.dependency.extra.Store(int64(s.outage()))
		defer s.cluster.dependency.extra.Store(0)
		told := 0
		for n := 0; n < 15 && told < 3; n++ {
			d, err := s.next(ctx)
			if err != nil {
				return err
			}
			if d.Group.Degraded {
				if told == 0 {
					h.SetDegraded(true)
					alert = h.Stats()
					s.note(time.Now(), "hedging off")
				}
				told++
			}
		}
		return claim(told > 0, "the group was not found degraded while hedging")
	})
	ended := h.Stats()
	f.Before, f.Requests = int(alert.Hedges-began.Hedges), int(alert.Requests-began.Requests)
	f.Refused = int(alert.RefusedBudget - began.RefusedBudget)
	f.After, f.Of = int(ended.Hedges-alert.Hedges), int(ended.Requests-alert.Requests)
	return err
}

func (s *story) tellHedging() {
	f := &s.figures.Hedging
	s.say("   %s of all requests %d times slower by chance, hedged after %s", f.Straggling, slowFactor, f.Delay)
	s.say("     without    %v", f.Random.Without)
	s.say("     with       %v, %s more requests; the budget refused %d", f.Random.With, f.Random.Extra, f.Random.Refused)
	s.say("   one slow server that alone has its shard: there is no other to ask")
	s.say("     without    %v (as in 1)", f.Pinned.Without)
	s.say("     with       %v, %s more requests", f.Pinned.With, f.Pinned.Extra)
	s.say("   the same with a copy elsewhere: it helps, and hides the server, %d failures masked; a monitor that is told", f.Masked)
	s.say("   of them %s", map[bool]string{true: "finds it all the same", false: "did not find it in that time"}[f.Suspicious])
	s.say("     without    %v (as in 1)", f.Replica.Without)
	s.say("     with       %v, %s more requests", f.Replica.With, f.Replica.Extra)
	s.say("   all slow: %d hedges to %d requests until the alert, with %d more refused by the budget; then %d to %d",
		f.Before, f.Requests, f.Refused, f.After, f.Of)
}
