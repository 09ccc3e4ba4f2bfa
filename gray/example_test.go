package gray_test

import (
	"fmt"
	"log"
	"time"

	"example.com/liveness/gray"
)

// Who is slow? Record what clients see, decide once an interval.
func Example() {
	m, err := gray.New(gray.Config{})
	if err != nil {
		log.Fatal(err)
	}
	servers := []string{"a", "b", "c", "d", "e", "f"}
	m.Add(servers...)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // in your program, time.Now()
	for range 3 {
		for range 500 {
			for _, server := range servers {
				took := 20 * time.Millisecond
				if server == "d" {
					took *= 100 // its health check is green
				}
				m.Record("web", server, gray.OK, took)
			}
		}
		now = now.Add(10 * time.Second)
		fmt.Println(m.Advance(now).Servers[0])
	}
	fmt.Println("a request to d:", m.Admit("d", now))
	// Output:
	// d: suppressed (persistence), slow tail 2s against 21ms, the median of 5 peers, threshold 63ms, 500 samples, bad in 1 of the last 5 intervals, 3 needed
	// d: suppressed (persistence), slow tail 2s against 21ms, the median of 5 peers, threshold 63ms, 500 samples, bad in 2 of the last 5 intervals, 3 needed
	// d: eject until 2026-01-01T00:01:00Z, slow tail 2s against 21ms, the median of 5 peers, threshold 63ms, 500 samples, bad in 3 of the last 5 intervals, 3 needed
	// a request to d: false
}

// What would it have done? In the shadow everything is found and counted, and
// nobody is ejected.
func ExampleConfig_shadow() {
	m, err := gray.New(gray.Config{Shadow: true, Hits: 1, Of: 1})
	if err != nil {
		log.Fatal(err)
	}
	m.Add("a", "b", "c", "d", "e")
	for range 300 {
		for _, server := range m.Members() {
			outcome := gray.OK
			if server == "b" {
				outcome = gray.Error
			}
			m.Record("web", server, outcome, 5*time.Millisecond)
		}
	}
	d := m.Advance(time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC))
	fmt.Println(d.Servers[0])
	fmt.Println("kept in the shadow:", m.Counters().Suppressed[gray.Shadowed])
	// Output:
	// b: suppressed (shadow), more errors 100 % against 0 %, the median of 4 peers, threshold 5 %, 300 samples
	// kept in the shadow: 1
}

// A load balancer of its own is kept in step by the changes.
func ExampleChange() {
	m, err := gray.New(gray.Config{Hits: 1})
	if err != nil {
		log.Fatal(err)
	}
	m.Add("a", "b", "c", "d", "e", "f")
	interval := func(slow time.Duration, requests int) {
		for _, server := range m.Members() {
			latency, n := 20*time.Millisecond, 500
			if server == "d" {
				latency, n = slow, requests
			}
			for range n {
				m.Record("web", server, gray.OK, latency)
			}
		}
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 9 {
		switch {
		case i == 0:
			interval(2*time.Second, 500)
		case m.State("d") == gray.Probation:
			interval(20*time.Millisecond, 5)
		default:
			interval(0, 0)
		}
		now = now.Add(10 * time.Second)
		for _, c := range m.Advance(now).Changes {
			switch c.To {
			case gray.Ejected:
				fmt.Println("take out:", c)
			case gray.Probation:
				fmt.Println("ask Admit for a few requests:", c)
			case gray.SlowStart, gray.Active:
				fmt.Println("take in, with Weight:", c)
			}
		}
	}
	// Output:
	// take out: d: active → ejected until 2026-01-01T00:00:40Z (slow tail)
	// ask Admit for a few requests: d: ejected → probation
	// take in, with Weight: d: probation → slow start
	// take in, with Weight: d: slow start → active
}

// Everything is slow at once, so no peer stands out. A limit tells.
func ExampleGroup() {
	m, err := gray.New(gray.Config{Limit: 100 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	m.Add("a", "b", "c", "d", "e")
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 3 {
		for range 500 {
			for _, server := range m.Members() {
				m.Record("web", server, gray.OK, 300*time.Millisecond)
			}
		}
		now = now.Add(10 * time.Second)
		d := m.Advance(now)
		fmt.Println("ejected:", len(d.Ejections()), "group degraded:", d.Group.Degraded)
	}
	// Output:
	// ejected: 0 group degraded: false
	// ejected: 0 group degraded: false
	// ejected: 0 group degraded: true
}

// May I evict? Not if more than a fifth looks bad.
func ExampleGuard() {
	g, err := gray.NewGuard(gray.GuardConfig{})
	if err != nil {
		log.Fatal(err)
	}
	nodes := []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, failing := range [][]string{{"a"}, {"a", "b"}, {"a", "b", "c"}, {"a", "b", "c", "d"}, {"a", "b"}} {
		r := g.Look(now, gray.Census{Members: nodes, Failing: failing})
		fmt.Printf("%d of %d bad, %d may be: open %v, page %v\n", r.Unhealthy, r.Members, r.Limit, r.Open, r.Page)
		now = now.Add(time.Minute)
	}
	// Output:
	// 1 of 10 bad, 2 may be: open false, page false
	// 2 of 10 bad, 2 may be: open false, page false
	// 3 of 10 bad, 2 may be: open true, page true
	// 4 of 10 bad, 2 may be: open true, page false
	// 2 of 10 bad, 2 may be: open true, page false
}

// Whose fault is it?
func ExampleTable() {
	var cells []gray.Cell
	for _, client := range []string{"web1", "web2", "web3", "web4"} {
		for _, server := range []string{"a", "b", "c", "d"} {
			latency := 10 * time.Millisecond
			if server == "c" || client == "web2" && server == "a" {
				latency *= 8
			}
			cells = append(cells, gray.Cell{Client: client, Server: server, Latency: latency})
		}
	}
	t, err := gray.NewTable(gray.TableConfig{}, cells)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(t)
	// Output:
	// client \ server      a     b     c     d     ×
	// web1              10ms  10ms  80ms  10ms     1
	// web2             80ms*  10ms  80ms  10ms     1
	// web3              10ms  10ms  80ms  10ms     1
	// web4              10ms  10ms  80ms  10ms     1
	// ×                    1     1     8     1  10ms
	// server c: 80ms against 10ms, 8 times
	// path web2 → a: 80ms against 10ms, 8 times
}

// Who of some figures stands out from the others?
func ExampleRelative() {
	p99 := []float64{0.020, 0.022, 0.019, 0.350, 0.021, 0.058}
	compared, err := gray.Relative{Ratio: 3, Gap: 0.010}.Compare(p99)
	if err != nil {
		log.Fatal(err)
	}
	for i, c := range compared {
		if c.Outlier {
			fmt.Printf("number %d: %v s, the others %v s, the threshold %.3f s\n", i, c.Value, c.Median, c.Threshold)
		}
	}
	// Output:
	// number 3: 0.35 s, the others 0.021 s, the threshold 0.063 s
}

// How long is a server away? Each time longer, up to a limit.
func ExampleBackoff() {
	b, err := gray.NewBackoff(gray.Backoff{Base: 30 * time.Second, Max: 2 * time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	for n := 1; n <= 5; n++ {
		fmt.Print(b.Time(n), " ")
	}
	fmt.Println()
	// Output:
	// 30s 1m0s 1m30s 2m0s 2m0s
}

// Envoy's rules, for comparison: a dead server among four is never found.
func ExampleEnvoy() {
	for _, servers := range [][]string{{"a", "b", "c", "d"}, {"a", "b", "c", "d", "e"}} {
		m, err := gray.New(gray.Config{Envoy: &gray.Envoy{SuccessHosts: 3, Failures: -1, MaxPercent: 50}})
		if err != nil {
			log.Fatal(err)
		}
		m.Add(servers...)
		for range 1000 {
			for _, server := range servers {
				outcome := gray.OK
				if server == "a" {
					outcome = gray.Error
				}
				m.Record("web", server, outcome, time.Millisecond)
			}
		}
		d := m.Advance(time.Date(2026, 1, 1, 0, 0, 10, 0, time.UTC))
		fmt.Println(len(servers), "servers, ejected:", d.Ejections())
	}
	// Output:
	// 4 servers, ejected: []
	// 5 servers, ejected: [a]
}
