package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// figures are what was measured. Times are in seconds, shares from 0 to 1.
type figures struct {
	Servers int        `json:"servers"`
	Slow    slowness   `json:"slow"`
	Beats   heartbeat  `json:"heartbeats"`
	Outlier outlier    `json:"outliers"`
	Outage  outage     `json:"outage"`
	Hedging hedging    `json:"hedging"`
	Data    data       `json:"data"`
	Rate    float64    `json:"searches_per_second"`
	Step    seconds    `json:"interval"`
	Took    seconds    `json:"took"`
	Skipped percentage `json:"skipped"` // share of the searches not sent, since the machine was too slow
}

// slowness is what one slow server does.
type slowness struct {
	Server string  `json:"server"`
	Well   latency `json:"well"`
	Sick   latency `json:"sick"`
}

// heartbeat is what heartbeats say of the slow server.
type heartbeat struct {
	Checks      int     `json:"checks"`
	Green       int     `json:"green"`
	Phi         float64 `json:"phi"`          // the highest of the slow server
	PeersMedian float64 `json:"peers_median"` // of the highest of each peer
	Higher      int     `json:"higher"`       // peers whose highest is as high at least
	Threshold   float64 `json:"threshold"`
	PerSecond   float64 `json:"checks_per_second"`
}

// outlier is what the comparison with the peers did.
type outlier struct {
	Ejected   string     `json:"ejected"`
	After     seconds    `json:"after"`
	Intervals int        `json:"intervals"`
	Median    seconds    `json:"median"`
	Peers     seconds    `json:"peers_median"`
	Before    latency    `json:"before"`
	Then      latency    `json:"then"`
	Capacity  percentage `json:"capacity"`  // share of the servers that are out
	Neighbour float64    `json:"neighbour"` // searches at the server that takes over, as a multiple of the others' median
	Wrongly   int        `json:"wrongly"`   // ejections of others
	Copies    int        `json:"copies"`    // requests for probation
	Returned  seconds    `json:"returned"`  // after the repair
}

// outage is what a slow dependency of all does.
type outage struct {
	Searches   latency `json:"searches"`
	Failing    int     `json:"failing"` // most deep checks that failed at once
	Outliers   int     `json:"outliers"`
	Evicted    int     `json:"evicted"`
	Pages      int     `json:"pages"`
	PageAfter  seconds `json:"page_after"`
	Alert      seconds `json:"alert_after"`
	Intervals  int     `json:"alert_intervals"`
	Limit      seconds `json:"limit"`
	Median     seconds `json:"median"`
	GuardOpen  int     `json:"guard_open"`  // intervals
	CouldEvict int     `json:"could_evict"` // the cap
}

// hedging compares searches without and with it.
type hedging struct {
	Straggling percentage `json:"straggling"` // share of the requests
	Delay      seconds    `json:"delay"`      // typical, against those
	Random     pair       `json:"random"`
	Pinned     pair       `json:"pinned"`
	Replica    pair       `json:"replica"`
	Masked     int        `json:"masked"` // failures of the slow server that nobody felt, with a replica
	Suspicious bool       `json:"found"`  // the monitor found it all the same
	Before     int        `json:"before_alert"`
	Refused    int        `json:"refused_before_alert"`
	Requests   int        `json:"requests_before_alert"`
	After      int        `json:"after_alert"`
	Of         int        `json:"requests_after_alert"`
}

type pair struct {
	Without latency    `json:"without"`
	With    latency    `json:"with"`
	Extra   percentage `json:"extra_load"`
	Refused int        `json:"refused"` // hedges, by the budget
}

// data is what reconciliation found.
type data struct {
	City      string  `json:"city"`
	Offers    int     `json:"offers"`
	Before    int     `json:"offers_before"`
	Found     string  `json:"found"`
	Judging   seconds `json:"judging"`
	Collected seconds `json:"run"`
	Keys      int     `json:"keys"`
}

func (f *figures) writeJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(f)
}

// writeTable writes what each escape bought and cost.
func (f *figures) writeTable(w io.Writer) error {
	var page strings.Builder
	fmt.Fprintf(&page, "\nWHAT EACH ESCAPE BOUGHT, AND WHAT IT COST, of %d servers in %.0f s\n\n", f.Servers, float64(f.Took))
	o, a, h := f.Outlier, f.Outage, f.Hedging
	t := tabwriter.NewWriter(&page, 0, 0, 3, ' ', 0)
	for _, row := range [][3]string{
		{"ESCAPE", "BOUGHT", "COST"},
		{"heartbeats (liveness.Phi)",
			fmt.Sprintf("nothing: φ at most %.1f of %.0f, %d of %d checks green", f.Beats.Phi, f.Beats.Threshold, f.Beats.Green, f.Beats.Checks),
			fmt.Sprintf("%.0f checks a second", f.Beats.PerSecond)},
		{"outlier detection (gray)",
			fmt.Sprintf("p99 %s → %s, after %d intervals (%s here)", o.Before.P99, o.Then.P99, o.Intervals, o.After),
			fmt.Sprintf("%s of the servers; %.1f times the load on one; %d copies", o.Capacity, o.Neighbour, o.Copies)},
		{"guard (gray)",
			fmt.Sprintf("%d servers failed their checks, %d were evicted", a.Failing, a.Evicted),
			fmt.Sprintf("%d page; nobody can be evicted until %d intervals after", a.Pages, a.GuardOpen)},
		{"absolute alert (gray)",
			fmt.Sprintf("told after %d intervals (%s here); %d stood out among peers", a.Intervals, a.Alert, a.Outliers),
			fmt.Sprintf("a limit to choose: %s", a.Limit)},
		{"hedging, stragglers at random",
			fmt.Sprintf("p50 %s → %s, slow searches %s → %s", h.Random.Without.P50, h.Random.With.P50, h.Random.Without.Slow, h.Random.With.Slow),
			fmt.Sprintf("%s more requests", h.Random.Extra)},
		{"hedging, slow server, no copy",
			fmt.Sprintf("nothing: p50 %s → %s", h.Pinned.Without.P50, h.Pinned.With.P50),
			fmt.Sprintf("%s more requests", h.Pinned.Extra)},
		{"hedging, slow server, a copy",
			fmt.Sprintf("p50 %s → %s, slow searches %s → %s", h.Replica.Without.P50, h.Replica.With.P50, h.Replica.Without.Slow, h.Replica.With.Slow),
			fmt.Sprintf("%s more requests; %d failures masked", h.Replica.Extra, h.Masked)},
		{"hedging, off while all are slow",
			fmt.Sprintf("hedges %d → %d", h.Before, h.After),
			fmt.Sprintf("until then %s more requests; without a budget %s",
				percent(float64(h.Before), float64(h.Requests)), percent(float64(h.Before+h.Refused), float64(h.Requests)))},
		{"reconciliation (reconcile)",
			fmt.Sprintf("%s found missing from a run that succeeded", f.Data.Found),
			fmt.Sprintf("%.0f µs a run; %d keys to list; a week of history", float64(f.Data.Judging)*1e6, f.Data.Keys)},
	} {
		fmt.Fprintf(t, "%s\t%s\t%s\n", row[0], row[1], row[2])
	}
	t.Flush() // a strings.Builder takes everything
	_, err := io.WriteString(w, page.String())
	return err
}
