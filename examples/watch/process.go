package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// A process is the child, as its parent sees it.
type process struct {
	cmd    *exec.Cmd
	leash  io.Closer     // the child's standard input: see exitWithParent
	exited chan struct{} // closed once the process has ended and was reaped
	status string        // how it ended, once exited is closed
}

// startProcess runs this program again, as the child.
func startProcess(addr string, interval time.Duration) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s", childEnv, addr, interval))
	cmd.Stderr = os.Stderr
	detach(cmd)
	leash, err := cmd.StdinPipe() // Wait closes it
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, leash: leash, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		p.status = cmd.ProcessState.String()
		close(p.exited)
	}()
	return p, nil
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// freeze stops the process without ending it. Where the system cannot do that
// the error is [errors.ErrUnsupported].
func (p *process) freeze() error { return freeze(p.cmd.Process) }

func (p *process) thaw() error { return thaw(p.cmd.Process) }

func (p *process) kill() error { return p.cmd.Process.Kill() }

// stop kills the process, frozen or not, if it has not ended, and waits for its end.
func (p *process) stop() {
	p.kill()
	<-p.exited
}
