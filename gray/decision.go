package gray

import "time"

// A Decision is the outcome of one evaluation. The same records and the same
// instants give the same Decision, down to the order of its servers.
type Decision struct {
	At      time.Time
	Closed  bool        // the interval was over and was judged
	Reason  Reason      // Early or Late if it was not judged
	Servers []Judgement // the worst first, then by name

	// Changes are the servers whose state is another than after the last Advance,
	// at most one change for each, in the order of Servers: those that are ejected,
	// those that failed their probation and are ejected again, those that come on
	// probation, into slow start or back, by their time or by [Monitor.Restore].
	// There are some in intervals that are not judged, too, and none with
	// [Config].Shadow.
	Changes []Change

	Group Group
	Guard Ruling
}

// Ejections returns the servers with the verdict Eject: those to be taken out now
// because a rule found them bad. They are among Changes, which a load balancer
// needs, since it has to take out those that fail their probation, too, and to have
// back those that return.
func (d Decision) Ejections() []string {
	var names []string
	for _, j := range d.Servers {
		if j.Verdict == Eject {
			names = append(names, j.Server)
		}
	}
	return names
}

// Of returns the judgement on a server, and whether there is one.
func (d Decision) Of(server string) (Judgement, bool) {
	for _, j := range d.Servers {
		if j.Server == server {
			return j, true
		}
	}
	return Judgement{}, false
}
