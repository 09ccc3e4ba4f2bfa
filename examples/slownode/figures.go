package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// figures are what was measured. Those of a chapter are in its file.
type figures struct {
	Servers int
	Slow    slowness
	Beats   heartbeat
	Outlier outlier
	Outage  outage
	Hedging hedging
	Data    reconciliation
	Took    seconds
	Skipped percentage // share of the searches not sent, since the machine was too slow
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
			fmt.Sprintf("nothing: φ at most %.1f of %.0f", f.Beats.Phi, f.Beats.Threshold),
			fmt.Sprintf("%.0f checks a second", f.Beats.PerSecond)},
		{"outlier detection (gray)",
			fmt.Sprintf("p99 %s → %s, after %d intervals", o.Before.P99, o.Then.P99, o.Intervals),
			fmt.Sprintf("%s of the servers, %.1f × the load on one", o.Capacity, o.Neighbour)},
		{"guard (gray)",
			fmt.Sprintf("%d failed their checks, %d evicted", a.Failing, a.Evicted),
			fmt.Sprintf("%d page; evicts nobody for %d intervals more", a.Pages, a.GuardOpen)},
		{"absolute alert (gray)",
			fmt.Sprintf("told after %d intervals; %d stood out", a.Intervals, a.Outliers),
			fmt.Sprintf("a limit to choose: %s", a.Limit)},
		{"hedging, stragglers at random", fewer(h.Random), fmt.Sprintf("%s more requests", h.Random.Extra)},
		{"hedging, one slow, no copy", "nothing: " + fewer(h.Pinned), fmt.Sprintf("%s more requests", h.Pinned.Extra)},
		{"hedging, one slow, a copy", fewer(h.Replica), fmt.Sprintf("%s more requests; hid it %d times", h.Replica.Extra, h.Masked)},
		{"hedging, off while all slow",
			fmt.Sprintf("hedges %d → %d", h.Before, h.After),
			fmt.Sprintf("until then %s more; without a budget %s",
				percent(float64(h.Before), float64(h.Requests)), percent(float64(h.Before+h.Refused), float64(h.Requests)))},
		{"reconciliation (reconcile)",
			fmt.Sprintf("%s found missing, though all succeeded", f.Data.Found),
			fmt.Sprintf("%d keys to list, a week of history", f.Data.Keys)},
	} {
		fmt.Fprintf(t, "%s\t%s\t%s\n", row[0], row[1], row[2])
	}
	t.Flush() // a strings.Builder takes everything
	_, err := io.WriteString(w, page.String())
	return err
}

func fewer(p pair) string {
	return fmt.Sprintf("slow searches %s → %s", p.Without.Slow, p.With.Slow)
}
