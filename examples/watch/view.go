package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	drawEvery  = 40 * time.Millisecond  // on a terminal
	plainEvery = 250 * time.Millisecond // elsewhere
	barWidth   = 16
)

// A view shows the present on one line that is drawn again and again, and
// leaves events behind. Where the output is no terminal, lines just follow.
type view struct {
	out      io.Writer
	terminal bool
	start    time.Time // instants are shown as seconds since then

	next  time.Time // when another line is due
	width int       // of the line on the terminal
}

// A frame is what one line shows.
type frame struct {
	stage     string
	phi       float64
	threshold float64
	verdict   string
	heartbeat uint64 // the number of the last one
}

func (f frame) String() string {
	filled := int(min(f.phi/f.threshold, 1) * barWidth)
	bar := strings.Repeat("#", filled) + strings.Repeat(".", barWidth-filled)
	return fmt.Sprintf("%-8s  φ %6s [%s] %g  %-9s  heartbeat %d",
		f.stage, level(f.phi), bar, f.threshold, f.verdict, f.heartbeat)
}

func (v *view) draw(now time.Time, f frame) {
	if now.Before(v.next) {
		return
	}
	line := v.clock(now) + "  " + f.String()
	if !v.terminal {
		v.next = now.Add(plainEvery)
		fmt.Fprintln(v.out, line)
		return
	}
	v.next = now.Add(drawEvery)
	width := utf8.RuneCountInString(line)
	fmt.Fprintf(v.out, "\r%s%s", line, strings.Repeat(" ", max(v.width-width, 0)))
	v.width = width
}

func (v *view) event(at time.Time, format string, args ...any) {
	v.erase()
	fmt.Fprintf(v.out, "%s  %s\n", v.clock(at), fmt.Sprintf(format, args...))
}

// erase uses spaces, which every terminal understands.
func (v *view) erase() {
	if v.width > 0 {
		fmt.Fprintf(v.out, "\r%s\r", strings.Repeat(" ", v.width))
		v.width = 0
	}
}

func (v *view) clock(at time.Time) string { return fmt.Sprintf("%6.2f s", at.Sub(v.start).Seconds()) }

func isTerminal(out io.Writer) bool {
	file, ok := out.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// level formats a φ in few columns, however large.
func level(phi float64) string {
	if phi < 10000 {
		return fmt.Sprintf("%.1f", phi)
	}
	return fmt.Sprintf("%.0e", phi)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
