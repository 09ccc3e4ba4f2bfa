package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

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
