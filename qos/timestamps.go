package qos

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"time"
)

// timeColumns are the headers under which arrivals are looked for.
var timeColumns = []string{"time", "timestamp", "ts", "at", "arrival", "recv"}

// latencyColumns are the headers of latencies.
var latencyColumns = []string{"rtt", "latency", "duration"}

// timeUnits are the digits of a second in each unit.
var timeUnits = map[string]int{"_s": 9, "_ms": 6, "_us": 3, "_ns": 0}

// table prepares for columns that begin with text, a header or the first time of arrival.
func (t *Trace) table(text string) error {
	separator := ""
	if i := strings.IndexAny(text, ",;\t"); i >= 0 {
		separator = text[i : i+1]
	}
	names := cells(text, separator)
	if _, err := parseTime(names[0], nil); err == nil {
		if len(names) > 1 {
			return t.broken(fmt.Sprintf("there are %d columns and no header, want one that names them, such as time, or seq,rtt_ms", len(names)))
		}
		t.unread(text)
		t.arrivals(-1, func(text string) (string, error) { return text, nil })
		return nil
	}
	at, delay := column{index: -1}, column{index: -1}
	known := false
	var strange []string
	for i, name := range names {
		digits, isTime := columnOf(name, timeColumns)
		if isTime && at.index < 0 {
			at = column{i, name, digits}
			continue
		}
		digits, isDelay := columnOf(name, latencyColumns)
		switch {
		case isDelay && delay.index < 0:
			delay = column{i, name, digits}
		case strings.EqualFold(name, "seq") && !known:
			known = true
		default:
			strange = append(strange, fmt.Sprintf("%q", shorten(name)))
		}
	}
	switch {
	case at.index < 0 && delay.index < 0:
		return t.broken(fmt.Sprintf("the trace begins with %q, want one of the headers interarrival_ns, send_ns,recv_ns and seq,rtt_ns, a column of latencies such as rtt_ms, the output of ping, or a time, whose header may be one of %s", shorten(text), strings.Join(timeColumns, ", ")))
	case strange != nil:
		return t.broken(fmt.Sprintf("the header has the columns %s too, want but one of times or latencies, and perhaps seq: leave out the others, and mix no peers", strings.Join(strange, ", ")))
	case delay.index >= 0:
		t.latencies(delay, len(names), separator)
	default:
		t.arrivals(at.digits, func(text string) (string, error) { return cell(text, separator, at.index, len(names)) })
	}
	return nil
}

// column is where something stands.
type column struct {
	index  int
	name   string
	digits int // of a second, as its unit; -1: not said
}

// columnOf reports whether name is one of a list, and its unit, -1 if it says none.
func columnOf(name string, list []string) (digits int, ok bool) {
	name = strings.ToLower(name)
	for _, known := range list {
		unit, found := strings.CutPrefix(name, known)
		if found && unit == "" {
			return -1, true
		}
		if digits, ok := timeUnits[unit]; found && ok {
			return digits, true
		}
	}
	return -1, false
}

// cells splits a line into what stands in its columns.
func cells(text, separator string) []string {
	fields := []string{text}
	if separator != "" {
		fields = strings.Split(text, separator)
	}
	for i, f := range fields {
		fields[i] = strings.Trim(strings.TrimSpace(f), `"`)
	}
	return fields
}

// cell returns what stands in one of n columns.
func cell(text, separator string, index, n int) (string, error) {
	fields := cells(text, separator)
	if len(fields) != n {
		return "", fmt.Errorf("the line has %d columns, want %d", len(fields), n)
	}
	return fields[index], nil
}

// arrivals prepares for times of arrival, which cell finds in a line.
func (t *Trace) arrivals(digits int, cell func(text string) (string, error)) {
	var c course
	t.shape, t.has[Gap] = "timestamps", true
	t.parse = func(text string) error {
		text, err := cell(text)
		if err != nil {
			return err
		}
		at, err := parseTime(strings.Trim(text, `"`), &digits)
		if err != nil {
			return err
		}
		if err := c.add(at, text); err != nil {
			return err
		}
		t.emit(row{at: at})
		return nil
	}
}

// latencies prepares for a column of latencies, of n columns.
func (t *Trace) latencies(c column, n int, separator string) {
	t.shape, t.has[Delay] = "latencies", true
	t.parse = func(text string) error {
		text, err := cell(text, separator, c.index, n)
		if err != nil {
			return err
		}
		r := row{lost: text == ""}
		if !r.lost {
			if r.delay, err = c.latency(text); err != nil {
				return err
			}
		}
		t.emit(r)
		return nil
	}
}

// latency reads a latency in nanoseconds.
func (c column) latency(text string) (int64, error) {
	x, isNumber := decimal(text)
	if c.digits < 0 {
		d, err := time.ParseDuration(text)
		switch {
		case isNumber:
			return 0, fmt.Errorf("%s is %s without a unit, want it in the header, such as %[1]s_ms, or in each value, such as %sms", c.name, shorten(text), shorten(text))
		case err != nil:
			return 0, fmt.Errorf("%s is %q, want a duration such as 27.2ms", c.name, shorten(text))
		case d < 0:
			return 0, fmt.Errorf("%s is %v, want one from 0", c.name, d)
		}
		return int64(d), nil
	}
	if !isNumber || x.Sign() < 0 {
		return 0, fmt.Errorf("%s is %q, want a decimal number from 0", c.name, shorten(text))
	}
	ns, ok := scale(x, c.digits)
	if !ok {
		return 0, fmt.Errorf("%s is %s, want one below 292 years", c.name, shorten(text))
	}
	return ns, nil
}

// course watches whether times run as those of arrivals do.
type course struct {
	last          int64
	text          string
	begun         bool
	back, changes int // lines that lie before the one before, and that differ from it
}

// What arrivals are not expected to do: go back so far, or so many times in
// so large a share of the lines.
const (
	backLimit = int64(time.Minute)
	backLeast = 2
	backShare = 20 // one in 20
)

// add takes the time of the next line.
func (c *course) add(at int64, text string) error {
	last, before := c.last, c.text
	begun := c.begun
	c.last, c.text, c.begun = at, text, true
	if !begun || at == last {
		return nil
	}
	c.changes++
	if at > last {
		return nil
	}
	c.back++
	far := uint64(last)-uint64(at) > uint64(backLimit)
	if !far && (c.back < backLeast || c.back*backShare <= c.changes) {
		return nil
	}
	often := ""
	if c.back > 1 {
		often = fmt.Sprintf(", and %d of %d lines go back so", c.back, c.changes)
	}
	return fmt.Errorf("the time is %s, after %s in the line before%s: these are no arrivals as they came; if they are latencies, give them the header seq,rtt_ns or one such as rtt_ms, and if arrivals, sort them", shorten(text), shorten(before), often)
}

// parseTime returns a time in nanoseconds since the Unix epoch. The unit of a
// number is digits, if given and known, and told from its magnitude otherwise.
func parseTime(text string, digits *int) (int64, error) {
	if at, err := time.Parse(time.RFC3339Nano, text); err == nil {
		ns := at.UnixNano()
		if !unix(ns).Equal(at) {
			return 0, fmt.Errorf("the time is %s, want one between 1678 and 2262", text)
		}
		return ns, nil
	}
	whole, ok := decimal(text)
	if !ok {
		return 0, fmt.Errorf("the time is %q, want RFC 3339 or Unix time", shorten(text))
	}
	unit := -1
	if digits != nil {
		unit = *digits
	}
	if unit < 0 {
		unit = unitOf(whole)
	}
	if digits != nil {
		*digits = unit
	}
	ns, ok := scale(whole, unit)
	if !ok {
		return 0, fmt.Errorf("the time is %s, want one between 1678 and 2262", shorten(text))
	}
	return ns, nil
}

// scale returns x, of which a second has the given digits, in nanoseconds. Below
// one nothing is kept.
func scale(x *big.Rat, digits int) (int64, bool) {
	ns := x.Mul(x, new(big.Rat).SetInt64(int64(math.Pow10(digits))))
	n := new(big.Int).Quo(ns.Num(), ns.Denom())
	return n.Int64(), n.IsInt64()
}

// decimal reads a plain decimal number exactly: no exponent, no fraction bar.
func decimal(text string) (*big.Rat, bool) {
	if len(text) > 64 || strings.Trim(strings.TrimPrefix(text, "-"), "0123456789.") != "" {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// unitOf tells the unit of a Unix time of our age, as digits of a second.
func unitOf(x *big.Rat) int {
	f, _ := x.Float64()
	switch f = math.Abs(f); {
	case f < 1e11:
		return 9
	case f < 1e14:
		return 6
	case f < 1e17:
		return 3
	}
	return 0
}

// shorten makes text fit for an error.
func shorten(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
