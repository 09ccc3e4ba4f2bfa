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

// timeUnits are the digits of a second in each unit.
var timeUnits = map[string]int{"_s": 9, "_ms": 6, "_us": 3, "_ns": 0}

// timestamps prepares for a list of arrivals that begins with text, a header or data.
func (t *Trace) timestamps(text string) error {
	digits, isHeader := timeHeader(firstColumn(text))
	if !isHeader {
		if _, err := parseTime(firstColumn(text), nil); err != nil {
			return t.broken(fmt.Sprintf("the trace begins with %q, want one of the headers interarrival_ns, send_ns,recv_ns and seq,rtt_ns, the output of ping, or a time, whose header may be one of %s", shorten(text), strings.Join(timeColumns, ", ")))
		}
		t.unread(text)
	}
	t.shape, t.has[Gap] = "timestamps", true
	t.parse = func(text string) error {
		at, err := parseTime(firstColumn(text), &digits)
		if err != nil {
			return err
		}
		t.emit(row{at: at})
		return nil
	}
	return nil
}

func firstColumn(text string) string {
	if i := strings.IndexAny(text, ",;\t"); i >= 0 {
		text = text[:i]
	}
	return strings.Trim(strings.TrimSpace(text), `"`)
}

// timeHeader reports whether text is the header of arrivals, and their unit, -1 if it says none.
func timeHeader(text string) (digits int, ok bool) {
	text = strings.ToLower(text)
	for _, name := range timeColumns {
		unit, found := strings.CutPrefix(text, name)
		if !found {
			continue
		}
		if unit == "" {
			return -1, true
		}
		if digits, ok := timeUnits[unit]; ok {
			return digits, true
		}
	}
	return -1, false
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
	ns := whole.Mul(whole, new(big.Rat).SetInt64(int64(math.Pow10(unit))))
	// Below a nanosecond nothing is kept.
	n := new(big.Int).Quo(ns.Num(), ns.Denom())
	if !n.IsInt64() {
		return 0, fmt.Errorf("the time is %s, want one between 1678 and 2262", shorten(text))
	}
	return n.Int64(), nil
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
