package peers

import (
	"cmp"
	"time"
)

const (
	defaultMaxAge      = time.Minute
	defaultMaxOpinions = 1 << 20

	// expiries is how many times in MaxAge it is looked for old opinions at
	// most.
	expiries = 64
)

// OpinionsConfig configures [Opinions]. The zero value is usable.
type OpinionsConfig struct {
	// Quorum is how many observers must suspect a peer before it counts as
	// dead, from 1. Zero means the majority of the observers with a fresh
	// opinion of it, and of at least two.
	Quorum int

	// MaxAge is how long an opinion holds, from 1 µs to 100 days: observers
	// repeat theirs more often than that. Zero means 1 min.
	MaxAge time.Duration

	// MaxOpinions bounds how many are remembered, one for each pair of an
	// observer and a peer. Zero means 1048576.
	MaxOpinions int
}

// An Opinion is what one monitor believes of one peer. Observers are peers of
// each other, so both have keys of one type.
type Opinion[K comparable] struct {
	Observer, Subject K
	Suspected         bool
	Incarnation       uint64 // of the subject, as far as the observer has heard
}

// A VerdictKind says what several opinions amount to.
type VerdictKind uint8

const (
	// VerdictUnknown: nobody has a fresh opinion.
	VerdictUnknown VerdictKind = iota
	// VerdictAlive: nobody suspects it.
	VerdictAlive
	// VerdictUnreachable: some suspect it, and somebody hears it: it is alive,
	// and cut off from those.
	VerdictUnreachable
	// VerdictDoubtful: all suspect it, but they are too few.
	VerdictDoubtful
	// VerdictDead: a quorum suspects it, and nobody hears it.
	VerdictDead
)

var verdicts = [...]string{
	VerdictUnknown: "unknown", VerdictAlive: "alive", VerdictUnreachable: "unreachable", VerdictDoubtful: "doubtful", VerdictDead: "dead",
}

func (v VerdictKind) String() string {
	if v == VerdictUnknown {
		return verdicts[v]
	}
	return name(verdicts[:], int(v), "verdict")
}

// A Verdict is what several opinions about one peer amount to.
type Verdict struct {
	Kind        VerdictKind
	Incarnation uint64 // the newest that anybody has heard of
	Suspecting  int    // observers that suspect it, of those with a fresh opinion
	Hearing     int    // observers that hear it
}

// A Link is what the opinions of two peers about each other tell of the way
// between them.
type Link uint8

const (
	// LinkUnknown: one of them has no fresh opinion of the other.
	LinkUnknown Link = iota
	// LinkBoth: each hears the other.
	LinkBoth
	// LinkOneWay: one hears the other, and not the reverse: what the first
	// sends does not arrive.
	LinkOneWay
	// LinkCut: neither hears the other.
	LinkCut
)

var links = [...]string{LinkUnknown: "unknown", LinkBoth: "both ways", LinkOneWay: "one way", LinkCut: "cut"}

func (l Link) String() string {
	if l == LinkUnknown {
		return links[l]
	}
	return name(links[:], int(l), "link")
}

// Opinions combines what several monitors believe. The suspicion of one is an
// opinion about the peer and the way to it; where another one hears the peer,
// it is the way.
//
//   - A peer that anybody hears is not dead: it is alive, or unreachable for
//     those who suspect it.
//   - An opinion counts for MaxAge, and only the latest of each observer. That
//     the observer lives needs no other proof than that.
//   - Who has heard of a newer incarnation knows better: a suspicion of an older
//     one does not count, nor that it was heard.
//   - A peer has no opinion about itself.
//
// It is not for use by several goroutines at once. It must be made by
// [NewOpinions].
type Opinions[K comparable] struct {
	cfg   OpinionsConfig
	about map[K]map[K]held // by subject, then observer
	n     int

	expired time.Time // when old ones were last looked for
}

// held is an opinion and when it came.
type held struct {
	suspected   bool
	incarnation uint64
	at          time.Time
}

// NewOpinions returns an empty collection. It returns an error that names the
// field, the value and the bound if cfg is out of range.
func NewOpinions[K comparable](cfg OpinionsConfig) (*Opinions[K], error) {
	cfg.MaxAge = cmp.Or(cfg.MaxAge, defaultMaxAge)
	cfg.MaxOpinions = cmp.Or(cfg.MaxOpinions, defaultMaxOpinions)
	err := cmp.Or(
		check(cfg.Quorum >= 0, "Quorum", cfg.Quorum, "a number of at least 0"),
		checkDuration("MaxAge", cfg.MaxAge),
		check(cfg.MaxOpinions > 0, "MaxOpinions", cfg.MaxOpinions, "a number above 0"),
	)
	if err != nil {
		return nil, err
	}
	return &Opinions[K]{cfg: cfg, about: make(map[K]map[K]held)}, nil
}

// Report takes in an opinion that came at now. It reports whether it was taken:
// not that of a peer about itself, nor one about an older incarnation than the
// same observer has told of, nor one too many.
func (o *Opinions[K]) Report(op Opinion[K], now time.Time) bool {
	if op.Observer == op.Subject || op.Observer != op.Observer || op.Subject != op.Subject { // a NaN could not be found again
		return false
	}
	about := o.about[op.Subject]
	old, known := about[op.Observer]
	switch {
	case known && op.Incarnation < old.incarnation:
		return false
	case !known && o.n >= o.cfg.MaxOpinions:
		if o.expire(now); o.n >= o.cfg.MaxOpinions {
			return false
		}
		about = o.about[op.Subject]
	}
	if about == nil {
		about = make(map[K]held)
		o.about[op.Subject] = about
	}
	if !known {
		o.n++
	}
	about[op.Observer] = held{op.Suspected, op.Incarnation, now}
	return true
}

// expire forgets opinions that do not hold any more.
func (o *Opinions[K]) expire(now time.Time) {
	if since := now.Sub(o.expired); 0 <= since && since < o.cfg.MaxAge/expiries {
		return // or who reports what there is no room for has all looked at each time
	}
	o.expired = now
	for subject, about := range o.about {
		for observer, h := range about {
			if !o.fresh(h, now) {
				delete(about, observer)
				o.n--
			}
		}
		if len(about) == 0 {
			delete(o.about, subject)
		}
	}
}

func (o *Opinions[K]) fresh(h held, now time.Time) bool { return now.Sub(h.at) < o.cfg.MaxAge }

// Forget drops all opinions about and of a peer. It costs O(number of peers).
func (o *Opinions[K]) Forget(key K) {
	o.n -= len(o.about[key])
	delete(o.about, key)
	for subject, about := range o.about {
		if _, ok := about[key]; ok {
			delete(about, key)
			o.n--
		}
		if len(about) == 0 {
			delete(o.about, subject)
		}
	}
}

// Len returns how many opinions are remembered.
func (o *Opinions[K]) Len() int { return o.n }

// Verdict returns what the opinions about a peer amount to at now. It costs
// O(number of its observers).
func (o *Opinions[K]) Verdict(subject K, now time.Time) Verdict {
	var v Verdict
	for _, h := range o.about[subject] {
		if o.fresh(h, now) {
			v.Incarnation = max(v.Incarnation, h.incarnation)
		}
	}
	fresh := 0
	for _, h := range o.about[subject] {
		if !o.fresh(h, now) {
			continue
		}
		fresh++
		switch {
		case h.incarnation < v.Incarnation: // it has not heard the news
		case h.suspected:
			v.Suspecting++
		default:
			v.Hearing++
		}
	}
	quorum := o.cfg.Quorum
	if quorum == 0 {
		quorum = max(fresh, 2)/2 + 1
	}
	switch {
	case fresh == 0:
	case v.Suspecting == 0:
		v.Kind = VerdictAlive
	case v.Hearing > 0:
		v.Kind = VerdictUnreachable
	case v.Suspecting < quorum:
		v.Kind = VerdictDoubtful
	default:
		v.Kind = VerdictDead
	}
	return v
}

// Link returns what a and b say of each other at now.
func (o *Opinions[K]) Link(a, b K, now time.Time) Link {
	ab, known := o.about[b][a]
	if !known || !o.fresh(ab, now) {
		return LinkUnknown
	}
	ba, known := o.about[a][b]
	if !known || !o.fresh(ba, now) {
		return LinkUnknown
	}
	switch {
	case ab.suspected && ba.suspected:
		return LinkCut
	case ab.suspected || ba.suspected:
		return LinkOneWay
	}
	return LinkBoth
}
