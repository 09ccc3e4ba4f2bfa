package watchdog_test

import (
	"fmt"
	"testing"
	"time"

	"example.com/liveness/internal/pernow"
)

func BenchmarkKick(b *testing.B) {
	for _, n := range []int{1, 4, 16} {
		b.Run(fmt.Sprintf("parts=%d", n), func(b *testing.B) {
			d := newDog(b, false)
			for i := range n - 1 {
				_, err := d.Add(fmt.Sprint(i), 100*24*time.Hour, t0)
				if err != nil {
					b.Fatal(err)
				}
			}
			p := d.add(b, "kicked", 1000)
			at := t0
			pernow.Bench(b, func() {
				at = at.Add(time.Microsecond)
				p.Kick(at)
			}, nil)
			if len(d.misses) > 0 {
				b.Fatal(d.misses)
			}
		})
	}
}
