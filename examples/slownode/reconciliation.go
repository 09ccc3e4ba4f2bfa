package main

import (
	"context"
	"time"

	"example.com/liveness/reconcile"
)

// reconciliation is what it found.
type reconciliation struct {
	City    string
	Offers  int
	Before  int
	Found   string
	Judging seconds
	Keys    int
}

// reconciliation loses a city, and finds that it did.
func (s *story) reconciliation(ctx context.Context) error {
	s.say("\n6. A RUN THAT SUCCEEDED, WITHOUT A CITY")
	f := &s.figures.Data
	f.Keys = len(cities)
	checker, err := reconcile.New(reconcile.Config{Keys: cities})
	if err != nil {
		return err
	}
	var history reconcile.History
	today := time.Now()
	var report reconcile.Report
	_, err = s.stage(ctx, 6, "a city lost", func() error {
		lastWeek := reconcile.NewRecorder(today.AddDate(0, 0, -7))
		var err error
		if f.Before, err = nightly(ctx, s.cluster, lastWeek); err != nil {
			return err
		}
		history.Add(lastWeek.Run())
		before, _ := history.WeekBefore(today)

		again := reconcile.NewRecorder(today)
		if _, err := nightly(ctx, s.cluster, again); err != nil {
			return err
		}
		if err := checker.Judge(again.Run(), before, today).Err(); err != nil {
			return claim(false, "a complete run failed: %v", err)
		}

		loser := s.cluster.servers[len(cities)/2]
		loser.lost.Store(true)
		s.note(time.Now(), loser.city.name+" lost")
		f.City = loser.city.name
		rec := reconcile.NewRecorder(today)
		if f.Offers, err = nightly(ctx, s.cluster, rec); err != nil {
			return err
		}
		start := time.Now()
		report = checker.Judge(rec.Run(), before, today)
		f.Judging = secondsOf(time.Since(start))
		s.note(time.Now(), "reconciled")
		return s.wait(ctx, 4)
	})
	if err != nil {
		return err
	}
	missing := report.Keys(reconcile.Missing)
	if len(missing) > 0 {
		f.Found = missing[0]
	}
	s.say("   the job: %d offers gathered from %d servers, no error; every server answered 200", f.Offers, s.servers)
	s.say("   the reconciliation, in %.0f µs:\n     %v", float64(f.Judging)*1e6, report.Err())
	return claim(len(missing) == 1 && f.Found == f.City, "the reconciliation says %v is missing, and it is %s", missing, f.City)
}
