package main

import (
	"context"
	"io"
	"slices"
	"time"
)

// A story is the program: chapter after chapter, with what was measured.
type story struct {
	scale
	out      io.Writer
	began    time.Time
	cluster  *cluster
	frontend *frontend
	beats    *heartbeats
	stalls   *stalls
	clock    *clock
	ticker   *time.Ticker

	figures       figures
	stages        []stage
	events        []event
	sent, skipped int
	repeats       int
}

func open(sc scale, out io.Writer) (*story, error) {
	c, err := startCluster(sc.servers, sc.base, sc.checkLimit())
	if err != nil {
		return nil, err
	}
	clock := newClock(judged)
	return &story{
		scale:    sc,
		out:      out,
		began:    time.Now(),
		cluster:  c,
		frontend: &frontend{cluster: c, clock: clock, pinned: -1},
		stalls:   watchStalls(context.Background()), // until it is closed
		clock:    clock,
		figures:  figures{Servers: sc.servers},
	}, nil
}

func (s *story) close() {
	if s.beats != nil {
		s.ticker.Stop()
		s.beats.end()
	}
	s.stalls.end()
	s.cluster.close()
}

// sick is the server that the story is about.
func (s *story) sick() *server { return s.cluster.servers[s.patient()] }

// patient is its number.
func (s *story) patient() int { return s.servers * 3 / 5 }

// play tells all chapters. It returns an error at the first one that is not true.
func (s *story) play(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return interrupted(ctx, err)
	}
	s.say("%d search servers on loopback, each of which takes %v. %.0f searches a second ask all of them: shard i is on\n"+
		"server i, with a copy on the next one. To fit into a minute, an interval of the monitor, %v, passes in %v, and\n"+
		"%d requests in it are enough to judge a server by, not %d. Latencies are real.",
		s.servers, s.base, s.rate(), judged, s.interval.Round(time.Millisecond), enough, 50)
	for _, chapter := range []func(context.Context) error{s.slow, s.heartbeats, s.outliers, s.dependency, s.hedging, s.reconciliation} {
		if err := chapter(ctx); err != nil {
			return interrupted(ctx, err)
		}
	}
	s.figures.Took = secondsOf(time.Since(s.began))
	s.figures.Skipped = percent(float64(s.skipped), float64(s.sent))
	return claim(s.figures.Skipped < 0.1, "%s of the searches were not sent, since %d waited already: this machine is too slow; try fewer -servers",
		s.figures.Skipped, maxInFlight)
}

// prepare opens connections and paces the load.
func (s *story) prepare(ctx context.Context) error {
	took, err := s.warm(ctx, time.Second)
	if err != nil {
		return err
	}
	s.pace(s.paced(took))
	if s.beats, err = startHeartbeats(ctx, s.cluster, s.interval/2); err != nil {
		return err
	}
	// Several searches at once need more connections than one.
	_, err = s.stage(ctx, 0, "warming up", func() error { return s.wait(ctx, 2) })
	s.forget()
	return err
}

// forget drops the stages so far.
func (s *story) forget() { s.stages, s.sent, s.skipped = nil, 0, 0 }

// pace sets the pace.
func (s *story) pace(sc scale) {
	if s.ticker != nil {
		s.ticker.Stop()
	}
	s.scale = sc
	s.ticker = time.NewTicker(s.interval)
}

// rate is in searches a second.
func (s *story) rate() float64 { return float64(time.Second) / float64(s.every) }

// warm sends searches one at a time, for so long at least, and returns the median
// of what they took.
func (s *story) warm(ctx context.Context, span time.Duration) (time.Duration, error) {
	const unsettled, searches = 2, 11
	began := time.Now()
	var took []time.Duration
	for n := 0; n < unsettled+searches || time.Since(began) < span; n++ {
		d, err := s.frontend.search(ctx)
		if err != nil {
			return 0, err
		}
		if n >= unsettled {
			took = append(took, d)
		}
	}
	slices.Sort(took)
	return quantile(took, 0.5), nil
}

// calm closes the connections that an outage took: thousands of them, each with
// goroutines at both ends, would slow down what is measured next.
func (s *story) calm(ctx context.Context) error {
	s.cluster.client.CloseIdleConnections()
	_, err := s.warm(ctx, 0)
	return err
}

func (s *story) summary(samples []sample) latency { return summarise(samples, s.late()) }

// interrupted names the reason for what failed.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}
