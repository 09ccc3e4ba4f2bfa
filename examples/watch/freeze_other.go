//go:build !unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

func freeze(*os.Process) error {
	return fmt.Errorf("%s has no signal that stops a process: %w", runtime.GOOS, errors.ErrUnsupported)
}

func thaw(p *os.Process) error { return freeze(p) }

func detach(*exec.Cmd) {}
