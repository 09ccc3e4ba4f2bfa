package peers_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"example.com/liveness/peers"
)

func newOpinions(t testing.TB, cfg peers.OpinionsConfig) *peers.Opinions[string] {
	t.Helper()
	o, err := peers.NewOpinions[string](cfg)
	require.NoError(t, err)
	return o
}

// say reports opinions "ab": a suspects b, and "a+b": a hears b.
func say(o *peers.Opinions[string], now time.Time, opinions ...string) {
	for _, s := range opinions {
		o.Report(peers.Opinion[string]{Observer: s[:1], Subject: s[len(s)-1:], Suspected: len(s) == 2}, now)
	}
}

func TestOpinions(t *testing.T) {
	for _, c := range []struct {
		what     string
		quorum   int
		opinions []string
		want     peers.Verdict
	}{
		{"nobody knows", 0, nil, peers.Verdict{}},
		{"all hear it", 0, []string{"a+x", "b+x"}, peers.Verdict{Kind: peers.VerdictAlive, Hearing: 2}},
		{"A suspects X, C does not", 0, []string{"ax", "c+x"}, peers.Verdict{Kind: peers.VerdictUnreachable, Suspecting: 1, Hearing: 1}},
		{"one is no quorum", 0, []string{"ax"}, peers.Verdict{Kind: peers.VerdictDoubtful, Suspecting: 1}},
		{"unless it is said to be", 1, []string{"ax"}, peers.Verdict{Kind: peers.VerdictDead, Suspecting: 1}},
		{"all suspect it", 0, []string{"ax", "bx", "cx"}, peers.Verdict{Kind: peers.VerdictDead, Suspecting: 3}},
		{"too few", 3, []string{"ax", "bx"}, peers.Verdict{Kind: peers.VerdictDoubtful, Suspecting: 2}},
		{"its own opinion does not count", 0, []string{"x+x", "ax", "bx"}, peers.Verdict{Kind: peers.VerdictDead, Suspecting: 2}},
		{"the latest counts", 0, []string{"ax", "a+x", "bx", "b+x"}, peers.Verdict{Kind: peers.VerdictAlive, Hearing: 2}},
	} {
		o := newOpinions(t, peers.OpinionsConfig{Quorum: c.quorum})
		say(o, t0, c.opinions...)
		assert.Equal(t, c.want, o.Verdict("x", at(59)), c.what)
		assert.Equal(t, peers.Verdict{}, o.Verdict("x", at(60)), "%s: opinions are old", c.what)
	}
}

func TestOneWayPartition(t *testing.T) {
	o := newOpinions(t, peers.OpinionsConfig{})
	// What b sends does not reach a; all else does.
	say(o, t0, "ab", "b+a", "c+b", "b+c", "a+c", "c+a")
	assert.Equal(t, peers.VerdictUnreachable, o.Verdict("b", t0).Kind)
	assert.Equal(t, peers.VerdictAlive, o.Verdict("a", t0).Kind)
	assert.Equal(t, peers.LinkOneWay, o.Link("a", "b", t0))
	assert.Equal(t, peers.LinkOneWay, o.Link("b", "a", t0))
	assert.Equal(t, peers.LinkBoth, o.Link("a", "c", t0))
	say(o, t0, "ba")
	assert.Equal(t, peers.LinkCut, o.Link("a", "b", t0))
	assert.Equal(t, peers.VerdictUnreachable, o.Verdict("b", t0).Kind, "c hears it")
	// Then b dies: its own opinions get old.
	say(o, at(50), "ab", "cb")
	assert.Equal(t, peers.LinkUnknown, o.Link("a", "b", at(60)))
	assert.Equal(t, peers.LinkUnknown, o.Link("b", "a", at(60)))
	assert.Equal(t, peers.Verdict{Kind: peers.VerdictDead, Suspecting: 2}, o.Verdict("b", at(60)))
}

func TestOpinionsOfIncarnations(t *testing.T) {
	o := newOpinions(t, peers.OpinionsConfig{})
	report := func(from string, suspected bool, incarnation uint64) bool {
		return o.Report(peers.Opinion[string]{Observer: from, Subject: "x", Suspected: suspected, Incarnation: incarnation}, t0)
	}
	assert.True(t, report("a", true, 1))
	assert.True(t, report("b", true, 1))
	assert.Equal(t, peers.VerdictDead, o.Verdict("x", t0).Kind)
	assert.True(t, report("c", false, 2), "it has come back, and c has heard of it first")
	assert.Equal(t, peers.Verdict{Kind: peers.VerdictAlive, Incarnation: 2, Hearing: 1}, o.Verdict("x", t0))
	assert.False(t, report("c", true, 1), "c has told of a newer one")
}

func TestOpinionsAreBounded(t *testing.T) {
	o := newOpinions(t, peers.OpinionsConfig{MaxOpinions: 10})
	for i := range 100 {
		o.Report(peers.Opinion[string]{Observer: strconv.Itoa(i), Subject: "x"}, t0)
	}
	assert.Equal(t, 10, o.Len())
	assert.True(t, o.Report(peers.Opinion[string]{Observer: "0", Subject: "y"}, at(60)), "the old ones make room")
	assert.Equal(t, 1, o.Len())
	o.Report(peers.Opinion[string]{Observer: "y", Subject: "z"}, at(60))
	o.Forget("y")
	assert.Zero(t, o.Len())

	for want, cfg := range map[string]peers.OpinionsConfig{
		"peers: Quorum is -1, want a number of at least 0":            {Quorum: -1},
		"peers: MaxAge is -1ns, want a duration from 1µs to 100 days": {MaxAge: -1},
		"peers: MaxOpinions is -1, want a number above 0":             {MaxOpinions: -1},
	} {
		_, err := peers.NewOpinions[string](cfg)
		assert.EqualError(t, err, want)
	}
}
