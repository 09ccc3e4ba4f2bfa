package main

import (
	"errors"
	"net"
	"os"
	"time"

	"example.com/liveness"
)

// A sighting is what a watcher has seen: a heartbeat, or none for too long.
type sighting struct {
	suspected bool      // no heartbeat came until due
	at        time.Time // when it was seen
	seq       uint64    // of the last heartbeat
	last      time.Time // when the last heartbeat arrived: at, if this is one
	due       time.Time // when suspicion comes, as predicted at the last heartbeat
	phi       float64   // at that time
}

// A watcher feeds the heartbeats of one process to a detector and waits for the
// instant at which the detector suspects the process.
type watcher struct {
	detector  liveness.Detector
	conn      *net.UDPConn
	sightings chan sighting
}

func newWatcher(d liveness.Detector) (*watcher, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	// The buffer keeps a reader that is slow to draw from delaying the watcher.
	return &watcher{detector: d, conn: conn, sightings: make(chan sighting, 1024)}, nil
}

// watch watches until close. It never asks for φ in order to decide: from each
// heartbeat on it is known when suspicion comes if no other follows, so it
// waits for a heartbeat until then. Whoever has no read deadline to set uses a
// time.Timer in the same way.
func (w *watcher) watch(pid int) {
	defer close(w.sightings)
	var s sighting
	buf := make([]byte, 128)
	for until := (time.Time{}); ; { // the zero Time, here and in Deadline, means: no limit
		if w.conn.SetReadDeadline(until) != nil {
			return
		}
		n, err := w.conn.Read(buf)
		s.at = time.Now()
		switch {
		case err == nil:
			sender, seq, ok := decodeHeartbeat(buf[:n])
			if !ok || sender != pid || seq <= s.seq {
				continue
			}
			w.detector.Heartbeat(s.at)
			s.suspected, s.seq, s.last = false, seq, s.at
			s.due = w.detector.Deadline(w.detector.Threshold())
			until = s.due
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.suspected = true
			until = time.Time{} // only a heartbeat can change that
		default:
			return
		}
		s.phi = w.detector.Suspicion(s.at)
		w.sightings <- s
	}
}

func (w *watcher) addr() string { return w.conn.LocalAddr().String() }

// close ends watch.
func (w *watcher) close() { w.conn.Close() }
