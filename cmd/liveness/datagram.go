package main

import (
	"fmt"
	"time"
)

// A datagram is a heartbeat, or says that there will be no more.
type datagram struct {
	run  uint64 // which sender, so that strangers and predecessors are told apart
	seq  uint64 // from 1; of the end, the number of heartbeats sent
	sent int64  // Unix time in nanoseconds, on the sender's clock
	end  bool
}

const (
	beatFormat = "liveness-heartbeat %d %d %d"
	endFormat  = "liveness-end %d %d %d"
	maxSize    = 128
)

func (d datagram) encode() []byte {
	format := beatFormat
	if d.end {
		format = endFormat
	}
	return fmt.Appendf(nil, format, d.run, d.seq, d.sent)
}

func decode(text []byte) (datagram, bool) {
	var d datagram
	if n, err := fmt.Sscanf(string(text), beatFormat, &d.run, &d.seq, &d.sent); n == 3 && err == nil {
		return d, d.seq > 0
	}
	n, err := fmt.Sscanf(string(text), endFormat, &d.run, &d.seq, &d.sent)
	d.end = true
	return d, n == 3 && err == nil
}

// clock returns Unix times in nanoseconds that no step of the wall clock disturbs.
func clock() func() int64 {
	start := time.Now()
	return func() int64 { return start.UnixNano() + int64(time.Since(start)) }
}
