package qos

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// pingSeqs is where the sequence numbers of ping start again.
const pingSeqs = 1 << 16

// isPing reports whether a trace that begins with text is the output of ping.
func isPing(text string) bool {
	return strings.HasPrefix(text, "PING") || strings.HasPrefix(text, "ping: ") || strings.Contains(text, "bytes from ") ||
		strings.HasPrefix(text, "From ") && strings.Contains(text, "icmp_seq=") ||
		strings.Contains(text, "no answer yet for icmp_seq=") || strings.HasPrefix(text, "Request timeout for icmp_seq ")
}

// ping prepares for the output of ping. Lines are read ahead up to the first
// probe, to find out whether it tells the time.
func (t *Trace) ping() {
	p := &pinging{}
	t.shape, t.has[Delay] = "ping", true
	t.parse = func(text string) error { return p.parse(t, text) }
	t.finish = func() { p.release(t, 0) }
	for i := range aheadLimit {
		if i == len(t.ahead) {
			if !t.lines.Scan() {
				return
			}
			t.ahead = append(t.ahead, t.lines.Text())
		}
		rest, _, stamped, err := new(pinging).stamp(t.ahead[i])
		if err == nil && (strings.Contains(rest, "bytes from ") || lostProbe(rest) != "") {
			t.has[Gap] = stamped
			return
		}
	}
}

// pinging is what is known in the middle of the output of ping.
type pinging struct {
	begun bool
	want  uint64 // the sequence number expected next, counted on from pingSeqs to pingSeqs
	day   int64  // days since the first time of day
	last  int64  // the last time of day
	life  int    // runs before this one
	held  []row  // the latest probes, for an answer may yet come to a lost one
}

// patience is how many probes later, at the least, an answer is still waited for.
const patience = 256

// hold keeps a probe back until it is settled whether it was lost.
func (p *pinging) hold(t *Trace, r row) {
	r.life = p.life
	if !r.lost {
		p.held = slices.DeleteFunc(p.held, func(o row) bool { return o.lost && o.seq == r.seq })
	}
	if p.held = append(p.held, r); len(p.held) == 2*patience {
		p.release(t, patience)
	}
}

// release hands on all probes but the latest n.
func (p *pinging) release(t *Trace, n int) {
	settled := max(len(p.held)-n, 0)
	for _, r := range p.held[:settled] {
		t.emit(r)
	}
	p.held = append(p.held[:0], p.held[settled:]...)
}

// parse takes one line in.
func (p *pinging) parse(t *Trace, text string) error {
	if strings.HasPrefix(text, "PING") {
		if p.begun { // another run, that numbers anew: what lies between is neither lost nor late
			p.release(t, 0)
			p.begun = false
			p.life++
		}
		return nil
	}
	rest, at, stamped, err := p.stamp(text)
	if err != nil {
		return err
	}
	if number := lostProbe(rest); number != "" {
		seq, err := p.seq(number)
		if err != nil {
			return err
		}
		p.missing(t, seq+1)
		return nil
	}
	answer := strings.Contains(rest, "bytes from ") && (strings.Contains(rest, "time=") || strings.Contains(rest, "time<"))
	if !answer || strings.Contains(rest, "(DUP!)") {
		return nil
	}
	number, ok := after(rest, "icmp_seq=", "seq=")
	if !ok {
		return fmt.Errorf("the answer has no sequence number")
	}
	seq, err := p.seq(number)
	if err != nil {
		return err
	}
	delay, err := pingDelay(rest)
	if err != nil {
		return err
	}
	if t.has[Gap] && !stamped {
		return fmt.Errorf("the answer has no time in front, as those before")
	}
	p.missing(t, seq)
	p.want = max(p.want, seq+1)
	r := row{seq: seq + 1, delay: delay, at: at} // ping counts from 0 or from 1
	if stamped {
		r.sent, r.hasSent = at-delay, true
	}
	p.hold(t, r)
	return nil
}

// missing reports the probes up to a number as lost.
func (p *pinging) missing(t *Trace, seq uint64) {
	for ; p.want < seq && !t.stop; p.want++ {
		p.hold(t, row{seq: p.want + 1, lost: true})
	}
}

// seq returns a sequence number that does not start again.
func (p *pinging) seq(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return 0, fmt.Errorf("the sequence number is %q, want one from 0 to %d", shorten(text), pingSeqs-1)
	}
	if !p.begun {
		p.begun, p.want = true, n
		return n, nil
	}
	// The one nearest to what is expected.
	seq := p.want - p.want%pingSeqs + n
	switch {
	case seq+pingSeqs/2 < p.want:
		seq += pingSeqs
	case seq > p.want+pingSeqs/2 && seq >= pingSeqs:
		seq -= pingSeqs
	}
	return seq, nil
}

// stamp cuts off the time in front of a line: [1700000000.123456] or 12:34:56.123456.
func (p *pinging) stamp(text string) (rest string, at int64, ok bool, err error) {
	if inner, found := strings.CutPrefix(text, "["); found {
		number, rest, found := strings.Cut(inner, "] ")
		if !found {
			return "", 0, false, fmt.Errorf("the line begins with [, want a Unix time and ]")
		}
		unit := 9
		at, err := parseTime(number, &unit)
		return rest, at, true, err
	}
	first, rest, _ := strings.Cut(text, " ")
	clock, err := time.Parse("15:04:05.999999999", first)
	if err != nil {
		return text, 0, false, nil
	}
	const day = 24 * int64(time.Hour)
	at = int64(clock.Sub(clock.Truncate(24 * time.Hour)))
	if at < p.last-day/2 {
		p.day++ // midnight
	}
	p.last = at
	return rest, p.day*day + at, true, nil
}

// lostProbe returns the sequence number in a line that says there was no answer, or "".
func lostProbe(text string) string {
	for _, mark := range []string{"no answer yet for icmp_seq=", "Request timeout for icmp_seq "} {
		if number, ok := after(text, mark); ok {
			return number
		}
	}
	if strings.HasPrefix(text, "From ") && !strings.Contains(text, "Redirect") && !strings.Contains(text, "Source Quench") {
		number, _ := after(text, "icmp_seq=")
		return number
	}
	return ""
}

// pingDelay returns the round-trip time in a line of ping.
func pingDelay(text string) (int64, error) {
	number, ok := after(text, "time=", "time<")
	ms, isNumber := decimal(number)
	if !ok || !isNumber || !strings.Contains(text, number+" ms") {
		return 0, fmt.Errorf("the answer has no time in ms, want such as time=12.3 ms")
	}
	x, _ := ms.Float64()
	ns := math.Round(x * 1e6)
	if !(ns >= 0 && ns < 1e18) {
		return 0, fmt.Errorf("the time is %s ms, want one from 0 to 1e12", shorten(number))
	}
	return int64(ns), nil
}

// after returns the word that follows the first of the marks that text has.
func after(text string, marks ...string) (string, bool) {
	for _, mark := range marks {
		if _, rest, ok := strings.Cut(text, mark); ok {
			word, _, _ := strings.Cut(rest, " ")
			return strings.TrimSuffix(word, ":"), true
		}
	}
	return "", false
}
