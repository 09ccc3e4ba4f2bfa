package gray_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"example.com/liveness/gray"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		what      string
		good, bad int
		peersBad  int
		want      gray.Verdict
		reason    gray.Reason
		rule      gray.Rule
		o         gray.Outcome
	}{
		{"one in ten among perfect peers", 450, 50, 0, gray.Eject, gray.None, gray.MoreErrors, gray.Error},
		{"one in a thousand among perfect peers", 999, 1, 0, gray.Keep, gray.SmallGap, gray.NoRule, gray.Error},
		{"double the peers' share", 400, 100, 55, gray.Keep, gray.None, gray.NoRule, gray.Error},
		{"all of some", 0, 60, 0, gray.Eject, gray.None, gray.ManyErrors, gray.Unreachable},
		{"six in a row", 0, 6, 0, gray.Eject, gray.None, gray.Consecutive, gray.Invalid},
		{"one now and then", 0, 1, 0, gray.NotEvaluated, gray.FewRequests, gray.NoRule, gray.Error},
		{"429 is no failure", 100, 100, 0, gray.Keep, gray.None, gray.NoRule, gray.Overload},
		{"nor is being cancelled", 500, 100, 0, gray.Keep, gray.None, gray.NoRule, gray.Cancelled},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := begin(t, gray.Config{}, 10)
			var d gray.Decision
			for range 3 {
				for i := range 10 {
					if i != 3 {
						s.send(i, c.peersBad, gray.Error, ms)
						s.send(i, 500-c.peersBad, gray.OK, ms)
					}
				}
				s.send(3, c.bad, c.o, ms)
				s.send(3, c.good, gray.OK, ms)
				d = s.tick()
			}
			s.verdict(d, 3, c.want, c.reason)
			j, _ := d.Of("s003")
			assert.Equal(t, c.rule, j.Rule)
		})
	}
}

// A success at the end of the interval takes failures in a row back.
func TestFailuresInARowEnd(t *testing.T) {
	s := begin(t, gray.Config{}, 10)
	for range 5 {
		s.send(3, 30, gray.Error, ms)
		s.send(3, 1, gray.OK, ms)
		s.verdict(s.tick(), 3, gray.NotEvaluated, gray.FewRequests)
	}
}
