package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"example.com/liveness"
	"example.com/liveness/fence"
)

// A contender is a candidate as this program sees it.
type contender struct {
	name     string
	detector *liveness.Phi
	cmd      *exec.Cmd
	orders   io.WriteCloser // the child's standard input
	exited   chan struct{}  // closed once the process has ended and was reaped

	heard   bool
	trusted bool
	token   fence.Token // the last one it was given
}

// start runs this program again, as a candidate.
func start(name, beats, store string, interval time.Duration) (*contender, error) {
	detector, err := liveness.NewPhi(liveness.PhiConfig{
		Distribution:     liveness.Gaussian{},
		ExpectedInterval: interval,
	})
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s %s", childEnv, name, beats, store, interval))
	cmd.Stderr = os.Stderr
	detach(cmd)
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &contender{name: name, detector: detector, cmd: cmd, orders: orders, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(c.exited)
	}()
	return c, nil
}

// lead tells the process its token. Also a frozen one is told, in its time.
func (c *contender) lead(token fence.Token) error {
	c.token = token
	_, err := fmt.Fprintf(c.orders, "lead %d\n", token)
	return err
}

// stop kills the process, frozen or not, and waits for its end.
func (c *contender) stop() {
	c.cmd.Process.Kill()
	<-c.exited
}
