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
//	before, _ := history.WeekBefore(rec.Day()) // nil in the first week
//	run := rec.Run()
//	report := checker.Judge(run, before, time.Now())
//	if err := report.Err(); err != nil {
//		return err // and not: publish what there is
//	}
//	history.Add(run) // and store it
//
// What is checked: every expected key is there; its count is within a band around
// that of the same weekday a week before, since most data has a weekly rhythm; its
// newest record is fresh; and few of its values were coerced to nothing. What
// cannot be checked never passes for checked: the report says that the run is
// complete as far as it could be checked, and what that leaves out. It does not
// fail the run either; if that matters, ask [Report.Checked] too.
//
// # The first week
//
// Without a run before, counts are not compared: the report has one finding,
// Unverified, for [AllKeys], and Err returns nil unless something else fails. All
// other checks are made from the first run on. A key that has no count before,
// since it is new or was empty then, is Unverified for itself.
//
// # The same weekday
//
// Days are dates, each as its time shows it in its own location, and a week before
// is seven dates before. So a run at any hour is for its date, and when the clocks
// change a day of 23 or 25 hours is compared like any other: an hour is 4 % of a
// day, and the band is far wider. Where a week before is missing, one of two,
// three or four weeks before serves. A holiday is a weekday like any other here:
// expect a finding, or a wider band.
//
// # Coerced values
//
// Lenient parsers turn a field that was renamed into zeros. [Coerce] does so, too,
// but counts: v with an error, and NaN, become the zero value of their type and
// count as nothing; any other v, also a zero, is passed on and counts as a value.
// The share of nothing is judged for each key and field, against MaxNothing. A
// field that is no longer passed to Coerce at all is not missed.
//
// # Copies
//
// Where there are copies of the same data, [Compare] says which of them differ
// from the most.
package reconcile
