package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"example.com/liveness"
)

func newTestDetector(t *testing.T) *liveness.Phi {
	t.Helper()
	d, err := options{interval: 100 * time.Millisecond, threshold: 8, law: "gaussian"}.newDetector()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFlagErrors(t *testing.T) {
	for args, want := range map[string]string{
		"-interval 4ms":                     "-interval is 4ms, want a duration from 5ms to 2s",
		"-interval -1s":                     "-interval is -1s, want a duration from 5ms to 2s",
		"-interval 3s":                      "-interval is 3s, want a duration from 5ms to 2s",
		"-interval 100":                     `invalid value "100" for flag -interval: parse error`,
		"-threshold 0":                      "-threshold is 0, want a number from 1 to 100",
		"-threshold NaN":                    "-threshold is NaN, want a number from 1 to 100",
		"-threshold Inf":                    "-threshold is +Inf, want a number from 1 to 100",
		"-law normal":                       `-law is "normal", want gaussian, exponential or lognormal`,
		"-interval 2s -law exponential":     "suspect after 36.841s of silence: the whole would take 1m46s, want at most 1m0s",
		"-verbose":                          "flag provided but not defined: -verbose",
		"-interval 20ms 127.0.0.1:4711 -h ": `unexpected argument "127.0.0.1:4711"`,
	} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), strings.Fields(args), &stdout, &stderr); code != 2 {
			t.Errorf("%s: exit code %d, want 2", args, code)
		}
		if !strings.HasPrefix(stderr.String(), "watch: ") || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: stderr is %q, want %q", args, &stderr, want)
		}
		if stdout.Len() > 0 {
			t.Errorf("%s: stdout is %q, want nothing", args, &stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"-h"}, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q, want 0 and nothing", code, &stderr)
	}
	for _, want := range []string{"trusted again", "convicted", "-interval", "-threshold", "-law"} {
		if !strings.Contains(stdout.String(), want) {
			t.Errorf("the help says nothing about %q", want)
		}
	}
}

func TestPlanFitsTheOptions(t *testing.T) {
	for _, law := range []string{"gaussian", "exponential", "lognormal"} {
		o := options{interval: 100 * time.Millisecond, threshold: 8, law: law}
		if total := o.plan().total(); total < 8*time.Second || total > 15*time.Second {
			t.Errorf("%s: the whole takes %v, want 8 s to 15 s", law, total)
		}
	}
	slow := options{interval: 2 * time.Second, threshold: 8, law: "gaussian"}
	if p := slow.plan(); p.beating < 5*slow.interval || p.detection < slow.interval {
		t.Errorf("for an interval of 2 s the plan is %+v, want 5 heartbeats and an interval of silence", p)
	}
}
