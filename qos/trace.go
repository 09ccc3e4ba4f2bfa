package qos

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"
)

// A Trace is a recorded series that is read while it is replayed, so it may be
// larger than memory. Its shape is told from its first line; blank lines and
// lines that begin with # are passed over.
//
//	interarrival_ns    the time before each heartbeat, one a line
//	send_ns,recv_ns    when each heartbeat was sent and received; nothing
//	                   for recv_ns if it was lost
//	seq,rtt_ns         the round-trip time of each probe; nothing if lost
//
// are headers, and the columns integers in nanoseconds. The lines of the second
// shape are numbered from 1 in their order.
//
// The output of ping (iputils and BusyBox on Linux, macOS) is a trace of
// round-trip times, and, with a time in front of each line (ping -D, on macOS
// ping --apple-time), of arrivals too. A number that ping passes over is a lost
// probe. Lines that are not about a probe are passed over.
//
// Any other header names columns that are separated by commas, semicolons or
// tabs. A column of latencies is called rtt, latency or duration, followed by its
// unit: _s, _ms, _us or _ns. Without a unit each value has its own, as in 27.2ms;
// an empty one is a lost probe. There may be columns called seq or as those of
// arrivals beside it, which are not read. A column of the times at which heartbeats arrived is
// called time, timestamp, ts, at, arrival or recv, alone or followed by the unit,
// and there may be one called seq, which is not read either. Other columns are an
// error: they may tell apart what must not be mixed.
//
// A trace without a header is a list of the times at which heartbeats arrived.
//
// Times are RFC 3339, or Unix time, with or without a fraction, in seconds,
// milliseconds, microseconds or nanoseconds as the magnitude of the first one
// tells where the header does not: below 1e11, 1e14, 1e17 or above. Times of
// arrival that go backwards by more than a minute, or in two lines and more
// than 5 % of those that differ from the one before, are an error: they are
// not arrivals, but latencies perhaps.
type Trace struct {
	name   string
	lines  *bufio.Scanner
	line   int      // number of the last line read
	ahead  []string // lines read to tell the shape, not yet used
	parse  func(text string) error
	finish func() // hands on what parse has kept back, if not nil
	yield  func(row) bool
	stop   bool
	used   bool
	has    [Delay + 1]bool // by Series
	shape  string
	maxSeq uint64
}

// A Series says which times of a trace are replayed.
type Series int

const (
	// Auto is Gap where the trace has arrivals, else Delay.
	Auto Series = iota
	// Gap replays the arrivals as they were.
	Gap
	// Delay takes the latency of each heartbeat or probe for a sample of
	// its own, as for a timeout on an answer: it replays one heartbeat
	// after each latency, and lost ones are counted and teach nothing. What
	// is called gap elsewhere is the latency then.
	Delay
)

// String returns "auto", "gap" or "delay".
func (s Series) String() string {
	switch s {
	case Auto:
		return "auto"
	case Gap:
		return "gap"
	case Delay:
		return "delay"
	}
	return "Series(" + strconv.Itoa(int(s)) + ")"
}

// row is what a line of a trace says about one heartbeat, in nanoseconds.
type row struct {
	seq   uint64 // 0: none
	sent  int64
	at    int64
	delay int64
	life  int

	hasSent, lost bool
}

// aheadLimit is how many lines are read to find out whether ping told the time.
const aheadLimit = 10000

// Open reads the beginning of a trace and tells its shape. The name is that of
// the file, for errors. The reader is read on by [Trace.Beats].
func Open(name string, r io.Reader) (*Trace, error) {
	t := &Trace{name: name, lines: bufio.NewScanner(r)}
	text, ok := t.next()
	if !ok {
		if err := t.unreadable(); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("qos: %s: there is no data", name)
	}
	switch header := strings.ReplaceAll(text, " ", ""); {
	case header == "interarrival_ns":
		t.shape, t.has[Gap] = header, true
		at := int64(0)
		t.parse = func(text string) error { return t.interarrival(text, &at) }
	case header == "send_ns,recv_ns":
		t.shape, t.has[Gap], t.has[Delay] = header, true, true
		t.parse = t.sendRecv
	case header == "seq,rtt_ns":
		t.shape, t.has[Delay] = header, true
		t.parse = t.seqRTT
	case isPing(text):
		t.unread(text)
		t.ping()
	default:
		if err := t.table(text); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// Series returns what [Auto] means for this trace: [Gap] or [Delay].
func (t *Trace) Series() Series {
	if t.has[Gap] {
		return Gap
	}
	return Delay
}

// Beats returns the heartbeats of the trace in order of arrival, to be read once.
// A line that cannot be read ends them with an error that names file, line and
// reason.
//
// Heartbeats that overtook others in the network are put in the order in which
// they arrived, up to 4096 lines away; more is an error. A trace without a date
// begins with the Unix epoch.
func (t *Trace) Beats(s Series) Beats {
	if s == Auto {
		s = t.Series()
	}
	return func(yield func(Beat, error) bool) {
		if s != Gap && s != Delay {
			yield(Beat{}, fmt.Errorf("qos: series is %d, want Auto, Gap or Delay", int(s)))
			return
		}
		if !t.has[s] {
			yield(Beat{}, t.without(s))
			return
		}
		if t.used {
			yield(Beat{}, fmt.Errorf("qos: %s: it has been read before, want a trace opened anew", t.name))
			return
		}
		t.used = true
		if s == Gap {
			t.gaps(yield)
		} else {
			t.delays(yield)
		}
	}
}

func (t *Trace) without(s Series) error {
	if s == Gap {
		hint := ""
		if t.shape == "ping" {
			hint = " (ping prints them with -D, on macOS with --apple-time)"
		}
		if t.shape == "latencies" {
			hint = " but latencies"
		}
		return fmt.Errorf("qos: %s: it has no arrival times%s, want the series %v", t.name, hint, Delay)
	}
	return fmt.Errorf("qos: %s: it has no delays, want the series %v", t.name, Gap)
}

// gaps yields the arrivals.
func (t *Trace) gaps(yield func(Beat, error) bool) {
	order := order{yield: yield, trace: t}
	err := t.rows(func(r row) bool {
		b := Beat{Seq: r.seq, Life: r.life}
		if r.hasSent {
			b.Sent = unix(r.sent)
		}
		if !r.lost {
			b.At = unix(r.at)
		}
		return order.add(b, t.line)
	})
	if !order.stopped && order.flush() && err != nil {
		yield(Beat{}, err)
	}
}

// delays yields a heartbeat after each latency.
func (t *Trace) delays(yield func(Beat, error) bool) {
	at := int64(0)
	var failed error
	err := t.rows(func(r row) bool {
		b := Beat{}
		if !r.lost {
			if r.delay < 0 {
				failed = t.broken(fmt.Sprintf("the delay is %v, want one from 0: the clocks of sender and receiver differ", time.Duration(r.delay)))
				return false
			}
			if r.delay > math.MaxInt64-at {
				failed = t.broken("the sum of the delays is beyond 292 years")
				return false
			}
			at += r.delay
			b.At = unix(at)
		}
		return yield(b, nil)
	})
	if failed != nil {
		err = failed
	} else if t.stop {
		return
	}
	if err != nil {
		yield(Beat{}, err)
	}
}

// rows reads on to the end, or until f returns false. What comes before a line
// that is broken is handed on.
func (t *Trace) rows(f func(row) bool) error {
	t.yield = f
	err := t.read()
	if t.finish != nil {
		t.finish()
	}
	return err
}

// read parses the lines.
func (t *Trace) read() error {
	for !t.stop {
		text, ok := t.next()
		if !ok {
			return t.unreadable()
		}
		if err := t.parse(text); err != nil {
			return t.broken(err.Error())
		}
	}
	return nil
}

// emit hands a row on.
func (t *Trace) emit(r row) {
	if !t.stop && !t.yield(r) {
		t.stop = true
	}
}

// next returns the next line that is neither blank nor a comment.
func (t *Trace) next() (string, bool) {
	for {
		var text string
		switch {
		case len(t.ahead) > 0:
			text, t.ahead = t.ahead[0], t.ahead[1:]
		case t.lines.Scan():
			text = t.lines.Text()
		default:
			return "", false
		}
		if t.line++; t.line == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if text = strings.TrimSpace(text); text != "" && text[0] != '#' {
			return text, true
		}
	}
}

// unread makes text, the line read last, the next one again.
func (t *Trace) unread(text string) {
	t.ahead = append(t.ahead, text)
	t.line--
}

// unreadable returns the error for which no more lines were read, if any.
func (t *Trace) unreadable() error {
	err := t.lines.Err()
	if err == nil {
		return nil
	}
	t.line++
	if errors.Is(err, bufio.ErrTooLong) {
		return t.broken(fmt.Sprintf("the line is longer than %d bytes", bufio.MaxScanTokenSize))
	}
	return t.broken(err.Error())
}

// broken says what is wrong with the last line read.
func (t *Trace) broken(reason string) error {
	return fmt.Errorf("qos: %s:%d: %s", t.name, t.line, reason)
}

func (t *Trace) interarrival(text string, at *int64) error {
	gap, err := nanoseconds("interarrival_ns", text)
	switch {
	case err != nil:
		return err
	case gap < 0:
		return fmt.Errorf("interarrival_ns is %d, want a number from 0", gap)
	case gap > math.MaxInt64-*at:
		return fmt.Errorf("the sum of the gaps is beyond 292 years")
	}
	*at += gap
	t.emit(row{at: *at})
	return nil
}

func (t *Trace) sendRecv(text string) error {
	send, recv, err := twoColumns(text)
	if err != nil {
		return err
	}
	t.maxSeq++
	r := row{seq: t.maxSeq, hasSent: true, lost: recv == ""}
	if r.sent, err = nanoseconds("send_ns", send); err != nil {
		return err
	}
	if !r.lost {
		if r.at, err = nanoseconds("recv_ns", recv); err != nil {
			return err
		}
		r.delay = r.at - r.sent
		if (r.at^r.sent)&(r.at^r.delay) < 0 {
			return fmt.Errorf("recv_ns − send_ns is beyond 292 years")
		}
	}
	t.emit(r)
	return nil
}

func (t *Trace) seqRTT(text string) error {
	seq, rtt, err := twoColumns(text)
	if err != nil {
		return err
	}
	if _, err := strconv.ParseUint(seq, 10, 64); err != nil {
		return fmt.Errorf("seq is %q, want a number from 0", seq)
	}
	r := row{lost: rtt == ""}
	if !r.lost {
		if r.delay, err = nanoseconds("rtt_ns", rtt); err != nil {
			return err
		}
	}
	t.emit(r)
	return nil
}

func twoColumns(text string) (a, b string, err error) {
	a, b, ok := strings.Cut(text, ",")
	if !ok || strings.Contains(b, ",") {
		return "", "", fmt.Errorf("the line has %d columns, want 2", strings.Count(text, ",")+1)
	}
	return strings.TrimSpace(a), strings.TrimSpace(b), nil
}

func nanoseconds(column, text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is %q, want an integer number of nanoseconds", column, text)
	}
	return n, nil
}

func unix(ns int64) time.Time { return time.Unix(0, ns).UTC() }
