package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// figures are what -json writes. Times are in seconds, null if too few deaths
// were found.
type figures struct {
	Peers                      int      `json:"peers"`
	HeartbeatsPerSecondPerCore float64  `json:"heartbeats_per_second_per_core"`
	BytesPerPeer               float64  `json:"bytes_per_peer"`
	DetectionLagP50            *float64 `json:"detection_lag_p50"`
	DetectionLagP99            *float64 `json:"detection_lag_p99"`
	AllocsPerHeartbeat         float64  `json:"allocs_per_heartbeat"`
	IdleCPUFraction            float64  `json:"idle_cpu_fraction"`
}

func (s *study) figures() figures {
	p := s.ours[len(s.ours)-1]
	return figures{
		p.peers, perSecond(p.beat), p.bytes, p.lateSeconds(0.5), p.lateSeconds(0.99), p.allocs, p.idle,
	}
}

func (p *point) lateSeconds(q float64) *float64 {
	d, ok := p.late(q)
	if !ok {
		return nil
	}
	return new(d.Seconds())
}

func (p *point) lateText(q float64) string {
	d, ok := p.late(q)
	if !ok {
		return "-"
	}
	return ms(d)
}

// perSecond returns the heartbeats a second that one core manages.
func perSecond(beat time.Duration) float64 { return float64(time.Second) / float64(max(beat, 1)) }

// report writes the tables.
func (s *study) report(w io.Writer) error {
	var page bytes.Buffer
	all, bare, poll := s.ours[len(s.ours)-1], point{}, point{}
	if !s.o.alone {
		bare, poll = s.bare[len(s.bare)-1], s.obvious[len(s.obvious)-1]
	}
	fmt.Fprintf(&page, "%d PEERS, window %d, one heartbeat each %v, %d senders in batches of %d, %d of %s cores\n\n",
		s.o.peers, s.o.window, s.o.interval, s.o.senders, s.o.batch, runtime.GOMAXPROCS(0), runtime.GOARCH)
	verdict := func(ok bool) string {
		if ok {
			return "yes"
		}
		return "no"
	}
	p99, found := all.late(0.99)
	s.table(&page, [][]string{
		{"", "package peers", "wanted", "met", "256 locked maps", "one lock, polled"},
		{"heartbeats/s a core", millions(perSecond(all.beat)), "2.50 M", verdict(perSecond(all.beat) >= 2.5e6), millions(perSecond(bare.beat)), millions(perSecond(poll.beat))},
		{"the same, one by one", millions(perSecond(all.single)), "", "", millions(perSecond(bare.single)), millions(perSecond(poll.single))},
		{"bytes a peer", fmt.Sprintf("%.0f", all.bytes), "1200", verdict(all.bytes <= 1200), fmt.Sprintf("%.0f", bare.bytes), fmt.Sprintf("%.0f", poll.bytes)},
		{"detection lag, median", all.lateText(0.5), "", "", "none found", poll.lateText(0.5)},
		{"detection lag, p99", all.lateText(0.99), "5.00 ms", verdict(found && p99 <= 5*time.Millisecond), "", poll.lateText(0.99)},
		{"allocations a heartbeat", fmt.Sprintf("%.4f", all.allocs), "0", verdict(all.allocs < 1e-4), fmt.Sprintf("%.4f", bare.allocs), fmt.Sprintf("%.4f", poll.allocs)},
		{"cores while idle", fmt.Sprintf("%.4f", all.idle), "", "", "", fmt.Sprintf("%.4f", poll.idle)},
		{"while deaths were awaited:", "", "", "", "", ""},
		{"heartbeats/s that came", millions(all.rate), millions(float64(s.o.peers) / s.o.interval.Seconds()), "", "", millions(poll.rate)},
		{"cores in use", fmt.Sprintf("%.2f", all.busy), "", "", "", fmt.Sprintf("%.2f", poll.busy)},
		{"deaths found", fmt.Sprintf("%d of %d", len(all.lag), s.o.deaths), "", "", "", fmt.Sprintf("%d of %d", len(poll.lag), s.o.deaths)},
		{"stalls that it noticed", fmt.Sprint(all.stalls), "", "", "", "-"},
		{"live peers suspected", fmt.Sprint(all.wrong), "0", "", "", fmt.Sprint(poll.wrong)},
	})

	if wanted := float64(s.o.peers) / s.o.interval.Seconds(); all.rate < 0.9*wanted {
		fmt.Fprintf(&page, "\nThis machine did not manage %s heartbeats a second just now, so the detectors have learnt longer gaps, and wait longer.\n", millions(wanted))
	}

	page.WriteString("\nTHE CURVE: time of a core for one heartbeat, in random order, no clock read\n\n")
	rows := [][]string{{"peers", "package peers", "one by one", "256 locked maps", "one lock, polled"}}
	for i, p := range s.ours {
		row := []string{fmt.Sprint(p.peers), fmt.Sprint(p.beat), fmt.Sprint(p.single), "", ""}
		if !s.o.alone {
			row[3], row[4] = fmt.Sprint(s.bare[i].single), fmt.Sprint(s.obvious[i].single)
		}
		rows = append(rows, row)
	}
	s.table(&page, rows)
	fmt.Fprintf(&page, "\nAll grow with the number of peers by cache misses alone: a heartbeat touches some eight lines of memory, a million\n"+
		"peers are far larger than any cache, and one random read of memory takes %v here. In a batch a core waits for\n"+
		"the lines of many heartbeats at once.\n", s.read)

	s.fits(&page, all)
	deployment(&page, all)
	_, err := w.Write(page.Bytes())
	return err
}

// fits says what one machine carries.
func (s *study) fits(page *bytes.Buffer, p point) {
	const memory = 24e9
	perPeer := float64(p.beat) / float64(time.Second) / s.o.interval.Seconds()
	fmt.Fprintf(page, "\nWHAT FITS\n\nOn 24 GB: %.1f M peers with GOGC=100, which lets the heap grow to twice what is in use; %.1f M with GOGC=20.\n"+
		"On one core: %.1f M peers with a heartbeat each %v, if it does nothing else; read the clock and the\n"+
		"socket as well, and it is a half or a third of that.\n",
		memory/2/p.bytes/1e6, memory/1.2/p.bytes/1e6, 1/perPeer/1e6, s.o.interval)
}

// deployment says how a million nodes divide the watching, given what a peer takes.
func deployment(page *bytes.Buffer, p point) {
	const nodes, interval, phi = 1e6, 1.0, 8 // interval in seconds
	page.WriteString("\nON PAPER: 1 000 000 nodes, each watched by k others, one heartbeat a second, φ = 8\n\n")
	rows := [][]string{{"k", "messages/s in all", "a node sends", "bytes a node", "one suspects, a day", "most suspect, a day", "nobody left to watch"}}
	for k := 1; k <= 5; k++ {
		day := 86400 / interval
		mistake := math.Pow(10, -phi)
		quorum := k/2 + 1
		most := nodes * day * binomial(k, quorum) * math.Pow(mistake, float64(quorum))
		// A watcher is down for five minutes a day.
		unwatched := nodes * math.Pow(300.0/86400, float64(k))
		rows = append(rows, []string{
			fmt.Sprint(k), millions(nodes * float64(k) / interval), fmt.Sprintf("%d/s", k), fmt.Sprintf("%.1f kB", p.bytes*float64(k)/1e3),
			fmt.Sprintf("%.3g", nodes*float64(k)*day*mistake), fmt.Sprintf("%.2g", most), fmt.Sprintf("%.2g", unwatched),
		})
	}
	table(page, rows)
	fmt.Fprintf(page, `
Let node i be watched by its k successors on a ring of the nodes' hashes, so that everybody watches k, and a
node that leaves is taken over by the next. Let them tell each other what they suspect, and act when most of the
k do (peers.Opinions). Mistakes are those of a φ that keeps its promise, one in 10⁸ heartbeats: first those of
single opinions, then those of a majority, if mistakes are independent. When a network fails they are not, and for
that there is the guard. Where φ = 8 comes 25 times as often as promised, as with a normal law on real networks, single
mistakes are 25 times as many, and those of a majority of three 625 times. The last column is how many nodes have
all their watchers down at once, at five minutes a day each. k = 3 is enough.

One monitor for all would take 1 M heartbeats a second, %.1f of a core and %.1f GB, and be the one thing that must not
fail; two of them, far apart, are a sound design, too.
`, nodes*float64(p.beat)/float64(time.Second)/interval, p.bytes*nodes/1e9)
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := range k {
		b *= float64(n-i) / float64(i+1)
	}
	return b
}

// table writes rows whose last two columns are the other designs'.
func (s *study) table(page *bytes.Buffer, rows [][]string) {
	for i := range rows {
		if s.o.alone {
			rows[i] = rows[i][:len(rows[i])-2]
		}
	}
	table(page, rows)
}

// table aligns the columns.
func table(page *bytes.Buffer, rows [][]string) {
	w := tabwriter.NewWriter(page, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush() // a bytes.Buffer takes everything
}

func ms(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond)) }

func millions(x float64) string { return fmt.Sprintf("%.2f M", x/1e6) }
