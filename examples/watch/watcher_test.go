package main

import (
	"net"
	"testing"
	"time"

	"example.com/liveness"
)

func TestHeartbeatEncoding(t *testing.T) {
	if pid, seq, ok := decodeHeartbeat(encodeHeartbeat(4711, 1<<63)); pid != 4711 || seq != 1<<63 || !ok {
		t.Errorf("decoded %d, %d, %v", pid, seq, ok)
	}
	for _, datagram := range []string{"", "heartbeat", "heartbeat 1", "heartbeat x 1", "heartbeat 1 -1", "hello 1 1"} {
		if _, _, ok := decodeHeartbeat([]byte(datagram)); ok {
			t.Errorf("%q was taken for a heartbeat", datagram)
		}
	}
}

func TestWatcher(t *testing.T) {
	const timeout = 50 * time.Millisecond
	d, err := liveness.NewFixedTimeout(timeout)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newWatcher(d)
	if err != nil {
		t.Fatal(err)
	}
	go w.watch(7)
	conn, err := net.Dial("udp", w.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	send := func(datagrams ...[]byte) {
		t.Helper()
		for _, datagram := range datagrams {
			if _, err := conn.Write(datagram); err != nil {
				t.Fatal(err)
			}
		}
	}
	ctx, _ := bounded(t)
	next := func() sighting {
		t.Helper()
		select {
		case s := <-w.sightings:
			return s
		case <-ctx.Done():
			t.Fatal("nothing was seen")
			return sighting{}
		}
	}

	send([]byte("hello"), encodeHeartbeat(8, 1), encodeHeartbeat(7, 2), encodeHeartbeat(7, 2), encodeHeartbeat(7, 1))
	beat := next()
	if beat.suspected || beat.seq != 2 || beat.last != beat.at || !beat.due.Equal(beat.at.Add(timeout)) {
		t.Errorf("saw %+v, want heartbeat 2, and suspicion due %v later", beat, timeout)
	}
	late := next()
	if !late.suspected || late.seq != 2 || late.last != beat.at || late.due != beat.due || late.at.Before(late.due) || late.phi < 1 {
		t.Errorf("saw %+v after %+v, want suspicion when it was due", late, beat)
	}
	send(encodeHeartbeat(7, 2), encodeHeartbeat(7, 4))
	if again := next(); again.suspected || again.seq != 4 || again.at.Before(late.at) {
		t.Errorf("saw %+v, want heartbeat 4", again)
	}

	w.close()
	for range w.sightings { // ends, or the test does
	}
}
