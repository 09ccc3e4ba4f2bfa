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

// What is the threshold of an Akka cluster worth? Its φ is not −log10 of a
// probability: at its 8 a Gaussian has one mistake in 10^7.06 heartbeats.
func ExampleAkkaPhi() {
	for _, threshold := range []float64{3, 8, 10, 12} {
		fmt.Printf("Akka's %2v is a φ of %.2f\n", threshold, liveness.AkkaPhi(threshold))
	}
	// The same by hand, for gaps of 1 s with a standard deviation of 0.1 s.
	silence := liveness.Logistic{Mean: 1, StdDev: 0.1}.Quantile(8)
	fmt.Printf("after %.3f s: %.2f\n", silence, liveness.Gaussian{Mean: 1, StdDev: 0.1}.Phi(silence))
	// Output:
	// Akka's  3 is a φ of 2.95
	// Akka's  8 is a φ of 7.06
	// Akka's 10 is a φ of 8.48
	// Akka's 12 is a φ of 9.81
	// after 1.523 s: 7.06
}

// How sure can one be after five gaps? A Gaussian takes their statistics for the
// truth; Student's law knows how few they are.
func ExampleStudentT() {
	w, err := liveness.NewWindow(1000)
	if err != nil {
		log.Fatal(err)
	}
	for _, ms := range []int{950, 1070, 1010, 890, 1080} {
		w.Add(time.Duration(ms) * time.Millisecond)
	}
	for _, family := range []liveness.Distribution{liveness.Gaussian{}, liveness.StudentT{}} {
		law := family.Fit(w.Stats())
		fmt.Printf("%-17T φ after 1.5 s is %4.1f, φ = 3 after %.2f s, φ = 8 after %5.2f s\n", law, law.Phi(1.5), law.Quantile(3), law.Quantile(8))
	}
	// Output:
	// liveness.Gaussian φ after 1.5 s is 11.7, φ = 3 after 1.22 s, φ = 8 after  1.40 s
	// liveness.StudentT φ after 1.5 s is  2.6, φ = 3 after 1.63 s, φ = 8 after 12.62 s
}
