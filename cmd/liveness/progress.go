package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// progress says on a terminal how much of a file has been read.
type progress struct {
	io.Reader
	w           io.Writer // nil: say nothing
	name        string
	read, total int64
	next        time.Time
	shown       bool
}

// progressEvery is how often it is said, and how long nothing is.
const progressEvery = 300 * time.Millisecond

func newProgress(w io.Writer, r io.Reader, name string, total int64) *progress {
	p := &progress{Reader: r, name: filepath.Base(name), total: total, next: time.Now().Add(progressEvery)}
	if isTerminal(w) && total > 0 {
		p.w = w
	}
	return p
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	p.read += int64(n)
	if p.w != nil && time.Now().After(p.next) {
		fmt.Fprintf(p.w, "\r\x1b[K%s: %d %%", p.name, 100*p.read/p.total)
		p.shown = true
		p.next = time.Now().Add(progressEvery)
	}
	return n, err
}

// clear takes the line away again.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// isTerminal reports whether somebody is looking.
func isTerminal(f any) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
