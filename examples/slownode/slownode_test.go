package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheStoryIsTrue(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 15 seconds, all of them real")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // ends a test that hangs
	defer cancel()
	var s *story
	for n := 1; ; n++ { // it measures time, and other tests may want the machine as well
		var err error
		s, err = open(brief, t.Output())
		require.NoError(t, err)
		err = s.play(ctx)
		s.close()
		if err == nil {
			break
		}
		require.Less(t, n, 3, "%v", err)
		t.Log(err)
	}

	f := s.figures
	assert.GreaterOrEqual(t, f.Slow.Sick.P50, secondsOf(brief.late()))
	assert.Greater(t, f.Outlier.Neighbour, 1.5)
	assert.Equal(t, f.Data.City, f.Data.Found)
	assert.Less(t, f.Data.Offers, f.Data.Before)

	p := s.picture()
	var marks []string
	for _, m := range p.marks {
		marks = append(marks, m.text)
	}
	for _, text := range []string{"ejected", "GroupDegraded", "hedging off", "reconciled"} {
		assert.Contains(t, strings.Join(marks, ", "), text)
	}
	require.NoError(t, p.drawTo(filepath.Join(t.TempDir(), "slownode.png")))

	var table bytes.Buffer
	require.NoError(t, f.writeTable(&table))
	for _, escape := range []string{"heartbeats", "outlier detection", "guard", "absolute alert", "hedging", "reconciliation"} {
		assert.Contains(t, table.String(), "\n"+escape)
	}
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 1, run(ctx, []string{"-quick"}, &stdout, &stderr))
	assert.Equal(t, "slownode: interrupted\n", stderr.String())
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-servers 19":    "-servers is 19, want a number from 20 to 500",
		"-servers -1":    "-servers is -1, want a number from 20 to 500",
		"-servers 501":   "-servers is 501, want a number from 20 to 500",
		"-plot case.pdf": `-plot is "case.pdf", want a file that ends in .png`,
		"-verbose":       "flag provided but not defined: -verbose",
		"now":            `unexpected argument "now"`,
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, run(t.Context(), strings.Fields(args), &stdout, &stderr), args)
		assert.Equal(t, "slownode: "+want+" (-h explains the flags)\n", stderr.String())
		assert.Empty(t, stdout.String())
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, run(t.Context(), []string{"-h"}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "reconciliation")
	assert.Contains(t, stdout.String(), "-plot")
}

func TestScale(t *testing.T) {
	assert.Equal(t, whole, options{}.scale())
	assert.Equal(t, brief, options{quick: true}.scale())
	assert.Equal(t, 77, options{servers: 77}.scale().servers)

	fast := whole.paced(time.Millisecond)
	assert.Equal(t, whole.every, fast.every, "a fast machine gets the usual load")
	busy := whole.paced(35 * time.Millisecond)
	assert.Equal(t, 105*time.Millisecond, busy.every)
	assert.Equal(t, whole.slowest, whole.paced(time.Second).every, "any slower, and it would not be over in a minute")
	for _, s := range []scale{fast, busy, brief.paced(time.Second)} {
		assert.GreaterOrEqual(t, s.interval, sent*s.every, "an interval has enough searches")
	}
	slower, ok := whole.slackened()
	assert.True(t, ok)
	assert.Greater(t, slower.every, whole.every)
	_, ok = whole.paced(time.Second).slackened()
	assert.False(t, ok)

	for _, s := range []scale{whole, brief} {
		assert.Less(t, s.checkLimit(), s.outage(), "deep checks must fail in the outage")
		assert.Less(t, s.limit(), s.outage())
		assert.Less(t, s.outage(), s.late(), "and it must not be taken for the slow server")
	}
}
