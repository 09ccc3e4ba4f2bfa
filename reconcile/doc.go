// Package reconcile finds out whether a run that says it succeeded brought what
// it should have. It is a failure detector in the data: a part of a system can
// answer every health check, return no error, and deliver nothing.
//
// A job records what it handles, part by part (cities, tenants, shards) under
// keys of its own, and at its end has that judged:
//
//	rec := reconcile.NewRecorder(time.Now())
//	for city, offers := range fetched {
//		p := rec.Part(city)
//		for _, o := range offers {
//			price, err := strconv.ParseFloat(o.Price, 64)
//			o.price = reconcile.Coerce(p, "price", price, err)
//			p.Record(o.Updated)
//		}
//	}
//	before, ok := history.WeekBefore(rec.Day())
//	…
//	report := checker.Judge(rec.Run(), before, time.Now())
//	if err := report.Err(); err != nil {
//		return err // and not: publish what there is
//	}
//
// What is checked: every expected key is there; its count is within a band around
// that of the same weekday a week before, since most data has a weekly rhythm; its
// newest record is fresh; and few of its values were coerced to nothing, which is
// what lenient parsers do to a field that was renamed. What cannot be checked is
// said to be unverified, and never passes for checked.
//
// Where there are copies of the same data, [Compare] says which of them differ
// from the most.
package reconcile
