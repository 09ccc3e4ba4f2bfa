package hedge_test

import (
	"fmt"
	"log"
	"time"

	"example.com/liveness/hedge"
)

// When is a second request worth its load? When the first has taken longer than
// 95 in 100 do; then it is sent to another server.
func Example() {
	h, err := hedge.New(hedge.Config{ExtraLoad: 0.05})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // in your program, time.Now()
	for i := range 1000 {                             // what was seen so far: 1 ms to 20 ms
		r := h.Start("a", at)
		r.Answered("a", at.Add(time.Duration(i%20+1)*time.Millisecond))
	}

	r := h.Start("a", at)
	delay, ok := h.Delay()
	if !ok {
		log.Fatal("too little is learnt yet, or the group is degraded: wait for a, and hedge nothing")
	}
	fmt.Println("hedge after", delay)
	server, ok := r.Hedge(at.Add(delay), "a", "b", "c")
	fmt.Println("hedge to", server, ok)
	losses, _ := r.Answered(server, at.Add(delay+5*time.Millisecond))
	for _, loss := range losses {
		fmt.Println("masked failure of", loss.Server, "which took more than", loss.Elapsed)
	}
	// Output:
	// hedge after 20ms
	// hedge to b true
	// masked failure of a which took more than 25ms
}

// What if all servers are slow? Say so, and nothing is hedged. Until somebody
// does, the budget keeps the extra load from exceeding what was allowed.
func ExampleHedger_SetDegraded() {
	h, err := hedge.New(hedge.Config{MaxExtraLoad: 0.1, Burst: 5})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 100 {
		h.Start("a", at).Answered("a", at.Add(10*time.Millisecond))
	}
	for i := range 200 { // all of them late
		h.SetDegraded(i >= 100)
		h.Start("a", at).Hedge(at.Add(time.Second), "b")
	}
	s := h.Stats()
	fmt.Println(s.Hedges, "hedges,", s.RefusedBudget, "refused by the budget,", s.RefusedDegraded, "as degraded")
	// Output: 14 hedges, 86 refused by the budget, 100 as degraded
}
