package main

import (
	"bytes"
	"testing"
	"time"

	"example.com/liveness"
)

func TestReport(t *testing.T) {
	start := time.Now()
	at := func(ms float64) time.Time { return start.Add(time.Duration(ms * float64(time.Millisecond))) }
	suspected := func(last, due, seen float64) *suspicion {
		return &suspicion{sighting: sighting{suspected: true, last: at(last), due: at(due), at: at(seen)}}
	}
	wrong, frozen, killed := suspected(1000, 1300, 1450), suspected(4000, 4300, 4300.2), suspected(9000, 9310, 9310.3)
	wrong.ended = at(1480)
	frozen.ended = at(5800.4)
	r := report{
		freezing:   incident{at: at(4050), suspicion: frozen},
		thawed:     at(5800),
		killing:    incident{at: at(9040), suspicion: killed},
		suspicions: []*suspicion{wrong, frozen, killed},
		convicted:  true,
		received:   71,
		sent:       73,
		stats:      liveness.Stats{Count: 70, Mean: 0.1023, StdDev: 0.0409},
	}
	check := func(want string) {
		t.Helper()
		var out bytes.Buffer
		if r.write(&out); out.String() != want {
			t.Errorf("the report is\n%s, want\n%s", &out, want)
		}
	}
	check(`
Summary                                          freeze         kill
last heartbeat, before the signal               50.0 ms      40.0 ms
suspicion predicted, after the signal          250.0 ms     270.0 ms
suspicion observed, after the signal           250.2 ms     270.3 ms
  and after the last heartbeat                 300.2 ms     310.3 ms
  observed less predicted                        0.2 ms       0.3 ms
trusted again, after SIGCONT                     0.4 ms            -

Heartbeats: 71 received, 2 lost. Gaps, as learnt: mean 102.3 ms, standard deviation 40.9 ms
(the detector's prior, and its floor for the standard deviation, included).
False suspicions: 1. This program had not stopped the process: its heartbeats were late,
or this machine was slow to read them.
  after 450.0 ms of silence, taken back 30.0 ms later; this program noticed 150.0 ms late
All four stages happened: trusted, suspected, trusted again, convicted.
`)

	r.freezing = incident{skipped: "this system cannot"}
	r.suspicions = []*suspicion{killed}
	check(`
Summary                                          freeze         kill
last heartbeat, before the signal                     -      40.0 ms
suspicion predicted, after the signal                 -     270.0 ms
suspicion observed, after the signal                  -     270.3 ms
  and after the last heartbeat                        -     310.3 ms
  observed less predicted                             -       0.3 ms
trusted again, after SIGCONT                          -            -

Heartbeats: 71 received, 2 lost. Gaps, as learnt: mean 102.3 ms, standard deviation 40.9 ms
(the detector's prior, and its floor for the standard deviation, included).
False suspicions: none.
Trusted and convicted; not frozen: this system cannot.
`)

	r = report{received: 3, sent: 3}
	check(`
Summary                                          freeze         kill
last heartbeat, before the signal                     -            -
suspicion predicted, after the signal                 -            -
suspicion observed, after the signal                  -            -
  and after the last heartbeat                        -            -
  observed less predicted                             -            -
trusted again, after SIGCONT                          -            -

Heartbeats: 3 received, 0 lost. Gaps, as learnt: mean 0.0 ms, standard deviation 0.0 ms
(the detector's prior, and its floor for the standard deviation, included).
False suspicions: none.
`)
}
