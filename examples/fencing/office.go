package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"example.com/liveness"
	"example.com/liveness/fence"
)

var errInterrupted = errors.New("interrupted; the candidates have been killed")

// An office watches the candidates and decides who leads.
type office struct {
	interval   time.Duration
	began      time.Time
	out        io.Writer
	issuer     fence.Issuer
	store      *store
	contenders []*contender
	leader     *contender

	conn   *net.UDPConn
	server *http.Server
	beats  chan beat
	ended  chan string // names of processes that have ended

	frozen  *contender
	late    *attempt    // of the deposed, after it woke
	written fence.Token // the largest that was let in
}

type beat struct {
	at   time.Time
	name string
}

func open(interval time.Duration, out io.Writer) (o *office, err error) {
	o = &office{
		interval: interval,
		began:    time.Now(),
		out:      out,
		store:    &store{writes: make(chan attempt, 1024)},
		beats:    make(chan beat, 1024),
		ended:    make(chan string, 2),
	}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	loopback := net.IPv4(127, 0, 0, 1)
	if o.conn, err = net.ListenUDP("udp4", &net.UDPAddr{IP: loopback}); err != nil {
		return o, err
	}
	listener, err := net.ListenTCP("tcp4", &net.TCPAddr{IP: loopback})
	if err != nil {
		return o, err
	}
	o.server = &http.Server{Handler: o.store, ReadHeaderTimeout: time.Minute}
	go o.server.Serve(listener)
	go o.listen()
	for _, name := range []string{"anna", "bert"} {
		c, err := start(name, o.conn.LocalAddr().String(), "http://"+listener.Addr().String(), interval)
		if err != nil {
			return o, err
		}
		o.contenders = append(o.contenders, c)
		go func() {
			<-c.exited
			o.ended <- c.name
		}()
	}
	return o, nil
}

// listen reads heartbeats until close.
func (o *office) listen() {
	buf := make([]byte, 128)
	for {
		n, err := o.conn.Read(buf)
		if err != nil {
			return
		}
		var name string
		var seq uint64
		if _, err := fmt.Sscanf(string(buf[:n]), "%s %d", &name, &seq); err == nil {
			o.beats <- beat{time.Now(), name}
		}
	}
}

func (o *office) close() {
	for _, c := range o.contenders {
		c.stop()
	}
	if o.conn != nil {
		o.conn.Close()
	}
	if o.server != nil {
		o.server.Close()
	}
}

// handle handles one thing that happens, and reports whether it was not the end.
func (o *office) handle(ctx context.Context, end <-chan time.Time) (more bool, err error) {
	suspicion := time.NewTimer(time.Until(o.nextDeadline()))
	defer suspicion.Stop()
	select {
	case <-ctx.Done():
		return false, errInterrupted
	case name := <-o.ended:
		return false, fmt.Errorf("%s has ended by itself", name)
	case <-end:
		return false, nil
	case b := <-o.beats:
		return true, o.heard(b)
	case a := <-o.store.writes:
		o.wrote(a)
	case <-suspicion.C:
		if len(o.beats) == 0 { // what waits may clear who seems silent
			return true, o.suspect(time.Now())
		}
		return true, o.heard(<-o.beats)
	}
	return true, nil
}

// nextDeadline returns when the next trusted candidate is suspected.
func (o *office) nextDeadline() time.Time {
	next := time.Now().Add(time.Hour)
	for _, c := range o.contenders {
		if !c.trusted {
			continue
		}
		if due := c.detector.Deadline(c.detector.Threshold()); due.Before(next) {
			next = due
		}
	}
	return next
}

func (o *office) heard(b beat) error {
	for _, c := range o.contenders {
		if c.name != b.name {
			continue
		}
		c.detector.Heartbeat(b.at)
		switch {
		case !c.heard:
			o.event(b.at, "%s is heard of", c.name)
		case !c.trusted:
			o.event(b.at, "%s is heard of again: φ was wrong, it was alive all the time", c.name)
		}
		c.heard, c.trusted = true, true
	}
	return o.elect(b.at)
}

func (o *office) suspect(now time.Time) error {
	for _, c := range o.contenders {
		if !c.trusted || !liveness.Suspected(c.detector, now) {
			continue
		}
		c.trusted = false
		silence := now.Sub(c.detector.Deadline(0))
		text := fmt.Sprintf("%s is suspected: φ is %.1f after %v of silence", c.name, c.detector.Suspicion(now), silence.Round(time.Millisecond))
		if c != o.frozen {
			text += ", though no signal was sent"
		}
		if c == o.leader {
			o.leader = nil
			text += "; it is deposed, and cannot be told"
		}
		o.event(now, "%s", text)
	}
	return o.elect(now)
}

// elect gives the lead to a candidate that is trusted, if nobody has it.
func (o *office) elect(now time.Time) error {
	for _, c := range o.contenders {
		if o.leader != nil || !c.trusted {
			continue
		}
		token, err := o.issuer.Next()
		if err != nil {
			return err
		}
		o.event(now, "%s is elected, with token %d", c.name, token)
		o.leader = c
		if err := c.lead(token); err != nil {
			return fmt.Errorf("telling %s: %w", c.name, err)
		}
	}
	return nil
}

func (o *office) wrote(a attempt) {
	switch {
	case a.err != nil:
		o.event(a.at, "%q is written with token %d: refused, %v", a.value, a.token, a.err)
		if o.frozen != nil && a.token <= o.frozen.token && o.late == nil {
			o.late = &a
		}
	case a.token > o.written:
		o.event(a.at, "%q is written with token %d: let in, and so are those that follow", a.value, a.token)
		o.written = a.token
	}
}
