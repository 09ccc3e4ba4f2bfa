package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
)

// A recording is what a receiver has heard of one sender.
type recording struct {
	run   uint64
	rows  map[uint64]times
	last  uint64 // the highest number
	count uint64 // how many were sent; 0: not known
}

type times struct{ sent, received int64 }

// add takes a datagram in and reports whether the recording is complete.
func (r *recording) add(d datagram, received int64) bool {
	if r.rows == nil {
		r.run, r.rows = d.run, map[uint64]times{}
	}
	switch {
	case d.run != r.run:
	case d.end:
		r.count = d.seq
	default:
		if _, repeated := r.rows[d.seq]; !repeated {
			r.rows[d.seq] = times{d.sent, received}
		}
		r.last = max(r.last, d.seq)
	}
	return r.complete()
}

func (r *recording) complete() bool {
	return r.count > 0 && uint64(len(r.rows)) >= r.count
}

// sent returns how many heartbeats were sent as far as is known.
func (r *recording) sent() uint64 { return max(r.last, r.count) }

// write writes the trace of a recording that is not empty. Times count from when
// the first heartbeat that arrived was sent.
func (r *recording) write(w io.Writer, comments []string) error {
	b := bufio.NewWriter(w)
	for _, c := range comments {
		fmt.Fprintf(b, "# %s\n", c)
	}
	fmt.Fprintln(b, "send_ns,recv_ns")
	seqs := slices.Sorted(maps.Keys(r.rows))
	start := r.rows[seqs[0]].sent
	for seq := uint64(1); seq <= r.sent(); seq++ {
		if row, ok := r.rows[seq]; ok {
			fmt.Fprintf(b, "%d,%d\n", row.sent-start, row.received-start)
		} else {
			fmt.Fprintf(b, "%d,\n", r.sentAt(seq, seqs)-start)
		}
	}
	return b.Flush()
}

// sentAt returns when a lost heartbeat was sent, about: between its neighbours.
func (r *recording) sentAt(seq uint64, seqs []uint64) int64 {
	i, _ := slices.BinarySearch(seqs, seq)
	switch {
	case i == 0:
		return r.rows[seqs[0]].sent
	case i == len(seqs):
		return r.rows[seqs[i-1]].sent
	}
	a, b := seqs[i-1], seqs[i]
	from, to := r.rows[a].sent, r.rows[b].sent
	return from + int64(float64(to-from)*float64(seq-a)/float64(b-a))
}
