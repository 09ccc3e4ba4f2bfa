//go:build unix

package main

import (
	"os"
	"os/exec"
	"syscall"
)

func freeze(p *os.Process) error { return p.Signal(syscall.SIGSTOP) }

func thaw(p *os.Process) error { return p.Signal(syscall.SIGCONT) }

// detach puts the process into a group of its own, so that Ctrl-C reaches the
// parent alone, and one that is left frozen is woken by the system.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
