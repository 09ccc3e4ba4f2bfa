package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/signal"
	"runtime"
	"time"
)

const recordNote = `
Without -send and -listen, one process does both over the loopback device. With -listen alone it
receives from another process or machine that runs record -send ADDRESS, until that says it is done;
with both, it sends to the one address and receives on the other, through a relay say. Heartbeats
carry a number and the time of sending. The trace is CSV, send_ns,recv_ns, with nothing for recv_ns
where a heartbeat was lost. Between machines the delays contain the offset of their clocks. An
interrupt ends it and writes what there is.
`

// recorder is what record was asked to do.
type recorder struct {
	send, listen string
	interval     time.Duration
	count        uint64        // 0: no limit
	duration     time.Duration // 0: no limit
	now          func() int64
}

// straggling is how long to wait for heartbeats on their way after the last was sent.
const straggling = 2 * time.Second

// record sends and receives heartbeats and writes a trace.
func record(e env, args []string) error {
	f := newFlags(e, recordNote)
	r := recorder{now: clock(), interval: 100 * time.Millisecond}
	f.StringVar(&r.send, "send", "", "the `address` to send to, host:port")
	f.StringVar(&r.listen, "listen", "", "the `address` to receive on, host:port")
	f.duration(&r.interval, "interval", "the `time` between two heartbeats")
	count := f.Int("count", 0, "how many heartbeats (default no limit)")
	f.duration(&r.duration, "duration", "for how `long` (default no limit, or a minute on loopback without -count)")
	file := f.String("o", "-", "the `file` to write; - is standard output")
	if _, err := f.parse(args, 0, 0); err != nil {
		return err
	}
	switch {
	case r.interval < time.Millisecond:
		return usage("-interval is %v, want at least 1ms", r.interval)
	case *count < 0:
		return usage("-count is %d, want a number from 0", *count)
	case r.duration < 0:
		return usage("-duration is %v, want a duration from 0", r.duration)
	case r.send != "" && r.listen == "" && f.isSet("o"):
		return usage("-send alone receives nothing to write into -o %s: give -listen too", *file)
	}
	r.count = uint64(*count)
	if *file != "-" {
		// Find out now, not when the recording would be lost.
		out, err := os.OpenFile(*file, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		out.Close()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	if r.send != "" && r.listen == "" {
		conn, err := net.Dial("udp", r.send)
		if err != nil {
			return err
		}
		defer conn.Close()
		return r.sendAll(ctx, conn)
	}
	how := "UDP between processes"
	loopback := r.send == "" && r.listen == ""
	if loopback {
		how = "UDP over the loopback device within one process"
		r.listen = "127.0.0.1:0"
		if r.count == 0 && r.duration == 0 {
			r.duration = time.Minute
		}
	}
	conn, err := net.ListenPacket("udp", r.listen)
	if err != nil {
		return err
	}
	defer conn.Close()
	if loopback {
		r.send = conn.LocalAddr().String()
	} else if r.send == "" {
		fmt.Fprintf(e.stderr, "listening on %v\n", conn.LocalAddr())
	}
	recording, err := r.exchange(ctx, conn)
	if err != nil {
		return err
	}
	return r.save(e, *file, how, recording)
}

// exchange receives, and sends at the same time if there is an address to send to.
func (r *recorder) exchange(ctx context.Context, conn net.PacketConn) (*recording, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	if r.send != "" {
		out, err := net.Dial("udp", r.send)
		if err != nil {
			return nil, err
		}
		defer out.Close()
		go func() {
			if err := r.sendAll(ctx, out); err != nil {
				failed <- err
				cancel()
				return
			}
			conn.SetReadDeadline(time.Now().Add(straggling))
		}()
	} else if r.duration > 0 {
		conn.SetReadDeadline(time.Now().Add(r.duration))
	}
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	recording, err := r.receive(conn)
	select {
	case err := <-failed:
		return nil, err
	default:
		return recording, err
	}
}

// sendAll sends heartbeats until there were enough, and then says so.
func (r *recorder) sendAll(ctx context.Context, conn io.Writer) error {
	run := rand.Uint64()
	if r.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.duration)
		defer cancel()
	}
	ticker := time.NewTicker(r.interval)
	defer ticker.Stop()
	seq := uint64(0)
	reached := false
	var lost error // that nobody listens yet is no failure, but that nothing was ever sent is
	for ctx.Err() == nil && (r.count == 0 || seq < r.count) {
		seq++
		if _, err := conn.Write(datagram{run: run, seq: seq, sent: r.now()}.encode()); err != nil {
			lost = err
		} else {
			reached = true
		}
		if seq == r.count {
			break
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
		}
	}
	if !reached {
		return lost
	}
	for range 3 { // any of them may be lost
		conn.Write(datagram{run: run, seq: seq, sent: r.now(), end: true}.encode())
	}
	return nil
}

// receive records heartbeats until all are there or time is over.
func (r *recorder) receive(conn net.PacketConn) (*recording, error) {
	var rec recording
	buffer := make([]byte, maxSize)
	for {
		n, _, err := conn.ReadFrom(buffer)
		at := r.now()
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return &rec, nil
		case err != nil:
			return nil, err
		}
		d, ok := decode(buffer[:n])
		if !ok {
			continue
		}
		ended := rec.count > 0
		if rec.add(d, at) || r.send == "" && r.count > 0 && uint64(len(rec.rows)) >= r.count {
			return &rec, nil
		}
		if d.end && !ended && d.run == rec.run {
			conn.SetReadDeadline(time.Now().Add(straggling))
		}
	}
}

// save writes the trace.
func (r *recorder) save(e env, file, how string, rec *recording) error {
	if len(rec.rows) == 0 {
		return errors.New("no heartbeat arrived")
	}
	heard := fmt.Sprintf("%d heartbeats, %d of them lost", rec.sent(), rec.sent()-uint64(len(rec.rows)))
	comments := []string{
		"made by: liveness record, " + how,
		"system: " + runtime.GOOS + "/" + runtime.GOARCH,
		"sent: " + heard,
		"unit: nanoseconds since the first heartbeat was sent; empty recv_ns = lost, send_ns is then nominal",
	}
	if r.send != "" {
		comments = append(comments, "interval: "+r.interval.String())
	}
	if file == "-" {
		return rec.write(e.stdout, comments)
	}
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := rec.write(out, comments); err != nil {
		out.Close()
		return err
	}
	if err := out.Close(); err != nil {
		return err
	}
	fmt.Fprintf(e.stderr, "%s: %s\n", file, heard)
	return nil
}
