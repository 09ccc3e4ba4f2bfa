package peers_test

import (
	"fmt"
	"log"
	"time"

	"example.com/liveness"
	"example.com/liveness/peers"
)

// newPhi is a detector for peers that beat each second.
func newPhi(string) (liveness.Detector, error) {
	return liveness.NewPhi(liveness.PhiConfig{Distribution: liveness.Gaussian{}, ExpectedInterval: time.Second, WindowSize: 100})
}

// Whom to believe alive? In your program [peers.Monitor.Run] calls Advance.
func Example() {
	m, err := peers.New(peers.Config[string]{NewDetector: newPhi, Shards: 1})
	if err != nil {
		log.Fatal(err)
	}
	balancer, err := m.Subscribe(peers.SubscriptionConfig{Threshold: 1})
	if err != nil {
		log.Fatal(err)
	}
	election, err := m.Subscribe(peers.SubscriptionConfig{Threshold: 8})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC) // in your program, time.Now()
	if err := m.Register("db", start, peers.Registration{}); err != nil {
		log.Fatal(err)
	}
	for i := range 600 {
		now := start.Add(time.Duration(i) * 100 * time.Millisecond)
		if i <= 300 && i%10 == 0 {
			m.Heartbeat("db", now)
		}
		m.Advance(now)
	}
	for _, s := range []struct {
		name string
		sub  *peers.Subscription[string]
	}{{"balancer", balancer}, {"election", election}} {
		for e, ok := s.sub.TryNext(); ok; e, ok = s.sub.TryNext() {
			if e.Kind == peers.Suspected {
				fmt.Printf("%s: %v after %.1f s\n", s.name, e, e.Deadline.Sub(start).Seconds())
			}
		}
	}
	// Output:
	// balancer: db: suspected (silent) after 31.7 s
	// election: db: suspected (silent) after 34.1 s
}

// What of a peer that restarts at once? A heartbeat that names another
// incarnation begins another history.
func ExampleMonitor_HeartbeatSeq() {
	m, err := peers.New(peers.Config[string]{NewDetector: newPhi})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := m.Register("db", now, peers.Registration{}); err != nil {
		log.Fatal(err)
	}
	for _, b := range []peers.Beat{
		{Incarnation: 1700000000, Seq: 1}, {Incarnation: 1700000000, Seq: 2}, {Incarnation: 1700000000, Seq: 2},
		{Incarnation: 1700000060, Seq: 1}, {Incarnation: 1700000000, Seq: 3}, {Incarnation: 1 << 62, Seq: 1},
	} {
		fmt.Println(m.HeartbeatSeq("db", b, now))
		now = now.Add(time.Second)
	}
	// Output:
	// accepted
	// accepted
	// refused: stale
	// accepted: restart
	// refused: stale
	// refused: absurd
}

// The process was frozen for half a minute. Nobody is accused for it.
func ExampleDoubt() {
	m, err := peers.New(peers.Config[string]{NewDetector: newPhi})
	if err != nil {
		log.Fatal(err)
	}
	sub, err := m.Subscribe(peers.SubscriptionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := m.Register("db", start, peers.Registration{}); err != nil {
		log.Fatal(err)
	}
	m.Heartbeat("db", start)
	next := m.Advance(start)
	m.Advance(next.Add(30 * time.Second))
	for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
		fmt.Println(e)
	}
	// Output:
	// db: trusted (first heartbeat)
	// stalled (late round) for 30s, health score 1
}

// Half of the cluster is silent. The likelier fault is here, or in the network:
// nobody is evicted, and somebody has to look.
func ExampleGuard() {
	m, err := peers.New(peers.Config[int]{
		NewDetector: func(int) (liveness.Detector, error) { return liveness.NewFixedTimeout(3 * time.Second) },
		Guard:       peers.Guard{MaxShare: 20, EvictAfter: 5 * time.Second, MaxHold: time.Hour},
	})
	if err != nil {
		log.Fatal(err)
	}
	sub, err := m.Subscribe(peers.SubscriptionConfig{})
	if err != nil {
		log.Fatal(err)
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for key := range 10 {
		if err := m.Register(key, start, peers.Registration{}); err != nil {
			log.Fatal(err)
		}
		m.Heartbeat(key, start)
	}
	for now := start; now.Before(start.Add(time.Minute)); now = m.Advance(now) {
		for key := range 5 {
			m.Heartbeat(key, now)
		}
	}
	for e, ok := sub.TryNext(); ok; e, ok = sub.TryNext() {
		if e.Kind == peers.MassFailure || e.Kind == peers.Evict {
			fmt.Println(e)
		}
	}
	// Output: mass failure, 5 of 10 suspected
}

// A suspects B, and C hears it: B is alive, and what it sends does not reach A.
func ExampleOpinions() {
	o, err := peers.NewOpinions[string](peers.OpinionsConfig{})
	if err != nil {
		log.Fatal(err)
	}
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o.Report(peers.Opinion[string]{Observer: "A", Subject: "B", Suspected: true}, now)
	o.Report(peers.Opinion[string]{Observer: "B", Subject: "A"}, now)
	o.Report(peers.Opinion[string]{Observer: "C", Subject: "B"}, now)
	fmt.Println(o.Verdict("B", now).Kind, o.Link("A", "B", now))
	o.Report(peers.Opinion[string]{Observer: "C", Subject: "B", Suspected: true}, now)
	fmt.Println(o.Verdict("B", now).Kind)
	// Output:
	// unreachable one way
	// dead
}

// The more observers confirm a suspicion, the less time there is to refute it.
func ExampleSuspicion() {
	least, most := peers.SuspicionBounds(4, 6, 100, time.Second)
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s, err := peers.NewSuspicion(peers.SuspicionConfig{Min: least, Max: most, Members: 100}, "A", start)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("A alone:", s.Deadline().Sub(start))
	for _, from := range []string{"B", "C", "C", "D"} {
		s.Confirm(from)
		fmt.Printf("and %s:   %v\n", from, s.Deadline().Sub(start).Round(time.Millisecond))
	}
	// Output:
	// A alone: 48s
	// and B:   28s
	// and C:   16.301s
	// and C:   16.301s
	// and D:   8s
}
