// Package reconcile finds out whether a run that says it succeeded brought what
// it should have. It is a failure detector in the data: a part of a system can
// answer every health check, return no error, and deliver nothing.
//
// A job records what it handles, part by part (cities, tenants, shards) under
// keys of its own, and at its end has that judged:
//
//	checker, err := reconcile.New(reconcile.Config{Keys: cities})
//	…
//	var history reconcile.History // loaded from where it was stored
//
//	rec := reconcile.NewRecorder(time.Now())
//	for city, offers := range fetched {
//		p := rec.Part(city)
//		for i := range offers {
//			price, err := strconv.ParseFloat(offers[i].Price, 64)
//			offers[i].price = reconcile.Coerce(p, "price", price, err)
//			p.Record(offers[i].Updated)
//		}
//	}
//	before, _ := history.WeekBefore(rec.Day()) // without one, counts are not compared
//	run := rec.Run()
//	report := checker.Judge(run, before, time.Now())
//	if err := report.Err(); err != nil {
//		return err // and not: publish what there is
//	}
//	history.Add(run) // and store it
//
// What is checked: every expected key is there; its count is within a band around
// that of the same weekday a week before, since most data has a weekly rhythm; its
// newest record is fresh; and few of its values were coerced to nothing, which is
// what lenient parsers do to a field that was renamed. What cannot be checked is
// said to be unverified, and never passes for checked; but it does not fail the
// run either: if that matters, ask the report for the keys Unverified and Undated.
//
// Where there are copies of the same data, [Compare] says which of them differ
// from the most.
package reconcile
