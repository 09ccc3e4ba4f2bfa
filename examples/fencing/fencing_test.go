package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	standIfChild()
	os.Exit(m.Run())
}

func TestTheLateWriteIsRefused(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // ends a test that hangs, children and all
	defer cancel()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"-interval", "50ms"}, &stdout, &stderr)
	if runtime.GOOS == "windows" {
		assert.Equal(t, 1, code)
		assert.Contains(t, stderr.String(), "unsupported operation")
		return
	}
	out := stdout.String()
	require.Equal(t, 0, code, "%s\n%s", &stderr, out)
	assert.Empty(t, stderr.String())

	// On a loaded machine others may be deposed in between, and tokens be larger.
	rest := out
	for _, want := range []string{
		`is elected, with token 1\n`,
		`is written with token 1: let in`,
		`freeze: SIGSTOP to (anna|bert), who leads; φ is due to reach 8 at `,
		`is suspected: φ is [0-9.]+ after [0-9.ms]+ of silence; it is deposed, and cannot be told\n`,
		`is elected, with token [0-9]+\n`,
		`is written with token [0-9]+: let in`,
		`continue: SIGCONT to (anna|bert), who knows of nothing and still holds token [0-9]+\n`,
		`is written with token [0-9]+: refused, fence: token [0-9]+ is stale, [0-9]+ has been seen\n`,
		`held after the late write +(anna|bert)'s [0-9]+ +(anna|bert)'s [0-9]+\n`,
		`writes taken from a deposed leader +0 +[1-9][0-9]*\n`,
		`writes refused +[1-9][0-9]* +-\n`,
		`the late write was refused\.\n$`,
	} {
		where := regexp.MustCompile(want).FindStringIndex(rest)
		require.NotNil(t, where, "%q is missing, or not in its place, in:\n%s", want, out)
		rest = rest[where[1]:]
	}
	held := regexp.MustCompile(`held after the late write +(\S+) \d+ +(\S+) \d+`).FindStringSubmatch(out)
	require.NotNil(t, held)
	assert.NotEqual(t, held[1], held[2], "one register must hold the successor's value, one that of the deposed")
}

func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 1, run(ctx, nil, &stdout, &stderr))
	assert.Equal(t, "fencing: interrupted; the candidates have been killed\n", stderr.String())
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"-interval 1ms": "-interval is 1ms, want a duration from 5ms to 1s",
		"-interval 2s":  "-interval is 2s, want a duration from 5ms to 1s",
		"-verbose":      "flag provided but not defined: -verbose",
		"anna":          `unexpected argument "anna"`,
	} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 2, run(t.Context(), strings.Fields(args), &stdout, &stderr), args)
		assert.Equal(t, "fencing: "+want+" (-h explains the flags)\n", stderr.String())
		assert.Empty(t, stdout.String())
	}
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 0, run(t.Context(), []string{"-h"}, &stdout, &stderr))
	assert.Contains(t, stdout.String(), "SIGSTOP")
	assert.Contains(t, stdout.String(), "-interval")
}

func TestStore(t *testing.T) {
	s := &store{writes: make(chan attempt, 16)}
	server := httptest.NewServer(s)
	defer server.Close()
	require.NoError(t, write(server.URL, 1, "anna's 1"))
	require.NoError(t, write(server.URL, 2, "bert's 1"))
	assert.EqualError(t, write(server.URL, 1, "anna's 2"), "409 Conflict: fence: token 1 is stale, 2 has been seen\n")
	assert.EqualError(t, write(server.URL, 0, "who?"), "409 Conflict: fence: no token\n")
	response, err := http.Get(server.URL)
	require.NoError(t, err)
	defer response.Body.Close()
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)

	var last attempt
	for range 3 {
		last = <-s.writes
	}
	assert.Equal(t, "bert's 1", last.guarded)
	assert.Equal(t, "anna's 2", last.unguarded)
	assert.Equal(t, register{"bert's 1", 2, 0}, s.guarded)
	assert.Equal(t, 2, s.unguarded.stale)
}
