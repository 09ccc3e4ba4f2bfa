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
	return fmt.Errorf("stopping a process on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func thaw(p *os.Process) error { return freeze(p) }

func detach(*exec.Cmd) {}
