package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"
)

// childEnv, when set, makes this program the child: the address to send
// heartbeats to, and the interval.
const childEnv = "LIVENESS_WATCH_CHILD"

// beatIfChild does not return in the child.
func beatIfChild() {
	value, ok := os.LookupEnv(childEnv)
	if !ok {
		return
	}
	var addr, interval string
	fmt.Sscan(value, &addr, &interval)
	every, err := time.ParseDuration(interval)
	if err == nil {
		go exitWithParent()
		err = beat(addr, every)
	}
	fmt.Fprintf(os.Stderr, "watch: child: %v\n", err)
	os.Exit(1)
}

// exitWithParent ends the child when its standard input does, which the parent
// holds open: also a parent that was killed lets go of it.
func exitWithParent() {
	io.Copy(io.Discard, os.Stdin)
	os.Exit(0)
}

// beat sends heartbeats until that fails.
func beat(addr string, interval time.Duration) error {
	conn, err := net.Dial("udp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for seq := uint64(1); ; seq++ {
		if _, err := conn.Write(encodeHeartbeat(os.Getpid(), seq)); err != nil {
			return err
		}
		<-ticker.C
	}
}

// A heartbeat says whose it is, so that strangers and predecessors on the same
// port are not taken for the watched process, and its number, so that losses
// can be counted.
func encodeHeartbeat(pid int, seq uint64) []byte {
	return fmt.Appendf(nil, "heartbeat %d %d", pid, seq)
}

func decodeHeartbeat(datagram []byte) (pid int, seq uint64, ok bool) {
	n, err := fmt.Sscanf(string(datagram), "heartbeat %d %d", &pid, &seq)
	return pid, seq, n == 2 && err == nil
}
