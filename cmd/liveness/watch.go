package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"example.com/liveness/qos"
)

const watchNote = nameNote + floorNote + `
Each line is a heartbeat; its first word, if it has one, is the peer's name. The output of ping is
understood too: each answer is a heartbeat of the host it is from, and other lines are none. A line
is printed for each heartbeat, with the level it had let suspicion rise to, and one when a peer
becomes suspected; on a terminal, a table is kept up to date. At the end of the input, or at an
interrupt, the quality of service for each peer is printed, from its first heartbeat on.
`

// watch judges a live stream.
func watch(e env, args []string) error {
	f := newFlags(e, watchNote)
	name := f.String("detector", "phi", "`name` of the detector: "+list(detectorNames))
	set := f.withSettings().withThreshold()
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	make, err := set.detector(*name)
	if err != nil {
		return err
	}
	if err := set.useAll(*name); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w := &watcher{factory: make, threshold: set.threshold, out: e.stdout, table: isTerminal(e.stdout)}
	return w.run(ctx, e.stdin)
}

// refresh is how often the table is drawn.
const refresh = 250 * time.Millisecond

// arrival is one line of the input.
type arrival struct {
	peer string
	at   time.Time
}

// run watches until the input or the context ends, and then prints the quality.
func (w *watcher) run(ctx context.Context, input io.Reader) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	arrivals, ended := make(chan arrival), make(chan error, 1)
	go func() {
		lines := bufio.NewScanner(input)
		var reading watchInput
		for lines.Scan() {
			at := time.Now()
			peer, ok := reading.peer(lines.Text())
			if !ok {
				continue
			}
			select {
			case arrivals <- arrival{peer, at}:
			case <-ctx.Done():
				return
			}
		}
		ended <- lines.Err()
	}()
	var redraw <-chan time.Time
	if w.table {
		ticker := time.NewTicker(refresh)
		defer ticker.Stop()
		redraw = ticker.C
	}
	for {
		var wake <-chan time.Time
		if next := w.next(); !next.IsZero() {
			wake = time.After(time.Until(next))
		}
		select {
		case a := <-arrivals:
			if err := w.arrive(a); err != nil {
				return err
			}
		case <-wake:
			w.tick(time.Now())
		case now := <-redraw:
			w.draw(now)
		case err := <-ended:
			w.end(time.Now())
			return err
		case <-ctx.Done():
			w.end(time.Now())
			return nil
		}
	}
}

// A watcher judges peers by their heartbeats.
type watcher struct {
	factory   qos.Factory
	threshold float64 // 0: the detector's own
	out       io.Writer
	table     bool
	peers     []*peer
	now       time.Time // of the last look
	drawn     int       // lines of the table on the terminal
}

// watchInput tells heartbeats from other lines.
type watchInput struct{ ping bool }

// peer returns the name in a line, and whether it is a heartbeat.
func (in *watchInput) peer(line string) (name string, ok bool) {
	line = strings.TrimSpace(line)
	_, answer, isAnswer := strings.Cut(line, "bytes from ")
	isAnswer = isAnswer && strings.Contains(answer, "seq=")
	in.ping = in.ping || isAnswer || strings.HasPrefix(line, "PING ") && strings.Contains(line, "bytes") ||
		strings.Contains(line, "no answer yet for icmp_seq=") || strings.HasPrefix(line, "Request timeout for icmp_seq ")
	switch {
	case isAnswer:
		name, _, _ = strings.Cut(answer, " ")
		return strings.TrimSuffix(name, ":"), strings.Contains(answer, "time") && !strings.Contains(answer, "(DUP!)")
	case in.ping:
		return "", false
	}
	name, _, _ = strings.Cut(line, " ")
	return name, true
}
