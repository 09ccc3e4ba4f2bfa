package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"
)

func TestFrame(t *testing.T) {
	for _, test := range []struct {
		frame frame
		want  string
	}{
		{frame{"starting", 0, 8, "unknown", 0},
			"starting  φ    0.0 [................] 8  unknown    heartbeat 0"},
		{frame{"beating", 0.31, 8, "trusted", 41},
			"beating   φ    0.3 [................] 8  trusted    heartbeat 41"},
		{frame{"frozen", 7.99, 8, "trusted", 41},
			"frozen    φ    8.0 [###############.] 8  trusted    heartbeat 41"},
		{frame{"frozen", 8, 8, "suspected", 41},
			"frozen    φ    8.0 [################] 8  suspected  heartbeat 41"},
		{frame{"killed", 1234.5, 1.5, "suspected", 41},
			"killed    φ 1234.5 [################] 1.5  suspected  heartbeat 41"},
		{frame{"killed", math.MaxFloat64, 8, "suspected", 41},
			"killed    φ 2e+308 [################] 8  suspected  heartbeat 41"},
	} {
		if got := test.frame.String(); got != test.want {
			t.Errorf("%+v is drawn as\n%s, want\n%s", test.frame, got, test.want)
		}
	}
}

func TestTerminalRedrawsOneLine(t *testing.T) {
	var out bytes.Buffer
	start := time.Now()
	v := &view{out: &out, terminal: true, start: start}
	v.draw(start, frame{"frozen", 9, 8, "suspected", 100})
	v.draw(start.Add(drawEvery-1), frame{"frozen", 9, 8, "suspected", 100}) // too soon
	v.draw(start.Add(drawEvery), frame{"beating", 0, 8, "trusted", 101})
	v.draw(start.Add(2*drawEvery), frame{"beating", 0, 8, "trusted", 7})
	v.event(start.Add(time.Second), "it %s", "ended")
	v.erase() // nothing is left to erase
	want := "\r  0.00 s  frozen    φ    9.0 [################] 8  suspected  heartbeat 100" +
		"\r  0.04 s  beating   φ    0.0 [................] 8  trusted    heartbeat 101" +
		"\r  0.08 s  beating   φ    0.0 [................] 8  trusted    heartbeat 7  " +
		"\r" + strings.Repeat(" ", 73) + "\r" +
		"  1.00 s  it ended\n"
	if got := out.String(); got != want {
		t.Errorf("wrote\n%q, want\n%q", got, want)
	}
}

func TestPlainLinesFollow(t *testing.T) {
	var out bytes.Buffer
	start := time.Now()
	v := &view{out: &out, start: start}
	for at := start; at.Before(start.Add(2 * plainEvery)); at = at.Add(drawEvery) {
		v.draw(at, frame{"beating", 0, 8, "trusted", 7})
	}
	v.event(start.Add(time.Second), "it ended")
	want := "  0.00 s  beating   φ    0.0 [................] 8  trusted    heartbeat 7\n" +
		"  0.28 s  beating   φ    0.0 [................] 8  trusted    heartbeat 7\n" +
		"  1.00 s  it ended\n"
	if got := out.String(); got != want {
		t.Errorf("wrote\n%s, want\n%s", got, want)
	}
}

func TestIsTerminal(t *testing.T) {
	if isTerminal(&bytes.Buffer{}) {
		t.Error("a buffer is no terminal")
	}
}
