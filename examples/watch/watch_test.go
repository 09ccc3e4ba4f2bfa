package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	beatIfChild()
	os.Exit(m.Run())
}

// quick is fast enough for a test.
var quick = []string{"-interval", "20ms"}

// bounded returns a context that ends a test which hangs, child and all.
func bounded(t *testing.T) (context.Context, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx, cancel
}

func TestAllStagesHappen(t *testing.T) {
	ctx, _ := bounded(t)
	var stdout, stderr bytes.Buffer
	code := run(ctx, quick, &stdout, &stderr)
	out := stdout.String()
	if code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q, output:\n%s", code, &stderr, out)
	}

	// False suspicions may come in between on a loaded machine.
	stages := []string{
		"trusted: the first", "beating ", "freeze: SIGSTOP", "suspected: φ is ", "continue: SIGCONT", "trusted again: ",
		"kill: the process", "suspected: φ is ", "convicted: ", "All four stages happened",
	}
	summary := []string{
		`last heartbeat, before the signal +-?[0-9.]+ ms +-?[0-9.]+ ms\n`,
		`suspicion predicted, after the signal +-?[0-9.]+ ms +-?[0-9.]+ ms\n`,
		`suspicion observed, after the signal +-?[0-9.]+ ms +-?[0-9.]+ ms\n`,
		`and after the last heartbeat +[0-9.]+ ms +[0-9.]+ ms\n`,
		`observed less predicted +[0-9.]+ ms +[0-9.]+ ms\n`, // never before
		`trusted again, after SIGCONT +[0-9.]+ ms +-\n`,
		`Heartbeats: [0-9]+ received, [0-9]+ lost\. Gaps, as learnt: mean [0-9.]+ ms, standard deviation [0-9.]+ ms\n`,
		`False suspicions: `,
	}
	if strings.Contains(out, "the freeze is skipped: ") {
		stages = []string{"trusted: the first", "kill: the process", "suspected: φ is ", "convicted: ", "not frozen: "}
		summary = summary[6:]
	}
	rest := out
	for _, stage := range stages {
		_, after, found := strings.Cut(rest, stage)
		if !found {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", stage, out)
		}
		rest = after
	}
	for _, line := range summary {
		if !regexp.MustCompile(line).MatchString(out) {
			t.Errorf("nothing matches %q in:\n%s", line, out)
		}
	}
}

// A trigger calls do once, when the text has been written.
type trigger struct {
	bytes.Buffer
	text string
	do   func(sofar string)
}

func (t *trigger) Write(p []byte) (int, error) {
	n, err := t.Buffer.Write(p)
	if t.do != nil && strings.Contains(t.String(), t.text) {
		t.do(t.String())
		t.do = nil
	}
	return n, err
}

// That run returns shows that the child is dead and reaped: it waits for that.
func TestInterrupt(t *testing.T) {
	for _, text := range []string{"trusted: ", "freeze"} {
		ctx, cancel := bounded(t)
		var stderr bytes.Buffer
		stdout := &trigger{text: text, do: func(string) { cancel() }}
		if code := run(ctx, quick, stdout, &stderr); code != 1 {
			t.Errorf("interrupted at %q: exit code %d, want 1", text, code)
		}
		if want := "watch: interrupted; the watched process has been killed\n"; stderr.String() != want {
			t.Errorf("interrupted at %q: stderr is %q, want %q", text, &stderr, want)
		}
	}
}

func TestProcessEndsByItself(t *testing.T) {
	ctx, _ := bounded(t)
	var stderr bytes.Buffer
	stdout := &trigger{text: "trusted: ", do: func(sofar string) {
		pid, err := strconv.Atoi(strings.Fields(sofar)[1])
		if err != nil {
			t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
	}}
	if code := run(ctx, quick, stdout, &stderr); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if want := "watch: the process has ended by itself ("; !strings.HasPrefix(stderr.String(), want) {
		t.Errorf("stderr is %q, want %q first", &stderr, want)
	}
	if out := stdout.String(); !strings.Contains(out, "Summary") || strings.Contains(out, "All four stages") {
		t.Errorf("want a summary without success in:\n%s", out)
	}
}

func TestChildEndsWithItsParent(t *testing.T) {
	ctx, _ := bounded(t)
	p, err := startProcess("127.0.0.1:9", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	p.leash.Close()
	select {
	case <-p.exited:
	case <-ctx.Done():
		t.Fatal("the child did not notice that its parent let go of it")
	}
	if p.status != "exit status 0" {
		t.Errorf("the child ended with %q, want exit status 0", p.status)
	}
}

func TestUntilGivesUp(t *testing.T) {
	ctx, cancel := bounded(t)
	s := &script{process: &process{}, view: &view{out: io.Discard}, detector: newTestDetector(t)}
	never := func() bool { return false }
	if err := s.until(ctx, time.Millisecond, never); err != errTooLate {
		t.Errorf("until returned %v after its limit, want %v", err, errTooLate)
	}
	cancel()
	if err := s.until(ctx, time.Minute, never); err != errInterrupted {
		t.Errorf("until returned %v when interrupted, want %v", err, errInterrupted)
	}
	if err := reason(errTooLate, "nothing came"); err.Error() != "nothing came in time" {
		t.Errorf("the reason is %q", err)
	}
	if err := reason(errInterrupted, "nothing came"); err != errInterrupted {
		t.Errorf("the reason is %q", err)
	}
}
