package liveness_test

import (
	"fmt"
	"log"
	"math"
	"time"

	"example.com/liveness"
	"example.com/liveness/livenesstest"
)

// shifted is a law of one's own: no heartbeat comes before a minimum, and the
// delay beyond it is exponential. The minimum is taken as one standard
// deviation below the mean, which is what the moments of such a law say.
type shifted struct{ least, excess float64 }

func (shifted) Fit(s liveness.Stats) liveness.Distribution {
	least := max(s.Mean-s.StdDev, 0)
	return shifted{least: least, excess: s.Mean - least}
}

func (l shifted) Phi(x float64) float64 {
	return liveness.Exponential{Mean: l.excess}.Phi(x - l.least)
}

func (l shifted) Quantile(phi float64) float64 {
	return l.least + liveness.Exponential{Mean: l.excess}.Quantile(phi)
}

// How do I plug in a law of my own? Write its three methods, have the kit check
// them, and name it in the configuration.
func ExampleDistribution() {
	fmt.Println("kit:", livenesstest.TestDistribution(shifted{}))

	d, err := liveness.NewPhi(liveness.PhiConfig{Distribution: shifted{}, MinStdDev: 100 * time.Millisecond})
	if err != nil {
		log.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 1001 {
		d.Heartbeat(at)
		at = at.Add(time.Second)
	}
	last := at.Add(-time.Second)
	fmt.Printf("φ = 8 after %.2f s, by hand %.2f s\n", d.Deadline(8).Sub(last).Seconds(), 0.9+0.1*8*math.Ln10)
	// Output:
	// kit: <nil>
	// φ = 8 after 2.74 s, by hand 2.74 s
}
