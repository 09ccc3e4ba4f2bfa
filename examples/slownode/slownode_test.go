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
