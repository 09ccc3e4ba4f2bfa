package reconcile_test

import (
	"fmt"
	"log"
	"strconv"
	"time"

	"example.com/liveness/reconcile"
)

// My job ended without an error. Did it bring everything? Here a source answered
// as always, with an empty list, and another has renamed a field.
func Example() {
	checker, err := reconcile.New(reconcile.Config{Keys: []string{"Seattle", "Spokane", "Tacoma"}})
	if err != nil {
		log.Fatal(err)
	}
	today := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC) // in your program, time.Now()

	var history reconcile.History // in your program, loaded
	lastWeek := reconcile.NewRecorder(today.AddDate(0, 0, -7))
	for city, n := range map[string]int{"Seattle": 1204, "Spokane": 312, "Tacoma": 450} {
		lastWeek.Part(city).Records(n, lastWeek.Day())
	}
	history.Add(lastWeek.Run())

	fetched := map[string][]string{"Spokane": make([]string, 300), "Tacoma": make([]string, 440)}
	for i := range fetched["Tacoma"] {
		fetched["Tacoma"][i] = "12.50"
	}
	rec := reconcile.NewRecorder(today)
	for city, prices := range fetched {
		part := rec.Part(city)
		for _, text := range prices {
			price, err := strconv.ParseFloat(text, 64)
			price = reconcile.Coerce(part, "price", price, err) // 0 if there is none
			part.Record(today.Add(-time.Hour))
			_ = price
		}
	}

	before, _ := history.WeekBefore(today)
	report := checker.Judge(rec.Run(), before, today)
	fmt.Print(report)
	if report.Failed() {
		fmt.Println("missing:", report.Keys(reconcile.Missing)) // return report.Err()
	}
	// Output:
	// The run for Mon 2026-11-30, compared with Mon 2026-11-23, is NOT COMPLETE.
	// 2 of 3 keys, 740 records, 300 values coerced to nothing.
	//   FAIL  missing     Seattle: missing, had 1204 records before
	//   FAIL  nothing     Spokane price: 300 of 300 values were coerced to nothing, want at most 1 %
	// missing: [Seattle]
}
