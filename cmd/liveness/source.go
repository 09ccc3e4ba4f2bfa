package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"example.com/liveness/qos"
)

// stdinName is what errors call standard input.
const stdinName = "standard input"

// A source is a trace that can be opened.
type source struct {
	name string // as it was typed
	env  env
	kept []byte // of standard input, where it is read more than once
}

func newSource(e env, name string) *source { return &source{name: name, env: e} }

// keep makes standard input readable several times. It is for those who do so.
func (s *source) keep() error {
	if s.name != "-" {
		return nil
	}
	var err error
	s.kept, err = io.ReadAll(s.env.stdin)
	return err
}

// open returns the trace, and what closes it.
func (s *source) open() (*qos.Trace, func(), error) {
	if s.name == "-" {
		r := s.env.stdin
		if s.kept != nil {
			r = bytes.NewReader(s.kept)
		}
		trace, err := qos.Open(stdinName, r)
		return trace, func() {}, err
	}
	file, err := os.Open(s.name)
	if err != nil {
		return nil, nil, err
	}
	var total int64
	if info, err := file.Stat(); err == nil {
		if info.IsDir() {
			file.Close()
			return nil, nil, fmt.Errorf("%s is a folder, want a file", s.name)
		}
		total = info.Size()
	}
	p := newProgress(s.env.stderr, file, s.name, total)
	closing := func() {
		p.clear()
		file.Close()
	}
	trace, err := qos.Open(s.name, p)
	if err != nil {
		closing()
		return nil, nil, err
	}
	return trace, closing, nil
}

// with opens the trace, hands its heartbeats to f, and closes it.
func (s *source) with(which qos.Series, f func(*qos.Trace, qos.Beats) error) error {
	trace, closing, err := s.open()
	if err != nil {
		return err
	}
	defer closing()
	return f(trace, trace.Beats(which))
}

// fileName is the name that errors call a file by.
func fileName(name string) string {
	if name == "-" {
		return stdinName
	}
	return name
}

// shortName is a file name that fits into a table.
func shortName(file string) string {
	if file == "-" {
		return stdinName
	}
	name := filepath.Base(file)
	name = name[:len(name)-len(filepath.Ext(name))]
	if runes := []rune(name); len(runes) > 30 {
		name = string(runes[:29]) + "…"
	}
	return name
}

// parseTraces returns the traces on the command line; a folder stands for the CSV
// files in it.
func (f *flags) parseTraces(args []string) ([]string, error) {
	operands, err := f.parse(args, 1, math.MaxInt)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range operands {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.IsDir() {
			files = append(files, name) // what cannot be read says so when it is
			continue
		}
		found, err := filepath.Glob(filepath.Join(name, "*.csv"))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s: the folder has no CSV files", name)
		}
		files = append(files, found...)
	}
	return files, nil
}
