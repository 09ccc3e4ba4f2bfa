//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

func freeze(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func thaw(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// detach puts the process into a group of its own. A frozen process does not
// notice that its parent has died, but the system sends SIGHUP and SIGCONT to a
// stopped group that is orphaned. And Ctrl-C then reaches the parent alone.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
