// Package watchdog lets a process end itself when one of its parts is no longer
// well, before others act on the belief that it is.
//
// Each part has a name and a timeout, and kicks when it has done what shows that
// it is well. A deadline that passes without a kick is a miss, whatever comes
// later:
//
//	w, err := watchdog.New(watchdog.Config{OnMiss: watchdog.Kill})
//	…
//	go w.Run(ctx)
//	flush, err := w.Add("flush", 2*time.Second, time.Now())
//	…
//	idle := time.NewTicker(500 * time.Millisecond) // well below the timeout
//	for open := true; open; {
//		select {
//		case batch, more := <-batches:
//			if open = more; open {
//				write(batch)
//			}
//		case <-idle.C: // to have nothing to do is well, too
//		}
//		if !flush.Kick(time.Now()) { // after the work
//			return
//		}
//	}
//	flush.Done(time.Now()) // a part that ends without is a miss
//
// # Why a timer is not enough
//
// The usual watchdog re-arms a timer at each kick. When a frozen process goes
// on, its kick and its timer are both due, and if the kick comes first, the
// pause is forgiven: of 30 processes frozen for twice their limit, 27 lived on
// with such a watchdog, and 29 in a second series. So here the kick itself
// compares the time with the deadline before it moves it, and which comes first
// no longer matters: of 30, none did. (LIVENESS_PAUSES=30 go test -v -run Frozen
// ./watchdog)
//
// # What it cannot do
//
// It works at the earliest when the process runs again, and a write that was
// begun may be done by then: what must not be written late needs a guard at the
// resource, see package fence. A kick shows that the code before it was run, and
// no more: kick after the work, not from a timer of its own. And the whole is
// blind to what happens while its clock stands still, see Config.WallClock.
//
// What systemd wants to hear of a service that watches itself is in the module
// example.com/liveness/integrations/systemd.
package watchdog
